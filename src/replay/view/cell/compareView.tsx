/** The comparison of two steps: B is the current step, and Shift+click in the list chooses A. */
import { closeIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { IShownStep } from '../../../records/fold';
import { outputOf, lastRunOf } from '../../../records/runs';
import { countLineChanges } from '../../../diff/changedLines';
import { useReplay } from '../context';
import { IconButton } from '../../../ui/iconButton';
import { compareIcon } from '../icons';
import { Output } from './output';
import { StepCode } from './diffEditor';
import { LineCount, RunChip } from './stepView';
import { stepTitle } from '../../../labels/stepLabels';

export function CompareView(props: {
  stepA: IShownStep;
  stepB: IShownStep;
  isSplit: boolean;
  mimeType: string;
}): React.JSX.Element {
  const { stepA, stepB, isSplit, mimeType } = props;
  const { model, trans } = useReplay();
  const { player } = model;
  const stepCount = model.steps.all.length;
  // The panel is drawn again at each key press in the cell.
  const count = React.useMemo(
    () => countLineChanges(stepA.code, stepB.code),
    [stepA.code, stepB.code]
  );
  const section = React.useRef<HTMLElement>(null);
  React.useLayoutEffect(() => {
    const node = section.current!;
    return () => {
      // When the comparison is closed, move the focus from this view to the button “Compare”.
      if (node.contains(document.activeElement)) {
        const stage = node.closest('.jp-AIServer-Replay-stage');
        const compareButton = 'footer > button[aria-pressed]';
        stage?.querySelector<HTMLElement>(compareButton)?.focus();
      }
    };
  }, []);
  return (
    <section
      ref={section}
      className="jp-AIServer-Replay-step jp-AIServer-Replay-compare"
      aria-label={trans.__('Comparing two steps')}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          player.compareWith(null);
        }
      }}
    >
      <header className="jp-AIServer-Replay-stepHead">
        <StepNumber
          name="A"
          label={trans.__('Compare step')}
          value={stepA.index + 1}
          max={stepCount}
          autoFocus
          onChange={value => player.compareWith(value - 1)}
        />
        <IconButton
          icon={compareIcon}
          label={trans.__('Swap A and B')}
          onClick={() => player.swap()}
        />
        <StepNumber
          name="B"
          label={trans.__('with step')}
          value={stepB.index + 1}
          max={stepCount}
          onChange={value => player.goTo(value - 1)}
        />
        <span className="jp-AIServer-Replay-result">
          <LineCount
            count={count}
            showsNoChangesLabel={stepA.code === stepB.code}
          />
          <IconButton
            icon={closeIcon}
            label={trans.__('Close comparison')}
            onClick={() => player.compareWith(null)}
          />
        </span>
      </header>
      <dl className="jp-AIServer-Replay-pair">
        <dt>A</dt>
        <dd title={stepTitle(stepA, trans)}>{stepTitle(stepA, trans)}</dd>
        <dt>B</dt>
        <dd title={stepTitle(stepB, trans)}>{stepTitle(stepB, trans)}</dd>
      </dl>
      <StepCode
        before={stepA.code}
        code={stepB.code}
        mimeType={mimeType}
        isSplit={isSplit}
        transitionMs={0}
        label={trans.__(
          'Code of step %1, shown as changes from step %2',
          stepB.index + 1,
          stepA.index + 1
        )}
        labelBefore={trans.__('Code of step %1', stepA.index + 1)}
      />
      {(lastRunOf(stepA) || lastRunOf(stepB)) && (
        <div className="jp-AIServer-Replay-outputs">
          <StepOutput name="A" step={stepA} />
          <StepOutput name="B" step={stepB} />
        </div>
      )}
    </section>
  );
}

function StepOutput(props: {
  name: string;
  step: IShownStep;
}): React.JSX.Element {
  const { name, step } = props;
  const { trans } = useReplay();
  const run = lastRunOf(step);
  return (
    <section aria-label={trans.__('Output of %1', name)}>
      <header>
        <b className="jp-AIServer-Replay-mark">{name}</b>
        {run && <RunChip run={run} />}
      </header>
      {run?.error && <p className="jp-AIServer-Replay-problem">{run.error}</p>}
      {run && <Output run={run} />}
      {!(run?.error || (run && outputOf(run))) && (
        <p className="jp-AIServer-Replay-same">
          {run ? trans.__('No output') : trans.__('Not run')}
        </p>
      )}
    </section>
  );
}

/** A field for the number of a step, from 1 to `max`. Numbers outside this range are ignored. */
function StepNumber(props: {
  name: string;
  label: string;
  value: number;
  max: number;
  autoFocus?: boolean;
  onChange: (value: number) => void;
}): React.JSX.Element {
  const { name, label, value, max, autoFocus, onChange } = props;
  // The text that the person has typed, if it isn't the number of a step; otherwise null.
  const [invalidText, setInvalidText] = React.useState<string | null>(null);
  return (
    <label className="jp-AIServer-Replay-number">
      <b className="jp-AIServer-Replay-mark">{name}</b>
      <input
        type="number"
        autoFocus={autoFocus}
        aria-label={label}
        min={1}
        max={max}
        value={invalidText ?? value}
        onChange={event => {
          const number = event.target.valueAsNumber;
          const isStepNumber = number >= 1 && number <= max;
          setInvalidText(isStepNumber ? null : event.target.value);
          if (isStepNumber) {
            onChange(number);
          }
        }}
        onBlur={() => setInvalidText(null)}
      />
    </label>
  );
}
