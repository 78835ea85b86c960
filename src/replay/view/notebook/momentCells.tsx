/** The notebook as it was at a moment: its cells in order, deleted ones where they were. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { undoIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { CellSnapshot, NotebookSnapshot } from '../../../api/types';
import { cellName } from '../../../labels/cellNames';
import { ChangedCode } from './changedCode';
import {
  aroundChanges,
  changedLines,
  IChangedLine
} from '../../../diff/changedLines';
import { useReplay } from '../context';
import { StaticCode } from '../staticCode';
import { VirtualList } from '../../../ui/virtualList';
import { type DotKind, tooLargeText } from '../stepLabels';

/** Lines of a cell that are shown before somebody asks for all. */
const LINES = 12;
const LINE_PX = 17;

export interface IMomentCellsProps {
  then: NotebookSnapshot;
  /** The moment's colour. */
  tone: DotKind;
  codeMimeType: string;
  /** The cells that are in the notebook now. */
  here: ReadonlySet<string>;
  canBringBack: boolean;
  /** Show the cell's own replay, at that step. */
  onOpen: (cellId: string, step: number | null) => void;
  /** Go to the cell in the notebook. */
  onGoTo: (cellId: string) => void;
  onBringBack: (cellId: string) => void;
}

interface IRow {
  readonly cell: CellSnapshot;
  /** Its number among the cells of then; null for one that was gone. */
  readonly number: number | null;
}

export const MomentCells = React.memo(function MomentCells(
  props: IMomentCellsProps
): React.JSX.Element {
  const { then } = props;
  const { trans } = useReplay();
  const rows = React.useMemo(() => rowsOf(then), [then]);
  const changed = rows.findIndex(({ cell }) => cell.changed);
  return (
    <VirtualList
      className="jp-AIServer-Replay-then"
      label={trans.__('Notebook at this point')}
      count={rows.length}
      keyOf={index => rows[index].cell.cellId}
      estimate={index => heightOf(rows[index].cell)}
      current={changed}
      rowClass={index => classOf(rows[index], props.tone)}
      render={(index, tabIndex) => (
        <Cell {...props} {...rows[index]} tabIndex={tabIndex} />
      )}
    />
  );
});

function Cell(
  props: IMomentCellsProps & IRow & { tabIndex: 0 | -1 }
): React.JSX.Element {
  const { cell, number, tabIndex, onOpen, onGoTo } = props;
  const { trans } = useReplay();
  const [isWhole, setWhole] = React.useState(false);
  const { before, source } = cell;
  const change = React.useMemo(
    () => (before === undefined ? null : changedLines(before, source)),
    [before, source]
  );
  const lines = source.split('\n');
  const isShown = change ? shownOf(change, isWhole) : [];
  const hidden = change
    ? isShown.filter(is => !is).length
    : isWhole
      ? 0
      : Math.max(0, lines.length - LINES);
  const first =
    lines.find(line => line.trim())?.trim() ?? blankText(cell, trans);
  const mimeType = mimeOf(cell.type, props.codeMimeType);
  const isThere = props.here.has(cell.cellId);
  const name = cellName(number, trans);
  const label =
    number !== null && cell.changed
      ? trans.__('%1, changed: %2', name, first)
      : trans.__('%1: %2', name, first);
  const open = () =>
    cell.step === null && isThere
      ? onGoTo(cell.cellId)
      : onOpen(cell.cellId, cell.step);
  return (
    <>
      <button
        type="button"
        className="jp-AIServer-Replay-thenCell"
        tabIndex={tabIndex}
        aria-label={label}
        aria-description={change ? countOf(change, trans) : undefined}
        title={trans.__('Show how this cell was made up to this point')}
        onClick={open}
      >
        <span className="jp-AIServer-Replay-prompt">{number ?? '–'}</span>
        {change ? (
          <ChangedCode
            before={before!}
            code={source}
            mimeType={mimeType}
            lines={change}
            isShown={isShown}
          />
        ) : source.trim() ? (
          <StaticCode
            code={hidden ? lines.slice(0, LINES).join('\n') : source}
            mimeType={mimeType}
          />
        ) : (
          <span className="jp-AIServer-Replay-nothing">
            {blankText(cell, trans)}
          </span>
        )}
      </button>
      {isThere && (
        <button
          type="button"
          className="jp-AIServer-Replay-link jp-AIServer-Replay-goTo"
          tabIndex={tabIndex}
          onClick={() => onGoTo(cell.cellId)}
        >
          {trans.__('Go to the cell')}
        </button>
      )}
      <span className="jp-AIServer-Replay-thenActions">
        {number === null && (
          <span className="jp-AIServer-Replay-chip jp-mod-bad">
            {trans.__('deleted')}
          </span>
        )}
        {cell.step === null && source.trim() && (
          <span
            className="jp-AIServer-Replay-chip"
            title={trans.__(
              'This cell had no history yet. This is its content when it was first recorded.'
            )}
          >
            {trans.__('first recorded version')}
          </span>
        )}
        {hidden > 0 && (
          <button
            type="button"
            className="jp-AIServer-Replay-link"
            tabIndex={tabIndex}
            onClick={() => setWhole(true)}
          >
            {trans._n('%1 more line', '%1 more lines', hidden)}
          </button>
        )}
        {!isThere && props.canBringBack && (
          <BringBack {...props} cellId={cell.cellId} />
        )}
      </span>
    </>
  );
}

