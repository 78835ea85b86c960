/** Shows the notebook after one moment, with deleted cells at their old positions. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { classes, undoIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { CellSnapshot, NotebookSnapshot } from '../../../api/types';
import { cellName } from '../../../labels/cellNames';
import { ChangedCode, StaticCode } from '../staticCode';
import {
  areNearChanges,
  changedLines,
  countLines
} from '../../../diff/changedLines';
import { Chip, LinkButton } from '../buttons';
import { useReplay } from '../context';
import { firstLineOf } from '../../model/activeCell';
import { ISnapshotRow, snapshotRows } from '../../model/notebook/timeline';
import { VirtualList } from '../../../ui/virtualList';
import { type DotKind, tooLargeText } from '../../../labels/stepLabels';

/** An unchanged cell shows at most this number of lines until it is expanded. */
const MAX_LINES = 12;
const LINE_HEIGHT_PX = 17;

interface IMomentCellsProps {
  snapshot: NotebookSnapshot;
  tone: DotKind;
  codeMimeType: string;
  currentCellIds: ReadonlySet<string>;
  canUndelete: boolean;
}

export const MomentCells = React.memo(function MomentCells(
  props: IMomentCellsProps
): React.JSX.Element {
  const { snapshot } = props;
  const { trans } = useReplay();
  const rows = React.useMemo(() => snapshotRows(snapshot), [snapshot]);
  const firstChangedRow = rows.findIndex(({ cell }) => cell.changed);
  return (
    <VirtualList
      className="jp-AIServer-Replay-snapshot"
      label={trans.__('Notebook at this point')}
      count={rows.length}
      keyOf={index => rows[index].cell.cellId}
      estimate={index => estimateHeight(rows[index].cell)}
      current={firstChangedRow}
      rowClass={index => rowClass(rows[index], props.tone)}
      render={(index, tabIndex) => (
        <CellRow {...props} {...rows[index]} tabIndex={tabIndex} />
      )}
    />
  );
});

function CellRow(
  props: IMomentCellsProps & ISnapshotRow & { tabIndex: 0 | -1 }
): React.JSX.Element {
  const { cell, number, tabIndex } = props;
  const { model, trans } = useReplay();
  const shown = useShownLines(cell);
  const counts = shown.diffLines ? countLines(shown.diffLines) : undefined;
  const isInNotebook = props.currentCellIds.has(cell.cellId);
  const goTo = () => void model.goTo(cell.cellId);
  // Without a history at this moment, go to the cell itself.
  const showHistory = () =>
    cell.step === null && isInNotebook
      ? goTo()
      : void model.showStep(cell.cellId, { step: cell.step });
  return (
    <>
      <button
        type="button"
        className="jp-AIServer-Replay-snapshotCell"
        tabIndex={tabIndex}
        aria-label={rowLabel(props, trans)}
        aria-description={
          counts &&
          trans.__('Lines added: %1, removed: %2', counts.added, counts.removed)
        }
        title={trans.__('Show this cell’s history up to this point')}
        onClick={showHistory}
      >
        <span className="jp-AIServer-Replay-prompt">{number ?? '–'}</span>
        <CellCode cell={cell} shown={shown} codeMimeType={props.codeMimeType} />
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
        {cell.step === null && cell.source.trim() && (
          <Chip
            title={trans.__(
              'This cell had not been recorded yet at this point. Its first recorded version is shown instead.'
            )}
          >
            {trans.__('first recorded version')}
          </Chip>
        )}
        {shown.hiddenLineCount > 0 && (
          <LinkButton tabIndex={tabIndex} onClick={shown.expand}>
            {trans._n('%1 more line', '%1 more lines', shown.hiddenLineCount)}
          </LinkButton>
        )}
        {!isInNotebook && props.canUndelete && (
          <UndeleteButton cellId={cell.cellId} tabIndex={tabIndex} />
        )}
      </span>
    </>
  );
}

/**
 * Return which lines of a cell are drawn. Of a long one, some are hidden until `expand` is called: of
 * a diff, those that aren't near a change, and of more than `2 * MAX_LINES`, the last ones.
 */
function useShownLines({ before, source }: CellSnapshot) {
  const [isExpanded, setExpanded] = React.useState(false);
  const diffLines = React.useMemo(
    () => (before === undefined ? null : changedLines(before, source)),
    [before, source]
  );
  const lines = source.split('\n');
  let visibility = (diffLines ?? lines).map(
    (_, index) => isExpanded || index < MAX_LINES
  );
  if (diffLines && !isExpanded && diffLines.length > MAX_LINES) {
    let remainingCount = 2 * MAX_LINES;
    visibility = areNearChanges(diffLines).map(
      isNear => isNear && remainingCount-- > 0
    );
  }
  return {
    diffLines,
    visibility,
    text: lines.filter((_, index) => visibility[index]).join('\n'),
    hiddenLineCount: visibility.filter(isShown => !isShown).length,
    expand: () => setExpanded(true)
  };
}

function CellCode(props: {
  cell: CellSnapshot;
  shown: ReturnType<typeof useShownLines>;
  codeMimeType: string;
}): React.JSX.Element {
  const { cell, shown, codeMimeType } = props;
  const { trans } = useReplay();
  const textType =
    cell.type === 'markdown' ? 'text/x-ipythongfm' : 'text/plain';
  const mimeType = cell.type === 'code' ? codeMimeType : textType;
  if (shown.diffLines) {
    return (
      <ChangedCode
        before={cell.before ?? ''}
        code={cell.source}
        mimeType={mimeType}
        lines={shown.diffLines}
        lineVisibility={shown.visibility}
      />
    );
  }
  return cell.source.trim() ? (
    <StaticCode code={shown.text} mimeType={mimeType} />
  ) : (
    <span className="jp-AIServer-Replay-nothing">{blankText(cell, trans)}</span>
  );
}

function rowLabel(
  { cell, number }: ISnapshotRow,
  trans: TranslationBundle
): string {
  const firstLine = firstLineOf(cell.source) || blankText(cell, trans);
  const name = cellName(number, trans);
  return number !== null && cell.changed
    ? trans.__('%1, changed: %2', name, firstLine)
    : trans.__('%1: %2', name, firstLine);
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

function rowClass({ cell, number }: ISnapshotRow, tone: DotKind): string {
  return classes(
    number === null && 'jp-mod-deleted',
    cell.changed && `jp-mod-changed jp-mod-${tone}`,
    cell.type !== 'code' && 'jp-mod-text'
  );
}

/** Return the text that is shown for a cell whose source is blank or was not recorded. */
function blankText(cell: CellSnapshot, trans: TranslationBundle): string {
  if (cell.missing !== undefined) {
    return tooLargeText(cell.missing, trans);
  }
  return cell.step === null ? trans.__('not recorded yet') : trans.__('empty');
}

function estimateHeight({ source, before }: CellSnapshot): number {
  const countOf = (text: string) => text.split('\n').length;
  // Removed lines are shown, too. Assume that the change removed half of the old lines.
  const lineCount = countOf(source) + (before ? countOf(before) >> 1 : 0);
  const padding = 12;
  const expandButtonHeight = lineCount > MAX_LINES ? 20 : 0;
  return (
    padding +
    Math.min(lineCount, MAX_LINES) * LINE_HEIGHT_PX +
    expandButtonHeight
  );
}
