/** A snapshot of the notebook: its cells in order, with deleted cells at their old positions. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { undoIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { CellSnapshot, NotebookSnapshot } from '../../../api/types';
import { cellName } from '../../../labels/cellNames';
import { ChangedCode } from './changedCode';
import {
  areNearChanges,
  changedLines,
  countLines,
  IChangedLine
} from '../../../diff/changedLines';
import { Chip, LinkButton } from '../buttons';
import { useReplay } from '../context';
import { StaticCode } from '../staticCode';
import { VirtualList } from '../../../ui/virtualList';
import { type DotKind, tooLargeText } from '../../../labels/stepLabels';

/** The number of lines that are shown of a cell until the person expands it. */
const MAX_LINES = 12;
const LINE_HEIGHT_PX = 17;

export interface IMomentCellsProps {
  snapshot: NotebookSnapshot;
  /** The moment's colour. */
  tone: DotKind;
  codeMimeType: string;
  /** The ids of the cells that are in the notebook now. */
  presentIds: ReadonlySet<string>;
  canUndelete: boolean;
}

interface IRow {
  readonly cell: CellSnapshot;
  /** The position among the snapshot's cells, from 1; null for a deleted cell. */
  readonly number: number | null;
}

export const MomentCells = React.memo(function MomentCells(
  props: IMomentCellsProps
): React.JSX.Element {
  const { snapshot } = props;
  const { trans } = useReplay();
  const rows = React.useMemo(() => buildRows(snapshot), [snapshot]);
  const firstChanged = rows.findIndex(({ cell }) => cell.changed);
  return (
    <VirtualList
      className="jp-AIServer-Replay-snapshot"
      label={trans.__('Notebook at this point')}
      count={rows.length}
      keyOf={index => rows[index].cell.cellId}
      estimate={index => estimateHeight(rows[index].cell)}
      current={firstChanged}
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
  const { cell, number, tabIndex } = props;
  const { model, trans } = useReplay();
  const [isExpanded, setExpanded] = React.useState(false);
  const { before, source } = cell;
  const change = React.useMemo(
    () => (before === undefined ? null : changedLines(before, source)),
    [before, source]
  );
  const lines = source.split('\n');
  const isShown = change ? visibleLines(change, isExpanded) : [];
  const hiddenCount = change
    ? isShown.filter(isLineShown => !isLineShown).length
    : isExpanded
      ? 0
      : Math.max(0, lines.length - MAX_LINES);
  const firstLine =
    lines.find(line => line.trim())?.trim() ?? blankText(cell, trans);
  const mimeType = mimeOf(cell.type, props.codeMimeType);
  const isInNotebook = props.presentIds.has(cell.cellId);
  const name = cellName(number, trans);
  const label =
    number !== null && cell.changed
      ? trans.__('%1, changed: %2', name, firstLine)
      : trans.__('%1: %2', name, firstLine);
  const goTo = () => void model.goTo(cell.cellId);
  const open = () =>
    cell.step === null && isInNotebook
      ? goTo()
      : void model.showStep(cell.cellId, { step: cell.step });
  return (
    <>
      <button
        type="button"
        className="jp-AIServer-Replay-snapshotCell"
        tabIndex={tabIndex}
        aria-label={label}
        aria-description={change ? describeChange(change, trans) : undefined}
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
            code={hiddenCount ? lines.slice(0, MAX_LINES).join('\n') : source}
            mimeType={mimeType}
          />
        ) : (
          <span className="jp-AIServer-Replay-nothing">
            {blankText(cell, trans)}
          </span>
        )}
      </button>
      {isInNotebook && (
        <LinkButton
          className="jp-AIServer-Replay-goTo"
          tabIndex={tabIndex}
          onClick={goTo}
        >
          {trans.__('Go to the cell')}
        </LinkButton>
      )}
      <span className="jp-AIServer-Replay-rowActions">
        {number === null && <Chip tone="bad">{trans.__('deleted')}</Chip>}
        {cell.step === null && source.trim() && (
          <Chip
            title={trans.__(
              'This cell had no history yet. This is its content when it was first recorded.'
            )}
          >
            {trans.__('first recorded version')}
          </Chip>
        )}
        {hiddenCount > 0 && (
          <LinkButton tabIndex={tabIndex} onClick={() => setExpanded(true)}>
            {trans._n('%1 more line', '%1 more lines', hiddenCount)}
          </LinkButton>
        )}
        {!isInNotebook && props.canUndelete && (
          <UndeleteButton cellId={cell.cellId} tabIndex={tabIndex} />
        )}
      </span>
    </>
  );
}