export function BringBack(props: {
  cellId: string;
  tabIndex: 0 | -1;
  onBringBack: (cellId: string) => void;
}): React.JSX.Element {
  const { cellId, tabIndex, onBringBack } = props;
  const { trans } = useReplay();
  return (
    <button
      type="button"
      className="jp-AIServer-Replay-link"
      tabIndex={tabIndex}
      title={trans.__('Put this cell back where it was in the notebook')}
      onClick={() => onBringBack(cellId)}
    >
      <undoIcon.react tag="span" />
      {trans.__('Restore cell')}
    </button>
  );
}

/** The cells in order, each deleted one behind the cell that it stood behind. */
function rowsOf(then: NotebookSnapshot): IRow[] {
  const gone = new Map<string | null, CellSnapshot[]>();
  const known = new Set([...then.cells, ...then.gone].map(one => one.cellId));
  const lost: CellSnapshot[] = [];
  for (const cell of then.gone) {
    const { after } = cell;
    if (after === undefined || (after !== null && !known.has(after))) {
      lost.push(cell);
    } else {
      gone.set(after, [...(gone.get(after) ?? []), cell]);
    }
  }
  const rows: IRow[] = [];
  const put = (cell: CellSnapshot, number: number | null) => {
    rows.push({ cell, number });
    putBehind(cell.cellId);
  };
  const putBehind = (cellId: string | null) => {
    const behind = gone.get(cellId) ?? [];
    gone.delete(cellId);
    behind.forEach(cell => put(cell, null));
  };
  putBehind(null);
  then.cells.forEach((cell, index) => put(cell, index + 1));
  [...gone.values()]
    .flat()
    .concat(lost)
    .forEach(cell => put(cell, null));
  return rows;
}

function classOf({ cell, number }: IRow, tone: DotKind): string {
  const classes = [
    number === null ? 'jp-mod-gone' : '',
    cell.changed ? `jp-mod-changed jp-mod-${tone}` : '',
    cell.type === 'code' ? '' : 'jp-mod-text'
  ];
  return classes.filter(Boolean).join(' ');
}

/** Which lines of a changed cell are drawn: of a long one those around what changed. */
function shownOf(change: readonly IChangedLine[], isWhole: boolean): boolean[] {
  let left = isWhole || change.length <= LINES ? Infinity : 2 * LINES;
  const isNear =
    left === Infinity ? change.map(() => true) : aroundChanges(change);
  return isNear.map(is => is && left-- > 0);
}

function countOf(
  change: readonly IChangedLine[],
  trans: TranslationBundle
): string {
  const count = (wanted: IChangedLine['kind']) =>
    change.filter(({ kind }) => kind === wanted).length;
  const [added, removed] = [count('added'), count('removed')];
  return trans.__('Lines added: %1, removed: %2', added, removed);
}

/** What a cell says that has no source to show. */
function blankText(cell: CellSnapshot, trans: TranslationBundle): string {
  if (cell.missing !== undefined) {
    return tooLargeText(cell.missing, trans);
  }
  return cell.step === null ? trans.__('not recorded yet') : trans.__('empty');
}

function heightOf({ source, before }: CellSnapshot): number {
  const count = (text: string) => text.split('\n').length;
  // As if half of what it was before went.
  const lines = count(source) + (before ? count(before) >> 1 : 0);
  return 12 + Math.min(lines, LINES) * LINE_PX + (lines > LINES ? 20 : 0);
}

function mimeOf(type: string, codeMimeType: string): string {
  return type === 'code'
    ? codeMimeType
    : type === 'markdown'
      ? 'text/x-ipythongfm'
      : 'text/plain';
}
