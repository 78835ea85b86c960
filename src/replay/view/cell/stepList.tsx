/**
 * The list of all steps, oldest first. Only visible rows are drawn, and the current one, which is
 * the list's tab stop.
 *
 * Arrow keys move through the steps; Shift with Enter or a click compares with a step.
 */
import {
  defaultRangeExtractor,
  Range,
  useVirtualizer
} from '@tanstack/react-virtual';
import React from 'react';

import type { ModelInfo } from '../../../api/types';
import type { IShownStep } from '../../../records/fold';
import { graphOf, IGraphRow } from '../../model/cell/graph';
import { lineChanges } from './changes';
import { useReplay } from '../context';
import { GraphLines, graphWidth } from './graphLines';
import { stepIcon } from '../icons';
import { keyTarget } from '../slider';
import { Chip } from './stepView';
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
  position: number;
  /** The step that the current one is compared with; null if there is no comparison. */
  from: number | null;
  newestTurn: number;
  /** Whether a row's details are drawn below its title. */
  isNarrow: boolean;
  modelInfo: (id: string) => ModelInfo | null;
  onSelect: (position: number) => void;
  onCompare: (position: number) => void;
}

/** Memoized: drawn again for other steps, but not for each key press in the cell. */
export const StepList = React.memo(function StepList(
  props: IStepListProps
): React.JSX.Element {
  const { steps, position, from, isNarrow, onSelect, onCompare } = props;
  const { trans } = useReplay();
  const list = React.useRef<HTMLDivElement>(null);
  const shouldFocus = React.useRef(false);
  const graph = React.useMemo(() => graphOf(steps), [steps]);
  const rows = useVirtualizer({
    count: steps.length,
    getScrollElement: () => list.current,
    estimateSize: () => (isNarrow ? 43 : 30),
    overscan: 6,
    paddingStart: 6,
    paddingEnd: 6,
    rangeExtractor: (range: Range) => {
      const visible = defaultRangeExtractor(range);
      return visible.includes(position) || position >= steps.length
        ? visible
        : [...visible, position].sort((a, b) => a - b);
    },
    useFlushSync: false
  });
  React.useEffect(() => {
    if (steps.length) {
      rows.scrollToIndex(position, { align: 'auto' });
    }
    if (shouldFocus.current) {
      shouldFocus.current = false;
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
      shouldFocus.current = target !== position;
      onSelect(target);
    }
  };
  return (
    <div
      ref={list}
      className="jp-AIServer-Replay-list"
      // All rows, or as many as leave room for the code.
      style={{ minHeight: `min(${rows.getTotalSize()}px, 35%)` }}
      onKeyDown={onKeyDown}
    >
      {/* As high as all rows together; visible rows are positioned inside. */}
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
              columns={graph.columns}
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

/** The position that a key moves to. Down moves to later steps, unlike on the slider. */
function listTarget(key: string, at: number, count: number): number | null {
  const sliderKeys: Record<string, string> = {
    ArrowUp: 'ArrowDown',
    ArrowDown: 'ArrowUp',
    PageUp: 'PageDown',
    PageDown: 'PageUp',
    Home: 'Home',
    End: 'End'
  };
  return sliderKeys[key] ? keyTarget(sliderKeys[key], at, count) : null;
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
  columns: number;
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
    lastRunOutcome(step, trans) ?? stepOutcome(step, props.isNewestTurn, trans);
  const author = stepAuthor(step, props.model, trans);
  const Icon = stepIcon(step);
  const isOtherBranch = step.lane > 0;
  const classes = [
    isCurrent ? 'jp-mod-current' : '',
    isOtherBranch ? 'jp-mod-aside' : ''
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
            event.preventDefault(); // Keep the focus on the current step.
          }
        }}
        onClick={event => (event.shiftKey ? onCompare(index) : onSelect(index))}
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
        {chip && <Chip {...chip} />}
        <span className="jp-AIServer-Replay-by">
          {isOtherBranch && <span>{trans.__('other branch')}</span>}
          {step.author === 'model' && (
            <span className="jp-AIServer-Replay-byModel">{author.name}</span>
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

/** The number of lines that an edit changed; other steps have a chip instead. */
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
