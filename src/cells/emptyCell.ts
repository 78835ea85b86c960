/**
 * An empty code cell for a request that isn't about the active cell's code.
 *
 * Invariants:
 * - Inserting it is one step that JupyterLab's Undo reverts.
 * - Only an empty cell is removed. This leaves no undo step, so the next Undo reverts what came
 *   before the cell.
 */
import type { YNotebook } from '@jupyter/ydoc';
import { type Cell, CodeCell } from '@jupyterlab/cells';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';

import { findCell } from './notebookCell';
import { runAsOwnWrite } from './ownWrites';
import { isReadOnly } from './readOnly';
import { sourceOf } from './source';

/**
 * Return the active cell if it is an empty code cell; otherwise insert one below it. In a read-only
 * notebook, return the active cell, whose row says why it can't be used.
 */
function emptyCell(panel: NotebookPanel): Cell | null {
  const { content } = panel;
  const { activeCell } = content;
  const isEmptyCode = activeCell instanceof CodeCell && isEmpty(activeCell);
  if (!isEmptyCode && !isReadOnly(panel)) {
    runAsOwnWrite(() => {
      NotebookActions.insertBelow(content);
      if (!(content.activeCell instanceof CodeCell)) {
        NotebookActions.changeCellType(content, 'code');
      }
    });
  }
  return content.activeCell;
}

/** The cells that were inserted for requests, and from which nothing was sent yet. */
export class NewCells {
  constructor(private readonly _panel: NotebookPanel) {}

  /** Call `emptyCell`. `text` is inserted into the prompt row of a new cell. */
  provide(text: string): Cell | null {
    const { activeCell } = this._panel.content;
    const cell = emptyCell(this._panel);
    if (cell && cell !== activeCell) {
      this._texts.set(cell.model.id, text.trim());
    }
    return cell;
  }

  /** Called when a click, not the person's typing, has changed the text of a cell's row. */
  onInserted(cellId: string, before: string, after: string): void {
    if (this._texts.get(cellId) === before.trim()) {
      this._texts.set(cellId, after.trim());
    }
  }

  onSent(cellId: string): void {
    this._texts.delete(cellId);
  }

  /**
   * Called when a cell's row that contained `text` was closed. If nothing was sent from a new cell,
   * and nobody has written into it or its row, remove it and activate the cell above. Where others
   * have the notebook open, it stays, because they may use it. Return whether it was removed.
   */
  onClosed(cellId: string, text: string): boolean {
    const inserted = this._texts.get(cellId);
    this._texts.delete(cellId);
    const cell = findCell(this._panel, cellId);
    const { content } = this._panel;
    const shared = content.model?.sharedModel;
    const isUnused = ['', inserted].includes(text.trim());
    if (
      inserted === undefined ||
      !isUnused ||
      !cell ||
      !isEmpty(cell) ||
      !shared ||
      (shared as YNotebook).awareness?.getStates().size > 1 ||
      isReadOnly(this._panel)
    ) {
      return false;
    }
    const index = content.widgets.indexOf(cell);
    if (content.activeCell === cell) {
      content.mode = 'command';
      content.activeCellIndex = Math.max(0, index - 1);
    }
    runAsOwnWrite(() => shared.transact(() => shared.deleteCell(index), false));
    return true;
  }

  /** The text that was inserted into the row of each cell. */
  private readonly _texts = new Map<string, string>();
}

function isEmpty(cell: Cell): boolean {
  return !sourceOf(cell.model.sharedModel).trim();
}
