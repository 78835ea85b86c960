/** The dialog that shows what the undo of a run does, and asks whether to do it. */
import { Dialog, ReactWidget, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { UndoneRun, CellPlan } from '../../../api/types';
import { cellName } from '../../../labels/cellNames';
import { conflictText, undoText } from './agentLabels';

interface IPreviewProps {
  readonly undo: UndoneRun;
  readonly numberOf: (cellId: string) => number | null;
  readonly trans: TranslationBundle;
}

/** Ask whether to undo a run, and to run the changed cells. Resolves to null if the person cancels. */
export async function confirmUndo(
  title: string,
  props: IPreviewProps
): Promise<'undo' | 'run' | null> {
  const { trans, undo: result } = props;
  const body = ReactWidget.create(<UndoPreview {...props} />);
  body.addClass('jp-AIServer-Agents-undo');
  const close = Dialog.cancelButton({ label: trans.__('Cancel') });
  const hasChanges = changesAny(result);
  const undo = Dialog.okButton({ label: trans.__('Undo') });
  const run = Dialog.okButton({
    label: trans.__('Undo and run'),
    caption: trans.__('Then run the cells that have changed')
  });
  const { button } = await showDialog({
    title,
    body,
    defaultButton: hasChanges ? 1 : 0,
    buttons: [
      close,
      ...(hasChanges ? [undo] : []),
      ...(changedCells(result).length ? [run] : [])
    ]
  });
  if (!button.accept) {
    return null;
  }
  return button.label === run.label ? 'run' : 'undo';
}

/** Return the ids of the cells that have another source, or are there again, after an undo. */
export function changedCells({ cells }: UndoneRun): string[] {
  return cells
    .filter(({ after, now }) => after !== null && after !== now)
    .map(({ cellId }) => cellId);
}

/** Whether the undo changes a cell, or shows a conflict in one. */
function changesAny({ cells }: UndoneRun): boolean {
  return cells.some(
    ({ action, conflicts }) => action !== 'keep' || conflicts.length > 0
  );
}

export function UndoPreview(props: IPreviewProps): React.JSX.Element {
  const { undo, numberOf, trans } = props;
  const { cells } = undo;
  const hasChanges = changesAny(undo);
  return (
    <>
      <p>
        {hasChanges
          ? trans.__(
              'What others have written since stays, and so do variables in the kernel. You can redo this later.'
            )
          : trans.__('There is nothing to undo any more.')}
      </p>
      <ul aria-label={trans.__('Cells')}>
        {cells.map(cell => (
          <li key={cell.cellId} className={`jp-mod-${cell.action}`}>
            <p>
              <b>{cellName(numberOf(cell.cellId), trans)}</b>{' '}
              {undoText(cell, trans)}
            </p>
            {cell.conflicts.map(({ lines, before }) => (
              <div key={lines.join()} className="jp-mod-conflict" role="note">
                <p>{conflictText(lines, trans)}</p>
                {before && (
                  <>
                    <p>{trans.__('Before the agent:')}</p>
                    <pre>{before}</pre>
                  </>
                )}
              </div>
            ))}
            <Result cell={cell} trans={trans} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The source that the cell gets, unless it stays or goes. */
function Result(props: {
  cell: CellPlan;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { cell, trans } = props;
  return cell.after !== null && cell.after !== cell.now ? (
    <details>
      <summary>{trans.__('Show the cell as it will be')}</summary>
      <pre>{cell.after}</pre>
    </details>
  ) : null;
}
