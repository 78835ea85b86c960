/**
 * For specs of what is tracked: real notebooks (JupyterLab's own models, widgets and actions), and
 * a server in memory that does with `changes` what `aiserver/sessions/changes.py` does.
 *
 * Played: the kernel, for no spec can start one; and the model that is asked.
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
import { ServiceManagerMock } from '@jupyterlab/services/lib/testutils';
import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import type {
  ChangesBody,
  EventBody,
  GenerateBody,
  Interaction,
  SessionSummary,
  StreamEvent
} from '../api/types';
import { GenerationModel } from '../models/generation';
import { HistoryApi, HistoryModel } from '../models/history';
import { NotebookCell } from './cell';
import { NotebookIdentity } from './identity';
import { Tracking } from './tracking';

// JupyterLab's models read their cells before those are in a document, and yjs warns of each.
const KNOWN = /Add Yjs type to a document|Not same Y\.Doc/;
const warn = console.warn;
console.warn = (...said: unknown[]) => {
  if (!said.some(one => KNOWN.test(String(one)))) {
    warn(...said);
  }
};

export type IRecord = Partial<Interaction> &
  Partial<Omit<EventBody, 'timestamp'>> & { seq: number };

export interface ISession {
  records: IRecord[];
  forkedFrom?: { notebookId: string; cellId: string };
  parents?: string[];
}

export interface ILine {
  order?: string[];
  types?: Record<string, string>;
  cells: Record<string, number>;
  saved: boolean;
}

/** What a server keeps of one notebook or several. */
export class Receiver {
  readonly sessions = new Map<string, ISession>();
  readonly logs = new Map<string, ILine[]>();
  readonly ids = new Set<string>();
  readonly blobs: Blob[] = [];
  /** Set to have each request fail so. */
  failure: Error | null = null;
  bodies: ChangesBody[] = [];
  /** What the model answers. */
  answer = '';

  session(notebookId: string, cellId: string): ISession | null {
    return this.sessions.get(`${notebookId}/${cellId}`) ?? null;
  }

  /** Of a cell: the types of its events, `turn` for a turn. */
  kinds(notebookId: string, cellId: string): string[] {
    const { records = [] } = this.session(notebookId, cellId) ?? {};
    return records.map(({ type }) => type ?? 'turn');
  }

  events(notebookId: string, cellId: string, type?: string): IRecord[] {
    const { records = [] } = this.session(notebookId, cellId) ?? {};
    return records.filter(one => one.type && (!type || one.type === type));
  }

  readonly api = {
    replay: async (notebookId: string, cellId: string) => ({
      notebookId,
      cellId,
      revision: 0,
      steps: this.kinds(notebookId, cellId).map(kind => ({ kind }))
    }),
    sessions: async (notebookId: string) => {
      this._fail();
      const rows = [...this.sessions]
        .filter(([name]) => name.startsWith(`${notebookId}/`))
        .map(([name, session]) => summaryOf(name, session));
      return { sessions: rows, total: rows.length };
    },
    record: async (notebookId: string, cellId: string, events: EventBody[]) => {
      this._fail();
      const session = this._open(notebookId, cellId);
      return events.map(event => append(session, event));
    },
    recordChanges: async (notebookId: string, body: ChangesBody) => {
      this._fail();
      this.bodies.push(body);
      const marks = this._change(notebookId, body);
      return { cells: marks };
    },
    models: async () => ({ models: [], providers: [] }),
    generate: (body: GenerateBody) => this._generate(body),
    stop: async () => undefined,
    warmUp: async () => undefined
  };

  private _change(notebookId: string, body: ChangesBody) {
    const cells = body.cells ?? [];
    for (const { cellId, forkOf, parents } of cells) {
      const name = `${notebookId}/${cellId}`;
      const origin = forkOf && this.session(forkOf.notebookId, forkOf.cellId);
      if (origin && !this.sessions.has(name)) {
        const records = origin.records.map(record => ({ ...record }));
        this.sessions.set(name, { records, forkedFrom: forkOf });
      } else if (parents?.length && !this.sessions.has(name)) {
        this.sessions.set(name, { records: [], parents: [...parents] });
      }
    }
    const marks: Record<string, { revision: number; seq: number }> = {};
    for (const { cellId, events = [] } of cells) {
      const session = this._open(notebookId, cellId);
      let seq = session.records.at(-1)?.seq ?? 0;
      for (const event of events) {
        const isFirst = event.data?.trigger === 'first' && event === events[0];
        if (!isFirst || held(session.records) !== event.source) {
          seq = append(session, event).seq;
        }
      }
      marks[cellId] = { revision: 0, seq };
    }
    if (!this.ids.has(body.id)) {
      this.ids.add(body.id);
      const log = this.logs.get(notebookId) ?? [];
      log.push({
        ...(body.order && {
          order: body.order.map(({ id }) => id),
          types: Object.fromEntries(body.order.map(one => [one.id, one.type]))
        }),
        cells: Object.fromEntries(
          Object.entries(marks).map(([id, mark]) => [id, mark.seq])
        ),
        saved: body.saved ?? false
      });
      this.logs.set(notebookId, log);
    }
    return marks;
  }

