/**
 * The subject of the replay: the active cell of the current notebook. Invariants: nothing is cached.
 * While `isActive` is false, no signal of the notebook is connected.
 */
import type {
  ISharedCell,
  ISharedNotebook,
  SharedCell,
  YNotebook
} from '@jupyter/ydoc';
import type { Cell, ICellModel } from '@jupyterlab/cells';
import {
  INotebookTracker,
  NotebookActions,
  NotebookPanel
} from '@jupyterlab/notebook';
import { ISignal, Signal } from '@lumino/signaling';

import { applySource } from '../../cells/applySource';
import { runAsOwnWrite } from '../../cells/ownWrites';
import { isReadOnly } from '../../cells/readOnly';
import { sourceOf } from '../../cells/source';
import type { INotebookIdentity } from '../../tokens';

/** The part of `ActiveCell` that the models use. The tests implement it with a fake. */
export type IReplaySubject = Omit<ActiveCell, 'dispose'>;

export class ActiveCell {
  constructor(
    private readonly _tracker: INotebookTracker,
    private readonly _identity: INotebookIdentity
  ) {}

  /** Emitted when the active cell or its notebook changes, but never while `isActive` is false. */
  readonly changed: Signal<IReplaySubject, SubjectChange> = new Signal(this);

  get isActive(): boolean {
    return this._isActive;
  }
  set isActive(value: boolean) {
    if (value === this._isActive) {
      return;
    }
    this._isActive = value;
    if (value) {
      this._tracker.currentChanged.connect(this._onActiveCell, this);
      this._tracker.activeCellChanged.connect(this._onActiveCell, this);
      this._identity.changed.connect(this._onIdentity, this);
      NotebookActions.executed.connect(this._onExecuted, this);
      this._connect();
    } else {
      this._disconnect();
      Signal.disconnectReceiver(this);
    }
  }

  get hasNotebook(): boolean {
    return this._panel !== null;
  }

  /** The current notebook's id; null if no notebook is open, or if the notebook has no id yet. */
  get notebookId(): string | null {
    return this._panel && this._identity.get(this._panel);
  }

  get cell(): ICellInfo | null {
    const { _cell: cell } = this;
    // `activeCellIndex` is outdated while cells are being inserted or removed.
    return cell && describeCell(cell.model, this.numberOf(cell.model.id) ?? 1);
  }

  get source(): string {
    return this._cell ? sourceOf(this._cell.model.sharedModel) : '';
  }

  get mimeType(): string {
    return this._cell?.model.mimeType ?? this.codeMimeType;
  }

  get codeMimeType(): string {
    return this._panel?.content.codeMimetype ?? 'text/plain';
  }

  get isWritable(): boolean {
    const { _cell: cell, _panel: panel } = this;
    return !!cell && !cell.readOnly && !!panel && !isReadOnly(panel);
  }

  get canUndelete(): boolean {
    const { _panel: panel } = this;
    return !!panel?.content.model && !isReadOnly(panel);
  }

  get canInsert(): boolean {
    return !!this._cell && !!this._panel && !isReadOnly(this._panel);
  }

  cells(): ICellInfo[] {
    const cells = this._panel?.content.model?.cells ?? [];
    return Array.from(cells, (cell, index) => describeCell(cell, index + 1));
  }

  allSources(): { type: string; source: string }[] {
    const cells = this._shared?.cells ?? [];
    return cells.map(cell => ({
      type: cell.cell_type as string,
      source: sourceOf(cell)
    }));
  }

  /** Return a cell's position in the current notebook, from 1; null if the cell isn't in it. */
  numberOf(cellId: string): number | null {
    const cells = this._shared?.cells ?? [];
    return cells.findIndex(({ id }) => id === cellId) + 1 || null;
  }

  /** Replace the active cell's source. One undo reverts this. */
  apply(source: string): void {
    if (this._cell) {
      applySource(this._cell, source);
    }
  }

  /**
   * Insert a deleted cell with its old id, in one undo step, and return whether this was done. It
   * comes below the first of `cellsAbove` (the ids of the cells that were above it, the nearest
   * first) that is still in the notebook; at the end if they are unknown (null).
   */
  undeleteCell(
    cell: { id: string; type: string; source: string },
    cellsAbove: readonly string[] | null
  ): boolean {
    const { _shared: shared } = this;
    if (!shared || !this.canUndelete) {
      return false;
    }
    const ids = shared.cells.map(({ id }) => id);
    if (ids.includes(cell.id)) {
      return false; // Another page has restored the cell already.
    }
    const idAbove = cellsAbove?.find(id => ids.includes(id));
    const index =
      cellsAbove === null ? ids.length : ids.indexOf(idAbove ?? '') + 1;
    const { id, type, source } = cell;
    const cellType = type === 'code' || type === 'raw' ? type : 'markdown';
    inOneUndoStep(shared, () =>
      insertCell(shared, index, { id, cell_type: cellType, source })
    );
    return true;
  }

