/**
 * Manages the `GenerationModel` and the view of each cell of one notebook.
 *
 * Invariants: a cell keeps its model as long as the notebook is open, also when deleted, because
 * undo can restore it. A view belongs to a cell's widget: a moved cell gets a new one.
 */
import { Cell, MarkdownCell } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import type { GenerationModel } from '../model/generation';
import { ISelection, selectLines } from '../model/context/selection';
import type { Remedy } from '../model/problems';
import type { Notice } from '../model/state';
import { findCell } from '../../cells/notebookCell';
import { NewCells } from '../../cells/emptyCell';
import { repairCellIds } from '../../cells/cellIds';
import { type KernelEvent, KernelEvents } from '../../kernel/kernelEvents';
import type { IWaitingProposal } from '../../tokens';
import { focusAfterPalette } from '../../ui/palette';
import { CellAskView } from './cellAskView';
import type { IPromptRowServices } from './row';
import { explainErrorRequest, fixRequest, noticeText } from './promptLabels';

export interface INotebookAskManagerOptions extends IPromptRowServices {
  panel: NotebookPanel;
  createModel: (cellId: string) => GenerationModel;
  newEditor: CodeEditor.Factory;
  /** Called when a row closes whose event isn't recorded yet, or can't be. */
  onUnsaved: (text: string) => void;
  onCellDeleted: (model: GenerationModel) => void;
}

export class NotebookAskManager implements IDisposable {
  constructor(private readonly _options: INotebookAskManagerOptions) {
    const { panel } = _options;
    this._panel = panel;
    this._newCells = new NewCells(panel);
    const notebook = panel.content;
    // After a microtask, JupyterLab's listeners have created the widgets of new cells.
    notebook.model?.cells.changed.connect(
      () => void Promise.resolve().then(() => this._syncViews()),
      this
    );
    notebook.activeCellChanged.connect(this._moveFocusToRow, this);
    notebook.stateChanged.connect(this._moveFocusToRow, this);
    this._kernelEvents = new KernelEvents(panel.sessionContext);
    this._kernelEvents.emitted.connect(this._onKernelEvent, this);
    panel.disposed.connect(this.dispose, this);
  }

  isDisposed = false;

  /** Emitted when the kernel is idle after a start or a run. */
  readonly hasRun = new Signal<this, void>(this);

  get(cell: Cell | null): GenerationModel | null {
    return cell && this.find(cell.model.id);
  }

  find(cellId: string): GenerationModel | null {
    return this._models.get(cellId) ?? null;
  }

  get services(): IPromptRowServices {
    return this._options;
  }

  get hasOpenRow(): boolean {
    const models = [...this._models.values()];
    return models.some(({ state }) => state.phase !== 'idle');
  }

  open(cell: Cell, pickDataFrames = false): void {
    if (this._panel.content.model) {
      repairCellIds(this._panel.content.model);
    }
    const model = this._modelOf(cell.model.id);
    void this._options.recipes.load();
    model.open(this._selectionOf(cell));
    const view = this._showView(cell, model);
    if (pickDataFrames) {
      view.row.pickDataFrames(true);
    } else {
      focusAfterPalette(() => view.row.focus());
    }
    void cell.ready.then(() => view.scrollIntoView());
  }

  /** See `IPromptRows.showProposal`. */
  async showProposal(
    cellId: string,
    takesFocus = false
  ): Promise<IWaitingProposal | null> {
    const model = this._modelOf(cellId);
    const proposal = await model.showProposal();
    const cell = proposal && findCell(this._panel, cellId);
    if (!cell) {
      return null;
    }
    const view = this._showView(cell, model);
    if (takesFocus) {
      focusAfterPalette(() => view.row.focus());
      void cell.ready.then(() => view.scrollIntoView());
    }
    return proposal;
  }

  private _modelOf(cellId: string): GenerationModel {
    let model = this._models.get(cellId);
    if (!model) {
      model = this._options.createModel(cellId);
      model.changed.connect(this._onModelChanged, this);
      this._models.set(cellId, model);
    }
    return model;
  }

  /**
   * Return the active cell if its row is open or it is an empty code cell, else a new cell below,
   * which is removed if the row is closed before anything was sent or written.
   */
  cellForNewCode(text = ''): Cell | null {
    const { activeCell } = this._panel.content;
    return this._isOpen(activeCell) ? activeCell : this._newCells.provide(text);
  }

  /** If the row's input field is empty, insert the beginning of a request. */
  openWith(cell: Cell, text: string): void {
    this.open(cell);
    const view = this._views.get(cell.model.id);
    if (view && !view.model.inputText.trim()) {
      view.row.setText(text);
    }
  }

  /** Open the row with an earlier request and these DataFrames. ArrowUp brings back typed text. */
  async openWithCurrentData(
    cell: Cell,
    text: string,
    names: readonly string[]
  ): Promise<void> {
    this.open(cell);
    const view = this._views.get(cell.model.id);
    if (!view || view.model.isBusy) {
      view?.model.setState({ notice: 'busy' });
      return;
    }
    const { model, row } = view;
    const typed = (model.inputText || model.state.draft).trim();
    if (typed && typed !== text.trim()) {
      model.intents.add(typed);
      model.setState({ notice: 'text_replaced' });
    } else if (model.suggestion) {
      model.setState({ notice: 'changes_suggestion' });
    }
    row.setText(text);
    model.setState({ levels: new Map(), levelStatus: null, shared: [] });
    await model.chooseFrames(names, this._options.listDataFrames);
  }

