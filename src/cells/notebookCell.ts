/**
 * A cell of an open notebook, found by its id, because the cell's widget may be removed or
 * recreated at any time: a move is a deletion and an insertion with the same id.
 */
import type { Cell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { CellType } from '../api/types';
import type { ICellKey, INotebookIdentity, ITracking } from '../tokens';
import { applySource } from './applySource';
import { cellErrorText } from './cellError';
import { isReadOnly } from './readOnly';
import { cellsBefore, kernelOf, languageOf, toCellType } from './context';

/** The widget of a cell; null if there is none. */
export function findCell(panel: NotebookPanel, cellId: string): Cell | null {
  if (panel.isDisposed || panel.content.isDisposed) {
    return null;
  }
  return panel.content.widgets.find(cell => cell.model?.id === cellId) ?? null;
}

export class NotebookCell {
  constructor(
    private readonly _panel: NotebookPanel,
    readonly cellId: string,
    private readonly _identity: INotebookIdentity,
    private readonly _trans: TranslationBundle,
    private readonly _tracking: ITracking | null = null
  ) {}

  /** The key of the cell's session; null if the notebook has no id yet. */
  key(): ICellKey | null {
    const notebookId = this._identity.get(this._panel);
    return notebookId === null ? null : { notebookId, cellId: this.cellId };
  }

  /**
   * Give the notebook its id and save it, if it can be saved.
   *
   * @throws Error with a sentence for the person.
   */
  async ensure(): Promise<string> {
    if (this._cell?.readOnly) {
      throw new Error(
        this._trans.__('This cell is read-only. Make it editable, then ask.')
      );
    }
    this._tracking?.captureBeforeRequest(this._panel);
    const notebookId = await this._identity.ensure(this._panel);
    // Changes made before the request must be recorded before it.
    await this._tracking?.flushed(this._panel);
    return notebookId;
  }

  /** The cell's code; null if the cell was deleted. */
  source(): string | null {
    return this._cell?.model.sharedModel.getSource() ?? null;
  }

  /** The error that the cell's code ended with, in a few lines; null if there is none. */
  error(): string | null {
    return cellErrorText(this._cell);
  }

  /**
   * Write the cell's code, so that one undo reverts it. Return false if the cell was deleted or is
   * read-only.
   */
  apply(source: string): boolean {
    const cell = this._cell;
    if (!cell || cell.readOnly) {
      return false;
    }
    applySource(cell, source);
    return true;
  }

  get notebookPath(): string {
    return this._panel.context.localPath;
  }

  /** Whether changes of the cell can't be saved. */
  get isReadOnly(): boolean {
    return isReadOnly(this._panel);
  }

  /** The cell's current type; a person may change it. */
  get cellType(): CellType {
    return toCellType(this._cell?.model.type ?? 'code');
  }

  /** The part of the request that describes the notebook around the cell. */
  surroundings() {
    const { model } = this._panel.context;
    return {
      language: languageOf(this._panel),
      cellType: this.cellType,
      context: {
        cells: cellsBefore(model, this.cellId),
        kernel: kernelOf(this._panel)
      }
    };
  }

  private get _cell(): Cell | null {
    return findCell(this._panel, this.cellId);
  }
}