  /**
   * Give the active cell the id, and so the history, of a deleted cell, in one undo step. The active
   * cell's own history becomes that of a deleted cell. Return whether this was done.
   */
  takeHistory(cellId: string): boolean {
    const { _shared: shared } = this;
    if (!shared || !this._cell || !this.canUndelete || this.numberOf(cellId)) {
      return false;
    }
    const index = this.numberOf(this._cell.model.id)! - 1;
    const cell = {
      ...this._cell.model.toJSON(),
      id: cellId
    } as SharedCell.Cell;
    inOneUndoStep(shared, () =>
      runAsOwnWrite(() =>
        shared.transact(() => {
          shared.insertCell(index, cell);
          shared.deleteCell(index + 1);
        })
      )
    );
    return true;
  }

  /** Insert a cell of the active cell's type below it, and scroll there, without activating it. */
  insertBelow(source: string): void {
    const { _cell: active, _panel: panel, _shared: shared } = this;
    if (!this.canInsert || !active || !panel || !shared) {
      return;
    }
    const index = panel.content.activeCellIndex + 1;
    insertCell(shared, index, { cell_type: active.model.type, source });
    void panel.content.scrollToItem(index, 'smart').catch(() => undefined);
  }

  undo(): void {
    (this._cell?.model.sharedModel as ISharedCell | undefined)?.undo();
  }

  async goTo(cellId: string): Promise<void> {
    const notebook = this._panel?.content;
    const index = notebook?.widgets.findIndex(cell => cell.model.id === cellId);
    if (!notebook || index === undefined || index < 0) {
      return;
    }
    notebook.mode = 'command';
    notebook.activeCellIndex = index;
    notebook.deselectAll();
    await notebook.scrollToItem(index, 'smart').catch(() => undefined);
  }

  dispose(): void {
    this.isActive = false;
    Signal.clearData(this);
  }

  private get _panel(): NotebookPanel | null {
    return this._tracker.currentWidget;
  }

  private get _shared(): ISharedNotebook | undefined {
    return this._panel?.content.model?.sharedModel;
  }

  private get _cell(): Cell | null {
    // Don't use `tracker.activeCell`: while another notebook becomes current, it is still a cell of
    // the previous notebook.
    return this._panel?.content.activeCell ?? null;
  }

  private _connect(): void {
    const model = this._cell?.model ?? null;
    const cells = this._panel?.content.model?.cells ?? null;
    if (model === this._model && cells === this._cells) {
      return;
    }
    this._disconnect();
    this._model = model;
    this._cells = cells;
    model?.contentChanged.connect(this._onSource, this);
    model?.stateChanged.connect(this._onCells, this);
    cells?.changed.connect(this._onCells, this);
  }

  private _disconnect(): void {
    this._model?.contentChanged.disconnect(this._onSource, this);
    this._model?.stateChanged.disconnect(this._onCells, this);
    this._cells?.changed.disconnect(this._onCells, this);
    this._model = this._cells = null;
  }

  private _onActiveCell(): void {
    this._connect();
    this.changed.emit('activeCell');
  }

  private _onIdentity(_: INotebookIdentity, panel: NotebookPanel): void {
    if (panel === this._panel) {
      this._onActiveCell();
    }
  }

  private _onExecuted(_: unknown, args: { notebook: unknown }): void {
    if (args.notebook === this._panel?.content) {
      this.changed.emit('cells');
    }
  }

  private _onSource(): void {
    this.changed.emit('source');
  }

  private _onCells(): void {
    this.changed.emit('cells');
  }

  /** The list of cells, and the model of the cell, whose signals are connected. */
  private _cells: { changed: ISignal<unknown, unknown> } | null = null;
  private _model: ICellModel | null = null;
  private _isActive = false;
}

/** Don't combine a change with the changes before it and after it into one undo step. */
function inOneUndoStep(shared: ISharedNotebook, change: () => void): void {
  const { undoManager } = shared as YNotebook;
  undoManager?.stopCapturing();
  change();
  undoManager?.stopCapturing();
}

function insertCell(
  shared: ISharedNotebook,
  index: number,
  cell: SharedCell.Cell
): void {
  // Trust the cell, as JupyterLab trusts new cells: it has no outputs that could be unsafe.
  const metadata = cell.cell_type === 'code' ? { trusted: true } : {};
  runAsOwnWrite(() => shared.insertCell(index, { ...cell, metadata }));
}

function describeCell(model: ICellModel, number: number): ICellInfo {
  return {
    id: model.id,
    type: model.type,
    number,
    firstLine: firstLineOf(sourceOf(model.sharedModel))
  };
}

export interface ICellInfo {
  readonly id: string;
  /** `code`, `markdown` or `raw`. */
  readonly type: string;
  readonly number: number;
  readonly firstLine: string;
}

/** Return the first line that is not blank, without its indentation; '' if all lines are blank. */
export function firstLineOf(source: string): string {
  return /\S.*/.exec(source)?.[0].trimEnd() ?? '';
}

/**
 * `activeCell`: another cell, notebook or id of the notebook · `source`: the active cell's source ·
 * `cells`: the list of cells, the active cell's state, or a run.
 */
export type SubjectChange = 'activeCell' | 'source' | 'cells';
