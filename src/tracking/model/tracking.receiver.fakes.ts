/**
 * A server in memory, for specs of what is tracked: it does with `changes` what
 * `aiserver/notebooks/change_log.py` does.
 *
 * Played: the model that is asked.
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
import type { IServer } from './tracking.fakes';

let notebooks = 0;

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
  page?: string | null;
}

/** What a server keeps of one notebook or several. */
export class Receiver implements IServer {
  readonly sessions = new Map<string, ISession>();
  readonly logs = new Map<string, ILine[]>();
  readonly ids = new Set<string>();
  readonly blobs: Blob[] = [];
  /** Set to have each request fail so. */
  failure: Error | null = null;
  bodies: ChangesBody[] = [];
  /** So many next answers to changes get lost. */
  lost = 0;
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

  /** The notebook as it was at a line of its log: `[cell, source]` in order. */
  asOf(notebookId: string, end: number): [string, string][] {
    const log = this.logs.get(notebookId)!;
    const lines = log.slice(0, end + 1);
    const order = lines.filter(line => line.order).at(-1)!.order!;
    return order.map(id => {
      const seq = lines.filter(line => id in line.cells).at(-1)?.cells[id];
      const records = this.session(notebookId, id)?.records ?? [];
      const next = log.slice(end + 1).find(line => id in line.cells);
      const until = next ? (seq ?? 0) : Infinity;
      // What no line names (a turn, an accept) lies before it if nothing of the cell comes after.
      return [id, held(records.filter(one => one.seq <= until)) ?? ''];
    });
  }

  async register({
    notebookId
  }: NotebookBody): Promise<{ notebookId: string }> {
    return { notebookId: notebookId ?? `nb-${++notebooks}` };
  }

  async keep(picture: Blob): Promise<string> {
    this.blobs.push(picture);
    return 'a'.repeat(64);
  }

  async script(answer: string): Promise<void> {
    this.answer = answer;
  }

  private readonly _api = {
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
      const others = this._others(notebookId, body);
      const cells = this._change(notebookId, body, others);
      const seq = this.logs.get(notebookId)?.length ?? 0;
      this._loseAnswer();
      return { cells, seq, ...(others && { others }) };
    },
    models: async () => ({ models: [], providers: [] }),
    generate: (body: GenerateBody) => this._generate(body),
    stop: async () => undefined,
    warmUp: async () => undefined
  };
  readonly api = this._api as unknown as IServer['api'];

  /** The cells of which other pages told since the sender looked. */
  private _others(notebookId: string, { page, seen }: ChangesBody) {
    const log = this.logs.get(notebookId) ?? [];
    const lines = log
      .slice(seen ?? log.length)
      .filter(one => one.page !== page);
    const ids = lines.flatMap(line => Object.keys(line.cells));
    return lines.length ? [...new Set(ids)] : null;
  }

  private _change(
    notebookId: string,
    body: ChangesBody,
    others: readonly string[] | null
  ) {
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
        const { trigger, again } = event.data ?? {};
        const isLook = (trigger === 'first' || again) && event === events[0];
        if (!isLook || held(session.records) !== event.source) {
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
        saved: (body.saved ?? false) && !others,
        page: body.page
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

  private _loseAnswer(): void {
    if (this.lost-- > 0) {
      throw new ApiError(0, 'unreachable', '');
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
