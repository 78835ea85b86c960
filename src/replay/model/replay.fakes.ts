/** Fakes of the active cell, the history on the server and the host, for the replay's specs. */
import { PromiseDelegate } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import type {
  Blame,
  BlameBody,
  BlameLine,
  EventBody,
  ISearchRequest,
  ModelList,
  NotebookSnapshot,
  Replay,
  Report,
  SearchResults,
  SessionSummary,
  Step,
  Timeline,
  TurnPrompt,
  TurnReceipt,
  UsageTotals
} from '../../api/types';
import { modelList } from '../../providers/model/models.fakes';
import type {
  HistoryReader,
  ICellKey,
  INotebookChange,
  IHistory,
  IQueuedEvents,
  ISessionChange
} from '../../tokens';
import type { IReplayHost } from './cell/actions';
import type { ICellInfo, IReplaySubject, SubjectChange } from './activeCell';

/** A fake notebook with three code cells. The active cell is the cell whose id is `activeId`. */
export class FakeSubject implements IReplaySubject {
  readonly changed = new Signal<this, SubjectChange>(this);
  readonly sources = new Map([
    ['a', 'a = 1'],
    ['b', 'b = 1'],
    ['c', '']
  ]);
  isActive = false;
  hasNotebook = true;
  isWritable = true;
  mimeType = 'text/x-python';
  codeMimeType = 'text/x-python';
  canUndelete = true;
  notebookId: string | null = 'nb';
  activeId: string | null = 'a';
  undoCount = 0;

  get cell(): ICellInfo | null {
    return this.cells().find(({ id }) => id === this.activeId) ?? null;
  }

  get source(): string {
    return this.sources.get(this.activeId ?? '') ?? '';
  }

  cells(): ICellInfo[] {
    return [...this.sources].map(([id, source], index) => ({
      id,
      type: 'code',
      number: index + 1,
      firstLine: source.split('\n')[0]
    }));
  }

  allSources(): { type: string; source: string }[] {
    return [...this.sources.values()].map(source => ({ type: 'code', source }));
  }

  numberOf(cellId: string): number | null {
    return [...this.sources.keys()].indexOf(cellId) + 1 || null;
  }

  apply(source: string): void {
    this.type(source);
  }

  undeleteCell(
    cell: { id: string; source: string },
    cellsAbove: readonly string[] | null
  ): boolean {
    const entries = [...this.sources];
    const idAbove = cellsAbove?.find(id => this.sources.has(id));
    const index = cellsAbove
      ? entries.findIndex(([id]) => id === idAbove) + 1
      : entries.length;
    entries.splice(index, 0, [cell.id, cell.source]);
    this.sources.clear();
    entries.forEach(([id, source]) => this.sources.set(id, source));
    this.emitChange('cells');
    return true;
  }

  takeHistory(cellId: string): boolean {
    const entries = [...this.sources].map(([id, source]): [string, string] => [
      id === this.activeId ? cellId : id,
      source
    ]);
    this.sources.clear();
    entries.forEach(([id, source]) => this.sources.set(id, source));
    this.activeId = cellId;
    this.emitChange('cells');
    return true;
  }

  canInsert = true;
  readonly inserted: string[] = [];

  insertBelow(source: string): void {
    this.inserted.push(source);
  }

  undo(): void {
    this.undoCount++;
  }

  async goTo(cellId: string): Promise<void> {
    this.activate(cellId);
  }

  /** Activate another cell. */
  activate(cellId: string | null): void {
    this.activeId = cellId;
    this.emitChange('activeCell');
  }

  /** Replace the active cell's source, as if a person had typed it. */
  type(source: string): void {
    this.sources.set(this.activeId!, source);
    this.emitChange('source');
  }

  emitChange(change: SubjectChange): void {
    if (this.isActive) {
      this.changed.emit(change);
    }
  }
}

/** A request for the steps of a cell, which is pending until `FakeHistory.answer` is called. */
export class PendingReplay extends PromiseDelegate<Replay> {
  constructor(
    readonly cellId: string,
    readonly signal?: AbortSignal
  ) {
    super();
  }
}

/**
 * A fake history. While `failure` is set, most requests fail with this error. While `isSlow` is
 * true, a request for a cell's steps is pending until the spec calls `answer`.
 */
export class FakeHistory implements IHistory {
  readonly api = this as unknown as HistoryReader;
  readonly changed: Signal<IHistory, ISessionChange> = new Signal(this);
  readonly eventsQueued: Signal<IHistory, IQueuedEvents> = new Signal(this);
  readonly steps = new Map<string, Step[]>();
  readonly summaries: TurnReceipt[] = [];
  readonly requests: PendingReplay[] = [];
  readonly recorded: EventBody[] = [];
  readonly blames = new Map<string, BlameLine[]>();
  readonly blameRequests: (BlameBody & { cellId: string })[] = [];
  readonly blobs = new Map<string, Blob>();
  summaryList: SessionSummary[] = [];
  summaryRequestCount = 0;
  failure: Error | null = null;
  isSlow = false;

  notify(change: ISessionChange): void {
    this.changed.emit(change);
  }

  replay(key: ICellKey, signal?: AbortSignal): Promise<Replay> {
    const request = new PendingReplay(key.cellId, signal);
    this.requests.push(request);
    if (this.failure) {
      request.reject(this.failure);
    } else if (!this.isSlow) {
      this.answer(request);
    }
    return request.promise;
  }

  answer(request: PendingReplay): void {
    const { cellId } = request;
    const steps = this.steps.get(cellId) ?? [];
    const revision = steps.length ? 1 : 0;
    request.resolve({
      notebookId: 'nb',
      cellId,
      revision,
      summaries: this.summaries,
      steps
    });
  }

