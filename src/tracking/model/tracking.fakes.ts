/**
 * For specs of what is tracked: real notebooks, with JupyterLab's own models, widgets and actions.
 *
 * Played: the kernel, for no spec can start one.
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
import type { GenerationApi } from '../../ask/model/generationStream';
import { HistoryApi, HistoryModel } from '../../history/model/history';
import { NotebookCell } from '../../cells/notebookCell';
import { editorInput } from './contributors/editorInput';
import type { IExplanations } from './contributors/writers';
import {
  NotebookIdentity,
  enqueueRegistration
} from '../../identity/model/identity';
import { Tracking } from './tracking';
import { Receiver } from './tracking.receiver.fakes';

// JupyterLab's models read their cells before those are in a document, and yjs warns of each.
const KNOWN = /Add Yjs type to a document|Not same Y\.Doc/;
const warn = console.warn;
console.warn = (...said: unknown[]) => {
  if (!said.some(one => KNOWN.test(String(one)))) {
    warn(...said);
  }
};

/** After all that is ready to go on has gone on; the real one, where a spec plays the clock. */
const realTimeout = window.setTimeout.bind(window);
const later = (resolve: () => void) => realTimeout(resolve, 0);

/** Plays a kernel: each run is counted, prints its source; one with `raise` in it fails. */
export function playKernel(): void {
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

/** What a page needs of a server; `Receiver` plays one, `JupyterServer` is one. */
export interface IServer {
  readonly api: HistoryApi & GenerationApi;
  /** Says which id a notebook must carry. */
  register(body: NotebookBody): Promise<{ notebookId: string }>;
  /** Keeps a picture; says under which name. */
  keep(picture: Blob): Promise<string>;
  /** Have the model answer this next. */
  script(answer: string): Promise<void>;
  /** Where the files are; without it they are played. */
  readonly contents?: Contents.IManager;
}

type Cells = readonly { id: string; type?: string; source: string }[];

/** A page: all that the plugins make, and the notebooks that are open in it. */
export class Page<S extends IServer = Receiver> {
  constructor(
    readonly receiver: S = new Receiver() as unknown as S,
    explanations: IExplanations = {}
  ) {
    const { api } = receiver;
    this.history = new HistoryModel(api);
    this.identity = new NotebookIdentity({
      register: body =>
        enqueueRegistration(this.history, body, () => receiver.register(body)),
      save: panel => panel.context.save(),
      trans: nullTranslator.load('aiserver')
    });
    this.tracking = new Tracking({
      identity: this.identity,
      history: this.history,
      keep: picture => receiver.keep(picture),
      explanations
    });
  }

  readonly history: HistoryModel;
  readonly identity: NotebookIdentity;
  readonly tracking: Tracking;

  /** Open a new notebook with these cells. */
  async open(
    cells: Cells,
    options: { notebookId?: string; documentWideUndo?: boolean } = {}
  ): Promise<OpenNotebook<S>> {
    const { notebookId, documentWideUndo } = options;
    const content = notebookOf(cells, notebookId);
    const path = `${Math.random()}.ipynb`;
    if (this.receiver.contents) {
      const file = { type: 'notebook', format: 'json', content } as const;
      await this.receiver.contents.save(path, file);
      return this.openPath(path, documentWideUndo);
    }
    const context = this._context(path, documentWideUndo);
    await context.initialize(true);
    context.model.fromJSON(content);
    return this._show(context);
  }

  /** Open a notebook that is there. */
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
    manager.contents = this.receiver.contents ?? manager.contents;
    return new Context<INotebookModel>({
      manager: manager as never,
      factory: new NotebookModelFactory({
        disableDocumentWideUndoRedo: !documentWideUndo
      }),
      path,
      kernelPreference: { shouldStart: false, canStart: false }
    });
  }

  private async _show(
    context: Context<INotebookModel>
  ): Promise<OpenNotebook<S>> {
    context.model.sharedModel.clearUndoHistory();
    const panel = NBTestUtils.createNotebookPanel(context);
    Widget.attach(panel, document.body);
    void this.identity.observe(panel);
    this.tracking.add(panel);
    const open = new OpenNotebook(panel, this);
    await open.rest();
    return open;
  }
}

/** As the plugin does for all editors. */
function listenTo(editor: CodeMirrorEditor): void {
  if (!listened.has(editor)) {
    listened.add(editor);
    editor.injectExtension(editorInput);
  }
}
const listened = new WeakSet<CodeMirrorEditor>();

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

/** One open notebook, with what a person can do in it. */
export class OpenNotebook<S extends IServer = Receiver> {
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

  /** Of a cell: what is kept that happened to it, where the server is played. */
  kinds(this: OpenNotebook, cellId: string): string[] {
    return this.page.receiver.kinds(this.id, cellId);
  }

  /** Select cells; the last of them is the active one. */
  select(first: number, last = first): void {
    const { content } = this.panel;
    content.deselectAll();
    content.activeCellIndex = first;
    if (last !== first) {
      content.extendContiguousSelectionTo(last);
    }
  }

  /** Press keys in a cell's editor: what was there is replaced from `from` on. */
  type(index: number, text: string, from = 0): void {
    const editor = this.panel.content.widgets[index].editor as CodeMirrorEditor;
    const to = editor.editor.state.doc.length;
    listenTo(editor);
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

  async ask(index: number, answer: string): Promise<GenerationModel> {
    const { api } = this.page.receiver;
    await this.page.receiver.script(answer);
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
    await this.rest();
    return model;
  }

  async run(first: number, last = first): Promise<void> {
    this.select(first, last);
    await NotebookActions.run(this.panel.content, this.panel.sessionContext);
    await this.rest();
  }

  async save(): Promise<void> {
    await this.panel.context.save();
    await this.rest();
  }

  /** Wait until all that was done is told. */
  async rest(): Promise<void> {
    // What a person does next is a step of its own: the undo manager would join what comes at once.
    const { sharedModel } = this.panel.context.model;
    (sharedModel as YNotebook).undoManager.stopCapturing();
    (sharedModel as YNotebook).cells.forEach(cell =>
      (cell as unknown as YBaseCell<never>).undoManager?.stopCapturing()
    );
    for (let round = 0; round < 3; round++) {
      await this.page.tracking.begun(this.panel);
      await new Promise<void>(resolve => later(resolve));
      await this.page.history.flushed(this.id);
    }
  }

  /** Save and close it, and open it again in another page. */
  async reopen(): Promise<OpenNotebook<S>> {
    await this.save();
    const cells = [...this.panel.content.model!.cells].map(cell => ({
      id: cell.id,
      type: cell.type,
      source: cell.sharedModel.getSource()
    }));
    const notebookId = this.id;
    const { path } = this.panel.context;
    const { receiver } = this.page;
    this.close();
    await this.page.history.flushed(notebookId);
    const page = new Page<S>(receiver);
    return receiver.contents
      ? page.openPath(path)
      : page.open(cells, { notebookId });
  }

  close(): void {
    this.panel.dispose();
  }
}

/** A notebook of three cells, in the second of which a model was asked. */
export async function asked(page: Page = new Page()): Promise<OpenNotebook> {
  const open = await page.open([
    { id: 'aa', source: 'a = 1\nb = 2' },
    { id: 'bb', source: 'c = 3' },
    { id: 'cc', type: 'markdown', source: '# 标题' }
  ]);
  const model = await open.ask(1, 'c = 4');
  await model.accept();
  await open.rest();
  return open;
}
