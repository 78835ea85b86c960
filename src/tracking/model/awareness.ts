/**
 * Others in the same shared notebook (jupyter-collaboration) hear at once what this page had kept
 * of a cell, and this page hears it of them: what is on show of that cell is old.
 *
 * What must hold: it travels with where people's cursors are (Yjs calls that awareness), so the
 * notebook itself does not grow; what was heard is not told on.
 */
import type { IAwareness } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';

/** The name under which each page says of which cells it had something kept. */
const FIELD = 'aiserver_kept';

/** How many cells a page names at a time: it is sent to all with each move of a cursor. */
const MOST = 50;

/** Cells of which something was kept, with a number that rises each time; the newest last. */
type Kept = readonly (readonly [cellId: string, count: number])[];

export class Others implements IDisposable {
  /** @param _tell Is called with the cell of which another page had something kept. */
  constructor(
    private readonly _awareness: IAwareness,
    private readonly _tell: (cellId: string) => void
  ) {
    _awareness.on('change', this._onChange);
  }

  /** Tell the others that something was kept of a cell. */
  announce(cellId: string): void {
    if (!this._news.size) {
      // What is kept of many cells at once are few messages.
      void Promise.resolve().then(() => this._send());
    }
    this._news.delete(cellId);
    this._news.add(cellId);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._awareness.off('change', this._onChange);
    }
  }

  private _send(): void {
    const news = [...this._news];
    this._news.clear();
    for (let at = 0; at < news.length && !this._isDisposed; at += MOST) {
      this._say(news.slice(at, at + MOST));
    }
  }

  /** Each time it is sent to those who are there, so all hear of all. */
  private _say(news: readonly string[]): void {
    // Two views of one notebook say it in the same place.
    const said = keptOf(this._awareness.getLocalState());
    const count = 1 + Math.max(0, ...said.map(([, each]) => each));
    const older = said.filter(([cellId]) => !news.includes(cellId));
    const newer = news.map(cellId => [cellId, count] as const);
    this._awareness.setLocalStateField(
      FIELD,
      [...older, ...newer].slice(-MOST)
    );
  }

  private readonly _onChange = ({ added, updated }: IAwarenessChange) => {
    const { clientID } = this._awareness;
    for (const client of [...added, ...updated]) {
      if (client !== clientID) {
        this._hear(client);
      }
    }
  };

  private _hear(client: number): void {
    const kept = keptOf(this._awareness.getStates().get(client));
    const known = new Map(this._heard.get(client));
    this._heard.set(client, kept);
    kept
      .filter(([cellId, count]) => count !== known.get(cellId))
      .forEach(([cellId]) => this._tell(cellId));
  }

  private readonly _heard = new Map<number, Kept>();
  private _isDisposed = false;
  private readonly _news = new Set<string>();
}

/** Whose state came, changed or went, as Yjs tells it. */
interface IAwarenessChange {
  readonly added: readonly number[];
  readonly updated: readonly number[];
}

/** What a page says. Anybody may have written anything there. */
function keptOf(state: Record<string, unknown> | null | undefined): Kept {
  const kept = state?.[FIELD];
  const isOne = (each: unknown): each is Kept[number] =>
    Array.isArray(each) &&
    typeof each[0] === 'string' &&
    typeof each[1] === 'number';
  return Array.isArray(kept) ? kept.filter(isOne) : [];
}
