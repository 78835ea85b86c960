/**
 * The list of all steps of a cell, oldest first, with a graph of their branches. A click or an
 * arrow key selects a step. Shift+click and Shift+Enter compare it with the current one.
 */
import { classes } from '@jupyterlab/ui-components';
import React from 'react';

import type { ModelInfo } from '../../../api/types';
import {
  dotKind,
  lastRunOutcome,
  stepAuthor,
  stepOutcome,
  stepTitle
} from '../../../labels/stepLabels';
import type { IShownStep } from '../../../records/fold';
import { VirtualList } from '../../../ui/virtualList';
import { buildGraph, IGraphRow } from '../../model/cell/graph';
import { Chip, When } from '../buttons';
import { useReplay } from '../context';
import { stepIcon } from '../icons';
import { countStepChanges } from './stepView';

interface IStepListProps {
  steps: readonly IShownStep[];
  position: number;
  positionA: number | null;
  isNarrow: boolean;
  models: ReadonlyMap<string, ModelInfo>;
}

/** The list is memoized so that it isn't rendered again for each key press in the cell. */
export const StepList = React.memo(function StepList(
  props: IStepListProps
): React.JSX.Element {
  const { steps, position, positionA, isNarrow, models } = props;
  const { model, trans } = useReplay();
  const graph = React.useMemo(() => buildGraph(steps), [steps]);
  return (
    <VirtualList
      className="jp-AIServer-Replay-list"
      label={trans.__('All steps')}
      count={steps.length}
      keyOf={index => `${index}`}
      estimate={() => (isNarrow ? 43 : 30)}
      pageSize={Math.max(1, Math.round(steps.length / 10))}
      current={position}
      rowClass={index => rowClass(steps[index], index === position)}
      onMove={index => model.player.goTo(index)}
      render={(index, tabIndex) => (
        <StepRow
          step={steps[index]}
          index={index}
          tabIndex={tabIndex}
          isCurrent={index === position}
          isStepA={index === positionA}
          isStepB={positionA !== null && index === position}
          graphRow={graph.rows[index]}
          columnCount={graph.columnCount}
          modelInfo={models.get(steps[index].model ?? '') ?? null}
        />
      )}
    />
  );
});

function rowClass({ column }: IShownStep, isCurrent: boolean): string {
  // If `column` isn't 0, the step is on a branch that doesn't lead to the cell's current code.
  return classes(isCurrent && 'jp-mod-current', column > 0 && 'jp-mod-aside');
}

interface IStepRowProps {
  step: IShownStep;
  index: number;
  tabIndex: 0 | -1;
  isCurrent: boolean;
  isStepA: boolean;
  isStepB: boolean;
  graphRow: IGraphRow;
  columnCount: number;
  modelInfo: ModelInfo | null;
}

const StepRow = React.memo(function StepRow(
  props: IStepRowProps
): React.JSX.Element {
  const { step, index, isCurrent } = props;
  const { model, trans } = useReplay();
  const title = stepTitle(step, trans);
  const chip = lastRunOutcome(step, trans) ?? stepOutcome(step, trans);
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
          // Keep the focus where it is, because the current step stays the same.
          event.preventDefault();
        }
      }}
      onClick={event => {
        if (event.shiftKey) {
          model.player.compareWith(index);
        } else if (!isCurrent) {
          model.player.goTo(index);
        }
      }}
    >
      <span
        className="jp-AIServer-Replay-graph"
        style={{ width: graphWidth(props.columnCount) }}
      >
        <GraphLines row={props.graphRow} columnCount={props.columnCount} />
        <i
          className={`jp-AIServer-Replay-node jp-mod-${dotKind(step)}`}
          style={{ left: graphWidth(props.graphRow.column) }}
        >
          <Icon.react tag="span" />
        </i>
      </span>
      <span className="jp-AIServer-Replay-title">{title}</span>
      {props.isStepA && <b className="jp-AIServer-Replay-mark">A</b>}
      {props.isStepB && <b className="jp-AIServer-Replay-mark">B</b>}
      {chip && <Chip tone={chip.tone}>{chip.text}</Chip>}
      <span className="jp-AIServer-Replay-by">
        {step.column > 0 && <span>{trans.__('other branch')}</span>}
        {step.schemaChanges && (
          <span className="jp-AIServer-Replay-byData">
            {trans.__('data changed')}
          </span>
        )}
        {step.author === 'model' && (
          <span className="jp-AIServer-Replay-byModel">{author.name}</span>
        )}
        <EditLineCount step={step} />
        <When time={step.timestamp} />
      </span>
    </button>
  );
});

function EditLineCount(props: { step: IShownStep }): React.JSX.Element | null {
  const { step } = props;
  if (step.kind !== 'edit') {
    return null;
  }
  const { added, removed } = countStepChanges(step);
  return (
    <span className="jp-AIServer-Replay-lines">
      {added > 0 && <ins>+{added}</ins>}
      {removed > 0 && <del>−{removed}</del>}
    </span>
  );
}

const COLUMN_WIDTH = 14;

function graphWidth(columnCount: number): number {
  return columnCount * COLUMN_WIDTH;
}

/** The lines of one row. The drawing is 100 units high and is stretched to the row's height. */
function GraphLines(props: {
  row: IGraphRow;
  columnCount: number;
}): React.JSX.Element {
  const { row, columnCount } = props;
  const width = graphWidth(columnCount);
  const x = (column: number) => (column + 0.5) * COLUMN_WIDTH;
  const dotX = x(row.column);
  return (
    <svg
      width={width}
      viewBox={`0 0 ${width} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {row.passingColumns.map(column => (
        <path key={`t${column}`} d={`M${x(column)} 0V100`} />
      ))}
      {row.hasLineFromAbove && <path d={`M${dotX} 0V50`} />}
      {row.columnsBelow.map(column => (
        <path
          key={`d${column}`}
          d={
            column === row.column
              ? `M${dotX} 50V100`
              : `M${dotX} 50C${dotX} 85 ${x(column)} 65 ${x(column)} 100`
          }
        />
      ))}
    </svg>
  );
}
