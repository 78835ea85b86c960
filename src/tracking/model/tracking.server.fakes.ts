/**
 * A server with sessions in memory and a fake model. It records changes almost as
 * `aiserver/notebooks/change_log.py` does, but each batch gets a log entry, even if it changed
 * nothing.
 */
import { ApiError } from '../../api/request';
import type {
  ChangesBody,
  EventBody,
  GenerateBody,
  Interaction,
  NotebookBody,
  SessionSummary,
  StreamEvent
} from '../../api/types';
import type { ICellKey } from '../../tokens';
import type { IServer } from './tracking.fakes';

/** Counts notebooks registered without an id. */
let notebookCount = 0;

export type IRecord = Partial<Interaction> &
  Partial<Omit<EventBody, 'timestamp'>> & { seq: number };

export interface ISession {
  records: IRecord[];
  forkedFrom?: { notebookId: string; cellId: string };
  parents?: string[];
}

export interface ILogEntry {
  order?: string[];
  types?: Record<string, string>;
  /** The seq of each changed cell's newest record at the time of the entry. */
  cells: Record<string, number>;
  saved: boolean;
  page?: string | null;
}

export class FakeServer implements IServer {
  /** By `NOTEBOOK/CELL`. */
  readonly sessions = new Map<string, ISession>();
  /** By notebook id. */
  readonly logs = new Map<string, ILogEntry[]>();
  readonly batchIds = new Set<string>();
  readonly blobs: Blob[] = [];
  /** If set, requests that list sessions or record something fail with it. */
  failure: Error | null = null;
  /** Of the `recordChanges` requests. */
  bodies: ChangesBody[] = [];
  /** Upcoming responses to `recordChanges` that get lost. */
  lostResponses = 0;
  answer = '';

  session(notebookId: string, cellId: string): ISession | null {
    return this.sessions.get(`${notebookId}/${cellId}`) ?? null;
  }

  /** `turn` for a turn, otherwise the type of the event. */
  kinds(notebookId: string, cellId: string): string[] {
    const { records = [] } = this.session(notebookId, cellId) ?? {};
    return records.map(({ type }) => type ?? 'turn');
  }

  events(notebookId: string, cellId: string, type?: string): IRecord[] {
    const { records = [] } = this.session(notebookId, cellId) ?? {};
    return records.filter(
      record => record.type && (!type || record.type === type)
    );
  }

  /**
   * Return the notebook after the entry `end` of the change log: `[id, source]` of each cell, in
   * order.
   */
  snapshot(notebookId: string, end: number): [string, string][] {
    const log = this.logs.get(notebookId)!;
    const entries = log.slice(0, end + 1);
    const order = entries.filter(entry => entry.order).at(-1)!.order!;
    return order.map(id => {
      const seq = entries.filter(entry => id in entry.cells).at(-1)?.cells[id];
      const records = this.session(notebookId, id)?.records ?? [];
      const nextEntry = log.slice(end + 1).find(entry => id in entry.cells);
      // A turn or an accept adds no log entry, so the cell may have newer records than its last
      // entry. They belong to this snapshot if no later entry contains the cell.
      const lastSeq = nextEntry ? (seq ?? 0) : Infinity;
      return [
        id,
        lastSource(records.filter(record => record.seq <= lastSeq)) ?? ''
      ];
    });
  }

  async register({
    notebookId
  }: NotebookBody): Promise<{ notebookId: string }> {
    return { notebookId: notebookId ?? `nb-${++notebookCount}` };
  }

  async storeImage(image: Blob): Promise<string> {
    this.blobs.push(image);
    return 'a'.repeat(64);
  }

  async setAnswer(answer: string): Promise<void> {
    this.answer = answer;
  }

  private readonly _api = {
    replay: async ({ notebookId, cellId }: ICellKey) => ({
      notebookId,
      cellId,
      revision: 0,
      steps: this.kinds(notebookId, cellId).map(kind => ({ kind }))
    }),
    sessions: async (notebookId: string) => {
      this._throwIfFailing();
      return [...this.sessions]
        .filter(([name]) => name.startsWith(`${notebookId}/`))
        .map(([name, session]) => summaryOf(name, session));
    },
    record: async ({ notebookId, cellId }: ICellKey, events: EventBody[]) => {
      this._throwIfFailing();
      const session = this._openSession(notebookId, cellId);
      return events.map(event => append(session, event));
    },
    recordChanges: async (notebookId: string, body: ChangesBody) => {
      this._throwIfFailing();
      this.bodies.push(body);
      const others = this._changedByOthers(notebookId, body);
      const cells = this._recordChanges(notebookId, body, others);
      const seq = this.logs.get(notebookId)?.length ?? 0;
      this._loseResponse();
      return { cells, seq, ...(others && { others }) };
    },
    models: async () => ({ models: [], providers: [] }),
    generate: (body: GenerateBody) => this._generate(body),
    stop: async () => undefined,
    warmUp: async () => undefined
  };
  readonly api = this._api as unknown as IServer['api'];

