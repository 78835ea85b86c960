/**
 * One step: who did it and how it ended, what was asked, the code, the explanation.
 *
 * What must hold (P11, P12): what a model or a person wrote is text in the page, never HTML
 * and never Markdown.
 */
import { editIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { ModelInfo, Step } from '../../api/types';
import { askIcon } from '../icons';
import { lineChanges } from './changes';
import { useReplay } from './context';
import { DiffEditor } from './diffEditor';
import { When } from './when';
import { author, comparedWith, outcome, stepTitle, Tone } from './words';

export interface IStepViewProps {
  step: Step;
  position: number;
  isNewestTurn: boolean;
  mimeType: string;
  model: ModelInfo | null;
}

export function StepView(props: IStepViewProps): React.JSX.Element {
  const { step } = props;
  const { trans } = useReplay();
  const isTurn = step.kind === 'turn';
  return (
    <section
      className={`jp-AIServer-Replay-step jp-mod-${step.author}`}
      aria-label={trans.__('Step %1', props.position + 1)}
    >
      <StepHead {...props} />
      <LongText
        key={step.index}
        className="jp-AIServer-Replay-request"
        text={stepTitle(step, trans)}
      />
      {step.error && <p className="jp-AIServer-Replay-problem">{step.error}</p>}
      {(step.code || (!isTurn && step.before)) && <StepCode {...props} />}
      {step.explanation && (
        <p className="jp-AIServer-Replay-explanation">{step.explanation}</p>
      )}
    </section>
  );
}

function StepHead(props: IStepViewProps): React.JSX.Element {
  const { step, model } = props;
  const { trans } = useReplay();
  const who = author(step, model, trans);
  const chip = outcome(step, props.isNewestTurn, trans);
  const Icon = step.author === 'model' ? askIcon : editIcon;
  return (
    <header className="jp-AIServer-Replay-stepHead">
      <span
        className={`jp-AIServer-Replay-author jp-mod-${step.author}`}
        title={[step.model, who.place].filter(Boolean).join(' · ')}
      >
        <Icon.react tag="span" />
        <span className="jp-AIServer-Replay-name">{who.name}</span>
      </span>
      <span className="jp-AIServer-Replay-when">
        <When time={step.timestamp} />
        {who.place && (
          <span className="jp-AIServer-Replay-place"> · {who.place}</span>
        )}
      </span>
      <span className="jp-AIServer-Replay-result">
        <LineCount step={step} />
        {chip && <Chip {...chip} />}
      </span>
    </header>
  );
}

export function Chip(props: { text: string; tone: Tone }): React.JSX.Element {
  return (
    <span className={`jp-AIServer-Replay-chip jp-mod-${props.tone}`}>
      {props.text}
    </span>
  );
}

function LineCount(props: { step: Step }): React.JSX.Element | null {
  const { trans } = useReplay();
  const { added, removed } = lineChanges(props.step);
  if (!added && !removed) {
    const isSame = props.step.kind === 'turn' && props.step.code;
    return isSame ? (
      <span className="jp-AIServer-Replay-same">{trans.__('no change')}</span>
    ) : null;
  }
  const label = trans.__('%1 lines added, %2 lines removed', added, removed);
  return (
    <span
      className="jp-AIServer-Replay-lines"
      role="img"
      aria-label={label}
      title={label}
    >
      {added > 0 && <ins>+{added}</ins>}
      {removed > 0 && <del>−{removed}</del>}
    </span>
  );
}

/** The code, in one editor that lives as long as the panel shows steps. */
function StepCode(props: IStepViewProps): React.JSX.Element {
  const { step, position, mimeType } = props;
  const { languages, trans } = useReplay();
  const host = React.useRef<HTMLDivElement>(null);
  const editor = React.useRef<DiffEditor | null>(null);
  React.useEffect(() => {
    const made = new DiffEditor(host.current!, languages);
    editor.current = made;
    return () => {
      editor.current = null;
      made.dispose();
    };
  }, [languages]);
  const { code } = step;
  const before = comparedWith(step);
  React.useEffect(() => {
    const label =
      before && before !== code
        ? trans.__('Code of step %1, as changes', position + 1)
        : trans.__('Code of step %1', position + 1);
    const folded = trans.__('$ unchanged lines');
    editor.current?.show({ before, code, mimeType, label, folded });
  }, [before, code, mimeType, position, languages, trans]);
  return <div ref={host} className="jp-AIServer-Replay-code" />;
}

/** Text that folds to a few lines where it is long. */
function LongText(props: {
  text: string;
  className: string;
}): React.JSX.Element {
  const { text, className } = props;
  const { trans } = useReplay();
  const [isOpen, setOpen] = React.useState(false);
  const isLong = text.length > 280 || text.split('\n').length > 6;
  return (
    <div className={className}>
      <p className={isLong && !isOpen ? 'jp-mod-folded' : undefined}>{text}</p>
      {isLong && (
        <button
          type="button"
          className="jp-AIServer-Replay-link"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? trans.__('Show less') : trans.__('Show all')}
        </button>
      )}
    </div>
  );
}
