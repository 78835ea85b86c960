/** All steps, oldest first, as a list to choose from. */
import React from 'react';

import type { ModelInfo, Step } from '../../api/types';
import { useReplay } from './context';
import { moveFocus } from './roving';
import { dotClass } from './slider';
import { Chip } from './stepView';
import { When } from './when';
import { author, dotKind, outcome, stepTitle } from './words';

export interface IStepListProps {
  steps: readonly Step[];
  position: number;
  newestTurn: number;
  modelInfo: (id: string) => ModelInfo | null;
  onSelect: (position: number) => void;
}

export function StepList(props: IStepListProps): React.JSX.Element {
  const { steps, position, newestTurn, onSelect } = props;
  const { trans } = useReplay();
  const list = React.useRef<HTMLOListElement>(null);
  React.useEffect(() => {
    list.current?.children[position]?.scrollIntoView?.({ block: 'nearest' });
  }, [position, steps]);
  return (
    <ol
      ref={list}
      className="jp-AIServer-Replay-list"
      aria-label={trans.__('All steps')}
      onKeyDown={moveFocus}
    >
      {steps.map(step => (
        <StepRow
          key={step.index}
          step={step}
          isCurrent={step.index === position}
          isNewestTurn={step.index === newestTurn}
          model={step.model ? props.modelInfo(step.model) : null}
          onSelect={onSelect}
        />
      ))}
    </ol>
  );
}

const StepRow = React.memo(function StepRow(props: {
  step: Step;
  isCurrent: boolean;
  isNewestTurn: boolean;
  model: ModelInfo | null;
  onSelect: (position: number) => void;
}): React.JSX.Element {
  const { step, isCurrent } = props;
  const { trans } = useReplay();
  const title = stepTitle(step, trans);
  const chip = outcome(step, props.isNewestTurn, trans);
  const who = author(step, props.model, trans);
  return (
    <li className={isCurrent ? 'jp-mod-current' : undefined}>
      <button
        type="button"
        aria-current={isCurrent ? 'step' : undefined}
        tabIndex={isCurrent ? 0 : -1}
        title={title}
        onClick={() => props.onSelect(step.index)}
        onFocus={() => props.onSelect(step.index)}
      >
        <i className={dotClass(dotKind(step))} />
        <span className="jp-AIServer-Replay-title">{title}</span>
        {chip && <Chip {...chip} />}
        <span className="jp-AIServer-Replay-by">
          {step.author === 'model' && <span>{who.name}</span>}
          <When time={step.timestamp} />
        </span>
      </button>
    </li>
  );
});
