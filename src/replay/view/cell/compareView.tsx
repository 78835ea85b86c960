/**
 * The view of the comparison of two steps, A and B. B is the current step, which the person chooses
 * with the slider, in the list or here. A is chosen here, or in the list with Shift and a click.
 */
import { closeIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { IShownStep } from '../../../records/fold';
import { outputOf, lastRunOf } from '../../../records/runs';
import { countChanges } from './changes';
import { useReplay } from '../context';
import { IconButton } from '../../../ui/iconButton';
import { compareIcon } from '../icons';
import { Output } from './output';
import { StepCode } from './stepCode';
import { LineCount, RunChip } from './stepView';
import { stepTitle } from '../../../labels/stepLabels';

export function CompareView(props: {
  from: IShownStep;
  to: IShownStep;
  split: boolean;
  mimeType: string;
}): React.JSX.Element {
  const { from, to, split, mimeType } = props;
  const { model, trans } = useReplay();
  const { compare, player } = model;
  const changes = React.useMemo(
    () => countChanges(from.code, to.code),
    [from.code, to.code]
  );
  const stepCount = model.steps.all.length;
  const section = React.useRef<HTMLElement>(null);
  React.useLayoutEffect(() => {
    const node = section.current!;
    return () => {
      // Return the focus to the button that started the comparison.
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
          compare.stop();
        }
      }}
    >
      <header className="jp-AIServer-Replay-stepHead">
        <StepNumber
          name="A"
          label={trans.__('Compare step')}
          value={from.index + 1}
          max={stepCount}
          isFirst
          onChange={value => compare.start(value - 1)}
        />
        <IconButton
          icon={compareIcon}
          label={trans.__('Swap A and B')}
          onClick={() => compare.swap()}
        />
        <StepNumber
          name="B"
          label={trans.__('with step')}
          value={to.index + 1}
          max={stepCount}
          onChange={value => player.goTo(value - 1)}
        />
        <span className="jp-AIServer-Replay-result">
          <LineCount changes={changes} showsNoChanges={from.code === to.code} />
          <IconButton
            icon={closeIcon}
            label={trans.__('Close comparison')}
            onClick={() => compare.stop()}
          />
        </span>
      </header>
      <dl className="jp-AIServer-Replay-pair">
        <dt>A</dt>
        <dd title={stepTitle(from, trans)}>{stepTitle(from, trans)}</dd>
        <dt>B</dt>
        <dd title={stepTitle(to, trans)}>{stepTitle(to, trans)}</dd>
      </dl>
      <StepCode
        before={from.code}
        code={to.code}
        mimeType={mimeType}
        split={split}
        transitionMs={0}
        label={trans.__(
          'Code of step %1, shown as changes from step %2',
          to.index + 1,
          from.index + 1
        )}
        labelBefore={trans.__('Code of step %1', from.index + 1)}
      />
      {(lastRunOf(from) || lastRunOf(to)) && (
        <div className="jp-AIServer-Replay-outputs">
          <SideOutput name="A" step={from} />
          <SideOutput name="B" step={to} />
        </div>
      )}
    </section>
  );
}

/** The outcome and the output of the last run of A or B. */
function SideOutput(props: {
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

/** A field for the number of a step, from 1 to `max`; any other input is ignored. */
function StepNumber(props: {
  name: string;
  label: string;
  value: number;
  max: number;
  isFirst?: boolean;
  onChange: (value: number) => void;
}): React.JSX.Element {
  const { name, label, value, max, onChange } = props;
  const [typed, setTyped] = React.useState<string | null>(null);
  const input = React.useRef<HTMLInputElement>(null);
  const { isFirst } = props;
  React.useEffect(() => {
    if (isFirst) {
      input.current?.focus();
    }
  }, [isFirst]);
  return (
    <label className="jp-AIServer-Replay-number">
      <b className="jp-AIServer-Replay-mark">{name}</b>
      <input
        ref={input}
        type="number"
        aria-label={label}
        min={1}
        max={max}
        value={typed ?? value}
        onChange={event => {
          const number = event.target.valueAsNumber;
          const isStepNumber = number >= 1 && number <= max;
          setTyped(isStepNumber ? null : event.target.value);
          if (isStepNumber) {
            onChange(number);
          }
        }}
        onBlur={() => setTyped(null)}
      />
    </label>
  );
}