  insertText(cell: Cell, text: string): void {
    const { id } = cell.model;
    if (!this._isOpen(cell) || !this._views.has(id)) {
      this.open(cell);
    }
    const view = this._views.get(id);
    if (view) {
      const before = view.model.inputText;
      view.row.insertText(text);
      this._newCells.onInserted(id, before, view.model.inputText);
      view.scrollIntoView();
    }
  }

  fix(cell: Cell): void {
    this.open(cell);
    const { trans } = this._options;
    void this.get(cell)?.fix((error, problems) =>
      fixRequest(error, problems, trans)
    );
  }

  /** A line to add is shown as a diff. */
  applyRemedy(cell: Cell, remedy: Remedy): void {
    if (remedy === null) {
      this._options.runCellsAbove(cell.model.id);
      return;
    }
    this.open(cell);
    const model = this.get(cell);
    if (model) {
      model.decision.offerLine(remedy);
    }
  }

  explainError(cell: Cell): void {
    this.open(cell);
    const model = this.get(cell);
    const error = model?.target.error();
    if (error) {
      void model?.ask(explainErrorRequest(error, this._options.trans), '');
    }
  }

  private _isOpen(cell: Cell | null): boolean {
    return (this.get(cell)?.state.phase ?? 'idle') !== 'idle';
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.isDisposed = true;
    Signal.clearData(this);
    this._kernelEvents.dispose();
    this._views.forEach(view => view.dispose());
    this._models.forEach(model => model.dispose());
    this._views.clear();
    this._models.clear();
  }

  private _onKernelEvent(_: unknown, event: KernelEvent): void {
    if (event !== 'idle') {
      this._hasStaleVariables = true;
      if (event === 'restart') {
        this._models.forEach(model => model.clearKernel());
      }
    } else if (this._hasStaleVariables) {
      this._hasStaleVariables = false;
      this.hasRun.emit();
      this._models.forEach(model => void model.readKernel());
    }
  }

  private _selectionOf({ editor }: Cell): ISelection | null {
    const isUsed = this._panel.content.mode === 'edit' || editor?.hasFocus();
    if (!editor || !isUsed) {
      return null;
    }
    const { start, end } = editor.getSelection();
    const offsets = [editor.getOffsetAt(start), editor.getOffsetAt(end)];
    const source = editor.model.sharedModel.getSource();
    return selectLines(source, Math.min(...offsets), Math.max(...offsets));
  }

  private _showView(cell: Cell, model: GenerationModel): CellAskView {
    const id = cell.model.id;
    const current = this._views.get(id);
    if (current?.cell === cell && !current.isDisposed) {
      return current;
    }
    current?.dispose();
    const view = new CellAskView({ ...this._options, cell, model });
    this._views.set(id, view);
    return view;
  }

  private _syncViews(): void {
    if (this.isDisposed) {
      return;
    }
    for (const [id, model] of this._models) {
      const cell = findCell(this._panel, id);
      if (cell && model.state.phase !== 'idle') {
        this._showView(cell, model);
      } else if (!cell) {
        this._views.get(id)?.dispose();
        this._views.delete(id);
      }
    }
  }

  private _onModelChanged(model: GenerationModel): void {
    const { phase, notice } = model.state;
    const id = model.target.cellId;
    const isNewNotice = notice !== this._lastNotices.get(model);
    this._lastNotices.set(model, notice);
    if (phase === 'suggested' && !findCell(this._panel, id)) {
      if (!this._notified.has(model)) {
        this._notified.add(model);
        this._options.onCellDeleted(model);
      }
      return;
    }
    this._notified.delete(model);
    if (phase !== 'idle') {
      if (phase !== 'editing') {
        this._newCells.onSent(id);
      }
      return;
    }
    this._closeView(id, model.inputText);
    if (isNewNotice && (notice === 'unsaved' || notice === 'not_recorded')) {
      this._options.onUnsaved(noticeText(model, this._options.trans));
    }
  }

  /** Remove the row's cell, too, if it was inserted for new code and isn't used. */
  private _closeView(cellId: string, draft: string): void {
    const view = this._views.get(cellId);
    if (!view) {
      return;
    }
    const hadFocus = view.hasFocus;
    this._views.delete(cellId);
    view.dispose();
    const isRemoved = this._newCells.onClosed(cellId, draft);
    if (hadFocus && isRemoved) {
      this._panel.content.activate();
    } else if (hadFocus) {
      this._focusEditor(view.cell);
    }
  }

  private _focusEditor(cell: Cell): void {
    const notebook = this._panel.content;
    const index = notebook.widgets.indexOf(cell);
    if (index >= 0) {
      notebook.activeCellIndex = index;
      if (cell instanceof MarkdownCell && cell.rendered) {
        notebook.mode = 'command'; // Edit mode would show the source of the rendered cell.
        notebook.activate();
        return;
      }
      notebook.mode = 'edit';
      cell.editor?.focus();
    }
  }

  /** Move the focus to the row if a diff covers the active cell's editor. */
  private _moveFocusToRow(): void {
    const { activeCell, mode } = this._panel.content;
    const view = activeCell && this._views.get(activeCell.model?.id ?? '');
    if (mode === 'edit' && view?.hasDiff && !view.hasFocus) {
      view.row.focus();
    }
  }

  private readonly _panel: NotebookPanel;
  private readonly _models = new Map<string, GenerationModel>();
  private readonly _views = new Map<string, CellAskView>();
  private readonly _newCells: NewCells;
  private readonly _kernelEvents: KernelEvents;
  private readonly _notified = new WeakSet<GenerationModel>();
  private readonly _lastNotices = new WeakMap<GenerationModel, Notice | null>();
  /** Whether code ran, or the kernel restarted, since the variables were last read. */
  private _hasStaleVariables = true;
}