  timelineResult: Timeline = { version: 'v0', moments: [], cells: [] };
  readonly snapshots = new Map<number, NotebookSnapshot>();
  readonly requestedMoments: number[] = [];
  timelineRequestCount = 0;
  readonly prompts = new Map<number, TurnPrompt>();
  /** The sums by notebook; null stands for all notebooks. */
  readonly usageByNotebook = new Map<string | null, UsageTotals>();
  reportResult: Report | null = null;
  readonly searches: { request: ISearchRequest; signal?: AbortSignal }[] = [];
  searchResults: SearchResults = {
    results: [],
    total: 0,
    unread: 0,
    meaning: { available: false, install: 'pip install "aiserver[semantic]"' }
  };

  async timeline(): Promise<Timeline> {
    this.timelineRequestCount++;
    if (this.failure) {
      throw this.failure;
    }
    return this.timelineResult;
  }

  async moment(_id: string, index: number): Promise<NotebookSnapshot> {
    this.requestedMoments.push(index);
    const snapshot = this.snapshots.get(index);
    if (this.failure || !snapshot) {
      throw this.failure ?? new Error(`no moment ${index}`);
    }
    return snapshot;
  }

  async report(): Promise<Report> {
    if (!this.reportResult) {
      throw new Error('no report');
    }
    return this.reportResult;
  }

  async turnPrompt(_: ICellKey, turnId: number): Promise<TurnPrompt> {
    const prompt = this.prompts.get(turnId);
    if (!prompt) {
      throw new Error('no prompt');
    }
    return prompt;
  }

  async usage(notebookId: string | null): Promise<UsageTotals> {
    return this.usageByNotebook.get(notebookId) ?? NO_USAGE;
  }

  async search(
    request: ISearchRequest,
    signal?: AbortSignal
  ): Promise<SearchResults> {
    this.searches.push({ request, signal });
    if (this.failure) {
      throw this.failure;
    }
    return this.searchResults;
  }

  async blame(key: ICellKey, body: BlameBody): Promise<Blame> {
    this.blameRequests.push({ cellId: key.cellId, ...body });
    if (this.failure) {
      throw this.failure;
    }
    const lines = this.blames.get(key.cellId) ?? [];
    return { lines, revision: lines.length };
  }

  async blob(sha256: string): Promise<Blob> {
    const blob = this.blobs.get(sha256);
    if (!blob) {
      throw new Error('no such blob');
    }
    return blob;
  }

  async sessions(): Promise<SessionSummary[]> {
    this.summaryRequestCount++;
    if (this.failure) {
      throw this.failure;
    }
    return this.summaryList;
  }

  async record(key: ICellKey, events: EventBody[]): Promise<void> {
    if (this.failure) {
      throw this.failure;
    }
    this.recorded.push(...events);
    this.notify(key);
  }

  recordChange(
    notebookId: string,
    change: INotebookChange | Promise<INotebookChange>
  ): void {
    void Promise.resolve(change).then(({ cells }) =>
      cells.forEach(({ cellId }) => this.notify({ notebookId, cellId }))
    );
  }

  enqueue<T>(_: string, work: () => Promise<T>): Promise<T> {
    return work();
  }

  async settled(): Promise<void> {
    return;
  }

  async models(): Promise<ModelList> {
    return modelList();
  }
}

/** A host that opens nothing, and that reports that the person refused to replace the source. */
export const FAKE_HOST: IReplayHost = {
  confirmReplace: async () => false,
  shownAnswers: () => null,
  acceptAnswer: async () => false,
  openPrompt: () => undefined,
  openFile: async () => undefined
};

/** Return the steps of accepted turns, one for each of `codes`. */
export function stepsOf(...codes: string[]): Step[] {
  return codes.map((code, index) => ({
    index,
    seq: index + 1,
    kind: 'turn',
    author: 'model',
    timestamp: '2026-01-27T10:00:00.000Z',
    before: codes[index - 1] ?? '',
    code,
    applied: true,
    title: `make ${code}`,
    outcome: 'accepted',
    parent: index > 0 ? index - 1 : null,
    column: 0
  }));
}

/** The sums of no requests. */
export const NO_USAGE: UsageTotals = {
  requests: 0,
  summaries: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  milliseconds: 0,
  cost: null,
  unpriced: 0,
  uncounted: 0
};

export function summaryOf(cellId: string, turns = 1): SessionSummary {
  return {
    notebookId: 'nb',
    cellId,
    turns,
    failed: 0,
    events: 0,
    revision: turns,
    createdAt: '2026-01-27T10:00:00.000Z',
    lastUpdated: '2026-01-27T10:00:00.000Z',
    lastIntent: `about ${cellId}`,
    lastStatus: 'success',
    lastSource: `\n  first line of ${cellId}\nmore`
  };
}

/** Return a step that is a run of the last step's code. `data` is added to the step's data. */
export function runStep(steps: readonly Step[], data: object = {}): Step {
  const last = steps[steps.length - 1];
  return {
    index: steps.length,
    seq: (last?.seq ?? 0) + 1,
    kind: 'run',
    author: 'person',
    timestamp: '2026-01-27T10:01:00.000Z',
    before: last?.code ?? '',
    code: last?.code ?? '',
    applied: true,
    title: '',
    outcome: 'done',
    event: 'run',
    parent: steps.length ? steps.length - 1 : null,
    partOf: last && (last.partOf ?? last.index),
    column: 0,
    data: { status: 'ok', ...data }
  };
}