export function UndeleteButton(props: {
  cellId: string;
  tabIndex: 0 | -1;
}): React.JSX.Element {
  const { cellId, tabIndex } = props;
  const { model, trans } = useReplay();
  return (
    <LinkButton
      tabIndex={tabIndex}
      title={trans.__('Put this cell back where it was in the notebook')}
      onClick={() => void model.undeleteCell(cellId)}
    >
      <undoIcon.react tag="span" />
      {trans.__('Restore cell')}
    </LinkButton>
  );
}

/**
 * Build the rows: the snapshot's cells in order, and each deleted cell below the cell that was
 * above it. A deleted cell whose old position is unknown comes last.
 */
function buildRows(snapshot: NotebookSnapshot): IRow[] {
  const deletedBelow = new Map<string | null, CellSnapshot[]>();
  const allIds = new Set(
    [...snapshot.cells, ...snapshot.gone].map(cell => cell.cellId)
  );
  const unplaced: CellSnapshot[] = [];
  for (const cell of snapshot.gone) {
    const { after } = cell;
    if (after === undefined || (after !== null && !allIds.has(after))) {
      unplaced.push(cell);
    } else {
      deletedBelow.set(after, [...(deletedBelow.get(after) ?? []), cell]);
    }
  }
  const rows: IRow[] = [];
  const add = (cell: CellSnapshot, number: number | null) => {
    rows.push({ cell, number });
    addDeletedBelow(cell.cellId);
  };
  const addDeletedBelow = (cellId: string | null) => {
    const below = deletedBelow.get(cellId) ?? [];
    deletedBelow.delete(cellId);
    below.forEach(cell => add(cell, null));
  };
  addDeletedBelow(null);
  snapshot.cells.forEach((cell, index) => add(cell, index + 1));
  [...deletedBelow.values()]
    .flat()
    .concat(unplaced)
    .forEach(cell => add(cell, null));
  return rows;
}

function classOf({ cell, number }: IRow, tone: DotKind): string {
  const classes = [
    number === null ? 'jp-mod-deleted' : '',
    cell.changed ? `jp-mod-changed jp-mod-${tone}` : '',
    cell.type === 'code' ? '' : 'jp-mod-text'
  ];
  return classes.filter(Boolean).join(' ');
}

/**
 * Return for each line of a changed cell whether it is drawn. In a long cell, only lines near a
 * change are drawn, and at most `2 * MAX_LINES` of them.
 */
function visibleLines(
  change: readonly IChangedLine[],
  isExpanded: boolean
): boolean[] {
  if (isExpanded || change.length <= MAX_LINES) {
    return change.map(() => true);
  }
  let remainingLines = 2 * MAX_LINES;
  return areNearChanges(change).map(isNear => isNear && remainingLines-- > 0);
}

function describeChange(
  change: readonly IChangedLine[],
  trans: TranslationBundle
): string {
  const { added, removed } = countLines(change);
  return trans.__('Lines added: %1, removed: %2', added, removed);
}

/** Return the text that is shown for a cell without a source. */
function blankText(cell: CellSnapshot, trans: TranslationBundle): string {
  if (cell.missing !== undefined) {
    return tooLargeText(cell.missing, trans);
  }
  return cell.step === null ? trans.__('not recorded yet') : trans.__('empty');
}

/** Estimate the height of a cell's row before it is rendered, in pixels. */
function estimateHeight({ source, before }: CellSnapshot): number {
  const count = (text: string) => text.split('\n').length;
  // Assume that half of the previous lines were removed and are shown, too.
  const lines = count(source) + (before ? count(before) >> 1 : 0);
  return (
    12 +
    Math.min(lines, MAX_LINES) * LINE_HEIGHT_PX +
    (lines > MAX_LINES ? 20 : 0)
  );
}

function mimeOf(type: string, codeMimeType: string): string {
  return type === 'code'
    ? codeMimeType
    : type === 'markdown'
      ? 'text/x-ipythongfm'
      : 'text/plain';
}
