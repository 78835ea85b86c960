/**
 * Pages and open notebooks, with JupyterLab's own models, widgets and actions. The kernel is a fake,
 * and so is the server, unless a spec uses a `JupyterServer`.
 */
import type { YBaseCell, YNotebook } from '@jupyter/ydoc';
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import { Context } from '@jupyterlab/docregistry';
import type { INotebookContent } from '@jupyterlab/nbformat';
import {
  INotebookModel,
  KernelError,
  NotebookActions,
  NotebookModelFactory,
  NotebookPanel,
  setCellExecutor
} from '@jupyterlab/notebook';
import { NBTestUtils } from '@jupyterlab/notebook/lib/testutils';
import type { Contents } from '@jupyterlab/services';
import { ServiceManagerMock } from '@jupyterlab/services/lib/testutils';
import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import type { NotebookBody } from '../../api/types';
import { GenerationModel } from '../../ask/model/generation';
import type { GenerationApi } from '../../ask/model/stream';
import { HistoryApi, HistoryModel } from '../../history/model/history';
import { NotebookCell } from '../../cells/notebookCell';
import { editorInput } from './contributors/editorInput';
import type { ICauseDetectors } from './contributors/writers';
import {
  NotebookIdentity,
  enqueueRegistration
} from '../../identity/model/identity';
import { Tracking } from './tracking';
import { FakeServer } from './tracking.server.fakes';

/** Works even if a spec fakes the clock. */
const realTimeout = window.setTimeout.bind(window);
/** After all pending tasks. */
const callLater = (resolve: () => void) => realTimeout(resolve, 0);

/** A run prints a code cell's source, or fails if it contains `raise`. */
export function fakeKernel(): void {
  let count = 0;
  setCellExecutor({
    runCell: async ({ cell, onCellExecuted, onCellExecutionScheduled }) => {
      if (cell.model.type !== 'code') {
        onCellExecuted({ cell, success: true });
        return true;
      }
      onCellExecutionScheduled({ cell });
      await Promise.resolve();
      const model = cell.model as ICodeCellModel;
      const source = model.sharedModel.getSource();
      model.executionCount = ++count;
      model.outputs.clear();
      if (source.includes('raise')) {
        const content = { ename: 'ValueError', evalue: 'no', traceback: [] };
        model.outputs.add({ output_type: 'error', ...content });
        const error = new KernelError({
          ...content,
          status: 'error',
          execution_count: count
        } as unknown as ConstructorParameters<typeof KernelError>[0]);
        onCellExecuted({ cell, success: false, error });
        return false;
      }
      model.outputs.add({
        output_type: 'stream',
        name: 'stdout',
        text: source
      });
      onCellExecuted({ cell, success: true });
      return true;
    }
  });
}

/** A `FakeServer` or a real `JupyterServer`. */
export interface IServer {
  readonly api: HistoryApi & GenerationApi;
  /** Resolves to the notebook's id. */
  register(body: NotebookBody): Promise<{ notebookId: string }>;
  /** Resolves to the image's SHA-256. */
  storeImage(image: Blob): Promise<string>;
  setAnswer(answer: string): Promise<void>;
  /** If it is absent, files are faked. */
  readonly contents?: Contents.IManager;
}

type Cells = readonly { id: string; type?: string; source: string }[];

/** A page with its history, identities and tracking. */
export class Page<S extends IServer = FakeServer> {
  constructor(
    readonly server: S = new FakeServer() as unknown as S,
    readonly causeDetectors: ICauseDetectors = {}
  ) {
    const { api } = server;
    this.history = new HistoryModel(api);
    this.identity = new NotebookIdentity({
      register: body =>
        enqueueRegistration(this.history, body, () => server.register(body)),
      save: panel => panel.context.save(),
      trans: nullTranslator.load('aiserver')
    });
    this.tracking = new Tracking({
      identity: this.identity,
      history: this.history,
      storeImage: image => server.storeImage(image),
      causeDetectors
    });
  }

  readonly history: HistoryModel;
  readonly identity: NotebookIdentity;
  readonly tracking: Tracking;

  async open(
    cells: Cells,
    options: { notebookId?: string; documentWideUndo?: boolean } = {}
  ): Promise<OpenNotebook<S>> {
    const { notebookId, documentWideUndo } = options;
    const content = notebookOf(cells, notebookId);
    const path = `${Math.random()}.ipynb`;
    if (this.server.contents) {
      const file = { type: 'notebook', format: 'json', content } as const;
      await this.server.contents.save(path, file);
      return this.openPath(path, documentWideUndo);
    }
    const context = this._context(path, documentWideUndo);
    await context.initialize(true);
    context.model.fromJSON(content);
    return this._show(context);
  }

  async openPath(
    path: string,
    documentWideUndo?: boolean
  ): Promise<OpenNotebook<S>> {
    const context = this._context(path, documentWideUndo);
    await context.initialize(false);
    return this._show(context);
  }

  private _context(
    path: string,
    documentWideUndo = false
  ): Context<INotebookModel> {
    const manager = new ServiceManagerMock() as { contents: Contents.IManager };
    manager.contents = this.server.contents ?? manager.contents;
    return new Context<INotebookModel>({
      manager: manager as never,
      factory: new NotebookModelFactory({
        disableDocumentWideUndoRedo: !documentWideUndo
      }),
      path,
      kernelPreference: { shouldStart: false, canStart: false }
    });
  }