  /** Asks nobody: the model is played. */
  private async *_generate(
    body: GenerateBody
  ): AsyncGenerator<StreamEvent, void, void> {
    const session = this._open(body.notebookId, body.cellId);
    const turns = session.records.filter(({ type }) => !type);
    const interaction = {
      turn_id: turns.length + 1,
      timestamp: new Date().toISOString(),
      user_request: { intent: body.intent, current_code: body.source },
      ai_response: {
        suggestion: this.answer,
        explanation: '',
        status: 'success' as const
      },
      ...(body.parentTurnId && { parent_turn_id: body.parentTurnId })
    } as Interaction;
    append(session, interaction);
    yield {
      type: 'start',
      generationId: 'g',
      turnId: interaction.turn_id,
      model: {
        id: 'played:model',
        provider: 'played',
        label: 'played',
        onThisMachine: true,
        ready: true
      }
    };
    yield { type: 'done', interaction, revision: 1 };
  }

  private _open(notebookId: string, cellId: string): ISession {
    const name = `${notebookId}/${cellId}`;
    const session = this.sessions.get(name) ?? { records: [] };
    this.sessions.set(name, session);
    return session;
  }

  private _fail(): void {
    if (this.failure) {
      throw this.failure;
    }
  }
}

function append(
  { records }: ISession,
  record: Partial<Interaction> | EventBody
): IRecord {
  const id = (record as EventBody).id;
  const known = records.find(one => id && one.id === id);
  if (!known) {
    const seq = (records.at(-1)?.seq ?? 0) + 1;
    records.push({ ...record, seq } as IRecord);
  }
  return known ?? records[records.length - 1];
}

/** What a cell held after these records. */
export function held(records: readonly IRecord[]): string | null {
  for (const record of [...records].reverse()) {
    if (record.type && typeof record.source === 'string') {
      return record.source;
    }
    if (!record.type && !record.parent_turn_id) {
      return record.user_request?.current_code ?? null;
    }
  }
  return null;
}

function summaryOf(name: string, { records }: ISession): SessionSummary {
  const [notebookId, cellId] = name.split('/');
  const turns = records.filter(({ type }) => !type);
  const codes = records.map(one => one.source ?? one.ai_response?.suggestion);
  const newest = codes.filter(Boolean).at(-1) ?? '';
  const row = {
    notebookId,
    cellId,
    turns: turns.length,
    events: records.length - turns.length,
    lastSource: newest.slice(0, 500).split('\n').slice(0, 10).join('\n')
  };
  return row as SessionSummary;
}

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

let notebooks = 0;

/** A page: all that the plugins make, and the notebooks that are open in it. */
export class Page {
  constructor(readonly receiver = new Receiver()) {
    const { api } = receiver;
    this.history = new HistoryModel(api as unknown as HistoryApi);
    this.identity = new NotebookIdentity({
      register: async ({ notebookId }) => ({
        notebookId: notebookId ?? `nb-${++notebooks}`
      }),
      save: panel => panel.context.save(),
      trans: nullTranslator.load('aiserver')
    });
    this.tracking = new Tracking({
      identity: this.identity,
      history: this.history,
      keep: async blob => {
        receiver.blobs.push(blob);
        return 'a'.repeat(64);
      }
    });
  }

  readonly history: HistoryModel;
  readonly identity: NotebookIdentity;
  readonly tracking: Tracking;

  async open(
    cells: { id: string; type?: string; source: string }[],
    options: { notebookId?: string; documentWideUndo?: boolean } = {}
  ): Promise<OpenNotebook> {
    const { notebookId, documentWideUndo = false } = options;
    const factory = new NotebookModelFactory({
      disableDocumentWideUndoRedo: !documentWideUndo
    });
    const context = new Context<INotebookModel>({
      manager: new ServiceManagerMock() as never,
      factory,
      path: `${Math.random()}.ipynb`,
      kernelPreference: { shouldStart: false, canStart: false }
    });
    await context.initialize(true);
    context.model.fromJSON({
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
    } as INotebookContent);
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

/** One open notebook, with what a person can do in it. */
export class OpenNotebook {
  constructor(
    readonly panel: NotebookPanel,
    readonly page: Page
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

  kinds(cellId: string): string[] {
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
    editor.editor.dispatch({
      changes: { from: Math.min(from, to), to, insert: text }
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
    this.page.receiver.answer = answer;
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
      await this.page.identity.settled(this.panel);
      await new Promise<void>(resolve => later(resolve));
      await this.page.history.settled(this.id);
    }
  }

  close(): void {
    this.panel.dispose();
  }
}
