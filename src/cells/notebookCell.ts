/**
 * A cell of an open notebook, identified by its id: its widget may be recreated at any time (a move
 * is a deletion and an insertion with the same id) or removed.
 */
import type { Cell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { CellType, ContextCell } from '../api/types';
import type { INotebookIdentity, ITracking } from '../tokens';
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
    readonly panel: NotebookPanel,
    readonly cellId: string,
    private readonly _identity: INotebookIdentity,
    private readonly _trans: TranslationBundle,
    private readonly _tracking: ITracking | null = null
  ) {}

  notebookId(): string | null {
    return this._identity.get(this.panel);
  }

  async ensure(): Promise<string> {
    if (findCell(this.panel, this.cellId)?.readOnly) {
      throw new Error(
        this._trans.__('This cell is read-only. Make it editable, then ask.')
      );
    }
    this._tracking?.captureBeforeRequest(this.panel);
    const notebookId = await this._identity.ensure(this.panel);
    // Earlier changes must precede the request in the record.
    await this._tracking?.flushed(this.panel);
    return notebookId;
  }

  source(): string | null {
    return (
      findCell(this.panel, this.cellId)?.model.sharedModel.getSource() ?? null
    );
  }

  error(): string | null {
    return cellErrorText(findCell(this.panel, this.cellId));
  }

  apply(source: string): boolean {
    const cell = findCell(this.panel, this.cellId);
    if (!cell || cell.readOnly) {
      return false;
    }
    applySource(cell, source);
    return true;
  }

  get isReadOnly(): boolean {
    return isReadOnly(this.panel);
  }

  get cellType(): CellType {
    return toCellType(findCell(this.panel, this.cellId)?.model.type ?? 'code');
  }

  surroundings(): {
    language: string;
    cellType: CellType;
    context: { cells: ContextCell[]; kernel: string };
    notebookPath: string;
  } {
    const model = this.panel.context.model;
    return {
      language: languageOf(this.panel),
      cellType: this.cellType,
      context: {
        cells: cellsBefore(model, this.cellId),
        kernel: kernelOf(this.panel)
      },
      notebookPath: this.panel.context.localPath
    };
  }
}
