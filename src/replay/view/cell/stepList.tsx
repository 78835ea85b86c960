/**
 * All steps, oldest first, as a list to choose from. Only the rows that are seen are drawn,
 * and the current one, for that is where the Tab key leads.
 *
 * Arrow keys go through the steps; Shift with Enter or a click compares with a step.
 */
import {
  defaultRangeExtractor,
  Range,
  useVirtualizer
} from '@tanstack/react-virtual';
import React from 'react';

import type { ModelInfo } from '../../../api/types';
import type { IShownStep } from '../../model/cell/fold';
import { graphOf, IGraphRow } from '../../model/cell/graph';
import { lineChanges } from './changes';
import { useReplay } from '../context';
import { GraphLines, graphWidth } from './graphLines';
import { stepIcon } from '../icons';
import { keyTarget } from '../slider';
import { Chip } from './stepView';
import { When } from '../when';
import { author, dotKind, outcome, runsResult, stepTitle } from '../stepLabels';

export interface IStepListProps {
  steps: readonly IShownStep[];
  position: number;
  /** The step that is compared with the current one; null if none is. */
  from: number | null;
  newestTurn: number;
  /** Whether there is room for one line of a step only. */
  isNarrow: boolean;
  modelInfo: (id: string) => ModelInfo | null;
  onSelect: (position: number) => void;
  onCompare: (position: number) => void;
}

/** Drawn anew for other steps, not for each letter typed in the cell. */
export const StepList = React.memo(function StepList(
  props: IStepListProps
): React.JSX.Element {
  const { steps, position, from, isNarrow, onSelect, onCompare } = props;
  const { trans } = useReplay();
  const list = React.useRef<HTMLDivElement>(null);
  const takesFocus = React.useRef(false);
  const graph = React.useMemo(() => graphOf(steps), [steps]);
  const rows = useVirtualizer({
    count: steps.length,
    getScrollElement: () => list.current,
    estimateSize: () => (isNarrow ? 43 : 30),
    overscan: 6,
    paddingStart: 6,
    paddingEnd: 6,
    rangeExtractor: (range: Range) => {
      const seen = defaultRangeExtractor(range);
      return seen.includes(position) || position >= steps.length
        ? seen
        : [...seen, position].sort((a, b) => a - b);
    },
    useFlushSync: false
  });
  React.useEffect(() => {
    if (steps.length) {
      rows.scrollToIndex(position, { align: 'auto' });
    }
    if (takesFocus.current) {
      takesFocus.current = false;
      const row = `[data-index="${position}"] > button`;
      list.current?.querySelector<HTMLElement>(row)?.focus();
    }
  }, [position, rows, steps]);

  const onKeyDown = (event: React.KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    const target = listTarget(event.key, position, steps.length);
    if (target !== null) {
      event.preventDefault();
      event.stopPropagation();
      takesFocus.current = target !== position;
      onSelect(target);
    }
  };
  return (
    <div
      ref={list}
      className="jp-AIServer-Replay-list"
      // All rows, or as many as leave the code its room.
      style={{ minHeight: `min(${rows.getTotalSize()}px, 35%)` }}
      onKeyDown={onKeyDown}
    >
      {/* As long as all rows; those that are seen lie over it. */}
      <ol
        className="jp-AIServer-Replay-rows"
        aria-label={trans.__('All steps')}
        style={{ height: rows.getTotalSize() }}
      >
        {rows.getVirtualItems().map(({ index, start }) => {
          const step = steps[index];
          return (
            <StepRow
              key={index}
              step={step}
              index={index}
              count={steps.length}
              top={start}
              measure={rows.measureElement}
              isCurrent={index === position}
              isFrom={index === from}
              isTo={from !== null && index === position}
              isNewestTurn={index === props.newestTurn}
              graph={graph.rows[index]}
              lanes={graph.lanes}
              model={step.model ? props.modelInfo(step.model) : null}
              onSelect={onSelect}
              onCompare={onCompare}
            />
          );
        })}
      </ol>
    </div>
  );
});

/** Where a key leads in the list: down is later, the other way round than on a slider. */
function listTarget(key: string, at: number, count: number): number | null {
  const turned: Record<string, string> = {
    ArrowUp: 'ArrowDown',
    ArrowDown: 'ArrowUp',
    PageUp: 'PageDown',
    PageDown: 'PageUp',
    Home: 'Home',
    End: 'End'
  };
  return turned[key] ? keyTarget(turned[key], at, count) : null;
}

interface IStepRowProps {
  step: IShownStep;
  index: number;
  count: number;
  top: number;
  measure: (node: HTMLElement | null) => void;
  isCurrent: boolean;
  isFrom: boolean;
  isTo: boolean;
  isNewestTurn: boolean;
  graph: IGraphRow;
  lanes: number;
  model: ModelInfo | null;
  onSelect: (position: number) => void;
  onCompare: (position: number) => void;
}

const StepRow = React.memo(function StepRow(
  props: IStepRowProps
): React.JSX.Element {
  const { step, index, isCurrent, onSelect, onCompare } = props;
  const { trans } = useReplay();
  const title = stepTitle(step, trans);
  const chip =
    runsResult(step, trans) ?? outcome(step, props.isNewestTurn, trans);
  const who = author(step, props.model, trans);
  const Icon = stepIcon(step);
  const isLeft = step.lane > 0;
  const classes = [
    isCurrent ? 'jp-mod-current' : '',
    isLeft ? 'jp-mod-aside' : ''
  ];
  return (
    <li
      ref={props.measure}
      data-index={index}
      className={classes.join(' ').trim() || undefined}
      aria-setsize={props.count}
      aria-posinset={index + 1}
      style={{ transform: `translateY(${props.top}px)` }}
    >
      <button
        type="button"
        aria-current={isCurrent ? 'step' : undefined}
        tabIndex={isCurrent ? 0 : -1}
        title={title}
        onMouseDown={event => {
          if (event.shiftKey) {
            event.preventDefault(); // The step on show stays.
          }
        }}
        onClick={event => (event.shiftKey ? onCompare(index) : onSelect(index))}
      >
        <span
          className="jp-AIServer-Replay-graph"
          style={{ width: graphWidth(props.lanes) }}
        >
          <GraphLines row={props.graph} lanes={props.lanes} />
          <i
            className={`jp-AIServer-Replay-node jp-mod-${dotKind(step)}`}
            style={{ left: graphWidth(props.graph.lane) }}
          >
            <Icon.react tag="span" />
          </i>
        </span>
        <span className="jp-AIServer-Replay-title">{title}</span>
        {props.isFrom && <Mark name="A" />}
        {props.isTo && <Mark name="B" />}
        {chip && <Chip {...chip} />}
        <span className="jp-AIServer-Replay-by">
          {isLeft && <span>{trans.__('other branch')}</span>}
          {step.author === 'model' && (
            <span className="jp-AIServer-Replay-byModel">{who.name}</span>
          )}
          <RowLines step={step} />
          <When time={step.timestamp} />
        </span>
      </button>
    </li>
  );
});

function Mark(props: { name: string }): React.JSX.Element {
  return <b className="jp-AIServer-Replay-mark">{props.name}</b>;
}

/** How much a hand changed: of an answer its chip and its code say enough. */
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
