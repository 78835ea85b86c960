/**
 * The list of all steps of a cell, oldest first. The Tab key moves the focus to the current step.
 *
 * Arrow keys move through the steps. Shift with Enter or with a click compares the current step
 * with another step.
 */
import React from 'react';

import type { ModelInfo } from '../../../api/types';
import type { IShownStep } from '../../../records/fold';
import { graphOf, IGraphRow } from '../../model/cell/graph';
import { lineChanges } from './changes';
import { Chip } from '../buttons';
import { useReplay } from '../context';
import { GraphLines, graphWidth } from './graphLines';
import { stepIcon } from '../icons';
import { VirtualList } from '../../../ui/virtualList';
import { When } from '../when';
import {
  stepAuthor,
  dotKind,
  stepOutcome,
  lastRunOutcome,
  stepTitle
} from '../../../labels/stepLabels';

export interface IStepListProps {
  steps: readonly IShownStep[];
  /** The index of the current step. */
  position: number;
  /** The index of the step that the current step is compared with; null without a comparison. */
  from: number | null;
  /** The index of the last step that is a turn; -1 if there is none. */
  newestTurn: number;
  /** Whether a row's details are drawn below its title. */
  isNarrow: boolean;
}

/** The list is memoized so that it isn't rendered again for each key press in the cell. */
export const StepList = React.memo(function StepList(
  props: IStepListProps
): React.JSX.Element {
  const { steps, position, from, isNarrow, newestTurn } = props;
  const { model, trans } = useReplay();
  const graph = React.useMemo(() => graphOf(steps), [steps]);
  return (
    <VirtualList
      className="jp-AIServer-Replay-list"
      label={trans.__('All steps')}
      count={steps.length}
      keyOf={index => `${index}`}
      estimate={() => (isNarrow ? 43 : 30)}
      pageSize={Math.max(1, Math.round(steps.length / 10))}
      current={position}
      rowClass={index => classOf(steps[index], index === position)}
      onMove={index => model.player.goTo(index)}
      render={(index, tabIndex) => (
        <StepRow
          step={steps[index]}
          index={index}
          tabIndex={tabIndex}
          isCurrent={index === position}
          isFrom={index === from}
          isTo={from !== null && index === position}
          isNewestTurn={index === newestTurn}
          graph={graph.rows[index]}
          columns={graph.columns}
          modelInfo={model.modelInfo(steps[index].model)}
        />
      )}
    />
  );
});

function classOf({ lane }: IShownStep, isCurrent: boolean): string {
  const classes = [
    isCurrent ? 'jp-mod-current' : '',
    lane > 0 ? 'jp-mod-aside' : ''
  ];
  return classes.join(' ').trim();
}

interface IStepRowProps {
  step: IShownStep;
  index: number;
  tabIndex: 0 | -1;
  isCurrent: boolean;
  isFrom: boolean;
  isTo: boolean;
  isNewestTurn: boolean;
  graph: IGraphRow;
  columns: number;
  modelInfo: ModelInfo | null;
}

const StepRow = React.memo(function StepRow(
  props: IStepRowProps
): React.JSX.Element {
  const { step, index, isCurrent } = props;
  const { model, trans } = useReplay();
  const title = stepTitle(step, trans);
  const chip =
    lastRunOutcome(step, trans) ?? stepOutcome(step, props.isNewestTurn, trans);
  const author = stepAuthor(step, props.modelInfo, trans);
  const Icon = stepIcon(step);
  return (
    <button
      type="button"
      aria-current={isCurrent ? 'step' : undefined}
      tabIndex={props.tabIndex}
      title={title}
      onMouseDown={event => {
        if (event.shiftKey) {
          event.preventDefault(); // Keep the focus on the current step.
        }
      }}
      onClick={event => {
        if (event.shiftKey) {
          model.compare.start(index);
        } else if (!isCurrent) {
          model.player.goTo(index);
        }
      }}
    >
      <span
        className="jp-AIServer-Replay-graph"
        style={{ width: graphWidth(props.columns) }}
      >
        <GraphLines row={props.graph} columns={props.columns} />
        <i
          className={`jp-AIServer-Replay-node jp-mod-${dotKind(step)}`}
          style={{ left: graphWidth(props.graph.column) }}
        >
          <Icon.react tag="span" />
        </i>
      </span>
      <span className="jp-AIServer-Replay-title">{title}</span>
      {props.isFrom && <Mark name="A" />}
      {props.isTo && <Mark name="B" />}
      {chip && <Chip tone={chip.tone}>{chip.text}</Chip>}
      <span className="jp-AIServer-Replay-by">
        {step.lane > 0 && <span>{trans.__('other branch')}</span>}
        {step.author === 'model' && (
          <span className="jp-AIServer-Replay-byModel">{author.name}</span>
        )}
        <RowLines step={step} />
        <When time={step.timestamp} />
      </span>
    </button>
  );
});

function Mark(props: { name: string }): React.JSX.Element {
  return <b className="jp-AIServer-Replay-mark">{props.name}</b>;
}

/** The number of lines that an edit changed; steps of other kinds have a chip instead. */
function RowLines(props: { step: IShownStep }): React.JSX.Element | null {
  const { step } = props;
  if (step.kind !== 'edit') {
    return null;
  }
  const { added, removed } = lineChanges(step);
  return (
    <span className="jp-AIServer-Replay-lines">
      {added > 0 && <ins>+{added}</ins>}
      {removed > 0 && <del>−{removed}</del>}
    </span>
  );
}