  /** Show a notebook in the page, and track it. */
  private async _show(
    context: Context<INotebookModel>
  ): Promise<OpenNotebook<S>> {
    context.model.sharedModel.clearUndoHistory();
    const panel = NBTestUtils.createNotebookPanel(context);
    Widget.attach(panel, document.body);
    void this.identity.observe(panel);
    this.tracking.add(panel);
    const open = new OpenNotebook(panel, this);
    await open.settle();
    return open;
  }
}

function addEditorInput(editor: CodeMirrorEditor): void {
  if (!extendedEditors.has(editor)) {
    extendedEditors.add(editor);
    editor.injectExtension(editorInput);
  }
}
const extendedEditors = new WeakSet<CodeMirrorEditor>();

function notebookOf(cells: Cells, notebookId?: string): INotebookContent {
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: notebookId ? { aiserver: { notebook_id: notebookId } } : {},
    cells: cells.map(({ id, type = 'code', source }) => ({
      id,
      cell_type: type,
      source,
      metadata: {},
      ...(type === 'code' && { outputs: [], execution_count: null })
    }))
  } as unknown as INotebookContent;
}

/** A notebook with methods for the actions of a person. */
export class OpenNotebook<S extends IServer = FakeServer> {
  constructor(
    readonly panel: NotebookPanel,
    readonly page: Page<S>
  ) {}

  get id(): string {
    return this.page.identity.get(this.panel)!;
  }

  get ids(): string[] {
    return [...this.panel.content.model!.cells].map(cell => cell.id);
  }

  get sources(): string[] {
    return [...this.panel.content.model!.cells].map(cell =>
      cell.sharedModel.getSource()
    );
  }

  kinds(this: OpenNotebook, cellId: string): string[] {
    return this.page.server.kinds(this.id, cellId);
  }

  /** Select cells, of which the last becomes active. */
  select(first: number, last = first): void {
    const { content } = this.panel;
    content.deselectAll();
    content.activeCellIndex = first;
    if (last !== first) {
      content.extendContiguousSelectionTo(last);
    }
  }

  /** Type into a cell, and replace all text after the offset `from`. */
  type(index: number, text: string, from = 0): void {
    const editor = this.panel.content.widgets[index].editor as CodeMirrorEditor;
    const to = editor.editor.state.doc.length;
    addEditorInput(editor);
    editor.editor.dispatch({
      changes: { from: Math.min(from, to), to, insert: text },
      userEvent: 'input.type'
    });
  }

  cursor(index: number, offset: number): void {
    this.select(index);
    const { editor } = this.panel.content.widgets[index];
    const position = editor!.getPositionAt(offset)!;
    editor!.setCursorPosition(position);
  }

  /** The fake model returns `answer`. */
  async ask(index: number, answer: string): Promise<GenerationModel> {
    const { api } = this.page.server;
    await this.page.server.setAnswer(answer);
    const { identity, history, tracking } = this.page;
    const trans = nullTranslator.load('aiserver');
    const model = new GenerationModel({
      api,
      history,
      target: new NotebookCell(
        this.panel,
        this.ids[index],
        identity,
        trans,
        tracking
      )
    });
    model.open();
    await model.ask('do it');
    await this.settle();
    return model;
  }

  async run(first: number, last = first): Promise<void> {
    this.select(first, last);
    await NotebookActions.run(this.panel.content, this.panel.sessionContext);
    await this.settle();
  }

  async save(): Promise<void> {
    await this.panel.context.save();
    await this.settle();
  }

  /** Wait until all changes are recorded. */
  async settle(): Promise<void> {
    // Otherwise, one undo could undo the last action and the next one together.
    const { sharedModel } = this.panel.context.model;
    (sharedModel as YNotebook).undoManager.stopCapturing();
    (sharedModel as YNotebook).cells.forEach(cell =>
      (cell as unknown as YBaseCell<never>).undoManager?.stopCapturing()
    );
    for (let round = 0; round < 3; round++) {
      await this.page.tracking.started(this.panel);
      await new Promise<void>(resolve => callLater(resolve));
      await this.page.history.settled(this.id);
    }
  }

  /** Save and close the notebook, and open it in a new page. */
  async reopen(): Promise<OpenNotebook<S>> {
    await this.save();
    const cells = [...this.panel.content.model!.cells].map(cell => ({
      id: cell.id,
      type: cell.type,
      source: cell.sharedModel.getSource()
    }));
    const notebookId = this.id;
    const { path } = this.panel.context;
    const { server, causeDetectors } = this.page;
    this.close();
    await this.page.history.settled(notebookId);
    const page = new Page<S>(server, causeDetectors);
    return server.contents
      ? page.openPath(path)
      : page.open(cells, { notebookId });
  }

  close(): void {
    this.panel.dispose();
  }
}

/** Of the cells, the second has a turn, after which it is `c = 4`. */
export async function openWithTurn<S extends IServer = FakeServer>(
  page: Page<S> = new Page<S>(),
  cells: Cells = [
    { id: 'aa', source: 'a = 1\nb = 2' },
    { id: 'bb', source: 'c = 3' },
    { id: 'cc', type: 'markdown', source: '# 标题' }
  ]
): Promise<OpenNotebook<S>> {
  const open = await page.open(cells);
  const model = await open.ask(1, 'c = 4');
  await model.decision.accept();
  await open.settle();
  return open;
}

/** As `openWithTurn`, then run and saved. */
export async function openSaved<S extends IServer>(
  page: Page<S>,
  cells: Cells
): Promise<OpenNotebook<S>> {
  const open = await openWithTurn(page, cells);
  await open.run(0, cells.length - 1);
  await open.save();
  return open;
}