  /** Return the cells that other pages have changed after the first `seen` entries, or null. */
  private _changedByOthers(notebookId: string, { page, seen }: ChangesBody) {
    const log = this.logs.get(notebookId) ?? [];
    const entries = log
      .slice(seen ?? log.length)
      .filter(entry => entry.page !== page);
    const ids = entries.flatMap(entry => Object.keys(entry.cells));
    return entries.length ? [...new Set(ids)] : null;
  }

  /** Return the head of each changed session, by cell id. */
  private _recordChanges(
    notebookId: string,
    body: ChangesBody,
    others: readonly string[] | null
  ) {
    const cells = body.cells ?? [];
    this._inherit(notebookId, cells);
    const heads: Record<string, { revision: number; seq: number }> = {};
    for (const { cellId, events = [] } of cells) {
      const session = this._openSession(notebookId, cellId);
      let seq = session.records.at(-1)?.seq ?? 0;
      for (const event of events) {
        if (event !== events[0] || isNews(session, event)) {
          seq = append(session, event).seq;
        }
      }
      heads[cellId] = { revision: 0, seq };
    }
    if (!this.batchIds.has(body.id)) {
      this.batchIds.add(body.id);
      this._log(notebookId, body, heads, others);
    }
    return heads;
  }

  private _log(
    notebookId: string,
    { order, page, saved = false }: ChangesBody,
    heads: Record<string, { seq: number }>,
    others: readonly string[] | null
  ): void {
    const log = this.logs.get(notebookId) ?? [];
    const seqs = Object.entries(heads).map(([id, { seq }]) => [id, seq]);
    log.push({
      ...(order && {
        order: order.map(({ id }) => id),
        types: Object.fromEntries(order.map(({ id, type }) => [id, type]))
      }),
      cells: Object.fromEntries(seqs),
      saved: saved && !others,
      page
    });
    this.logs.set(notebookId, log);
  }

  /** Open the sessions of copies and merged cells. */
  private _inherit(
    notebookId: string,
    cells: NonNullable<ChangesBody['cells']>
  ): void {
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
  }

  private async *_generate(
    body: GenerateBody
  ): AsyncGenerator<StreamEvent, void, void> {
    const session = this._openSession(body.notebookId, body.cellId);
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
        id: 'fake:model',
        provider: 'fake',
        label: 'fake',
        onThisMachine: true,
        ready: true
      }
    };
    yield { type: 'done', interaction, revision: 1 };
  }

  private _openSession(notebookId: string, cellId: string): ISession {
    const name = `${notebookId}/${cellId}`;
    const session = this.sessions.get(name) ?? { records: [] };
    this.sessions.set(name, session);
    return session;
  }

  private _throwIfFailing(): void {
    if (this.failure) {
      throw this.failure;
    }
  }

  private _loseResponse(): void {
    if (this.lostResponses-- > 0) {
      throw new ApiError(0, 'unreachable', '');
    }
  }
}

/** An observation is recorded only if its source differs from the last recorded one. */
function isNews({ records }: ISession, event: EventBody): boolean {
  // A source that was already recorded once; see `createSavedState`.
  const { trigger, again } = event.data ?? {};
  const isObservation = trigger === 'first' || !!again;
  return !isObservation || lastSource(records) !== event.source;
}

/** If the session already has a record with this id, return that. */
function append(
  { records }: ISession,
  record: Partial<Interaction> | EventBody
): IRecord {
  const id = (record as EventBody).id;
  const existing = records.find(other => id && other.id === id);
  if (!existing) {
    const seq = (records.at(-1)?.seq ?? 0) + 1;
    records.push({ ...record, seq } as IRecord);
  }
  return existing ?? records[records.length - 1];
}

/** Null if the records don't contain a source. */
export function lastSource(records: readonly IRecord[]): string | null {
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
  const codes = records.map(
    record => record.source ?? record.ai_response?.suggestion
  );
  const newest = codes.filter(Boolean).at(-1) ?? '';
  const summary = {
    notebookId,
    cellId,
    turns: turns.length,
    events: records.length - turns.length,
    lastSource: newest.slice(0, 500).split('\n').slice(0, 10).join('\n')
  };
  return summary as SessionSummary;
}
