/**
 * Notifies the other pages of a shared notebook (jupyter-collaboration) when a session is written,
 * and receives their notifications, so that views update.
 *
 * Invariants: notifications are sent as Yjs awareness states, like the positions of cursors, so
 * they don't make the notebook larger. A page doesn't forward the notifications that it receives.
 */
import type { IAwareness } from '@jupyter/ydoc';

/** The field of a page's awareness state that lists the cells whose sessions the page wrote. */
const FIELD = 'aiserver_kept';

/** The largest number of cells in the field. The state is sent with each move of a cursor. */
const MAX_CELLS = 50;

/** The ids of written cells, each with a number that grows with each write; the newest last. */
type Writes = readonly (readonly [cellId: string, count: number])[];

export class SessionAwareness {
  /** @param _onRemote Called with the id of a cell whose session another page wrote. */
  constructor(
    private readonly _awareness: IAwareness,
    private readonly _onRemote: (cellId: string) => void
  ) {
    _awareness.on('change', this._onChange);
  }

  /** Notify the other pages that the session of a cell was written. */
  announce(cellId: string): void {
    if (!this._pending.size) {
      // Wait for the end of the task, to combine simultaneous writes into few messages.
      void Promise.resolve().then(() => this._send());
    }
    this._pending.delete(cellId);
    this._pending.add(cellId);
  }

  dispose(): void {
    this._isDisposed = true;
    this._awareness.off('change', this._onChange);
  }

  private _send(): void {
    const cellIds = [...this._pending];
    this._pending.clear();
    for (
      let at = 0;
      at < cellIds.length && !this._isDisposed;
      at += MAX_CELLS
    ) {
      this._publish(cellIds.slice(at, at + MAX_CELLS));
    }
  }

  /** Publish the ids of written cells. Each call sends one state. */
  private _publish(cellIds: readonly string[]): void {
    // Two views of one notebook share the state, so keep what the other view has published.
    const published = writesOf(this._awareness.getLocalState());
    const count = 1 + Math.max(0, ...published.map(([, number]) => number));
    const older = published.filter(([cellId]) => !cellIds.includes(cellId));
    const newer = cellIds.map(cellId => [cellId, count] as const);
    this._awareness.setLocalStateField(
      FIELD,
      [...older, ...newer].slice(-MAX_CELLS)
    );
  }

  private readonly _onChange = ({ added, updated }: IAwarenessChange) => {
    const { clientID } = this._awareness;
    for (const client of [...added, ...updated]) {
      if (client !== clientID) {
        this._receive(client);
      }
    }
  };

  private _receive(client: number): void {
    const writes = writesOf(this._awareness.getStates().get(client));
    const previous = new Map(this._received.get(client));
    this._received.set(client, writes);
    writes
      .filter(([cellId, count]) => count !== previous.get(cellId))
      .forEach(([cellId]) => this._onRemote(cellId));
  }

  /** By client: the writes that it has announced. */
  private readonly _received = new Map<number, Writes>();
  private _isDisposed = false;
  /** The ids of written cells that aren't announced yet. */
  private readonly _pending = new Set<string>();
}

/** Yjs's description of changed awareness states. */
interface IAwarenessChange {
  readonly added: readonly number[];
  readonly updated: readonly number[];
}

/** The writes in a page's state, which may contain anything. */
function writesOf(state: Record<string, unknown> | null | undefined): Writes {
  const value = state?.[FIELD];
  const isWrite = (each: unknown): each is Writes[number] =>
    Array.isArray(each) &&
    typeof each[0] === 'string' &&
    typeof each[1] === 'number';
  return Array.isArray(value) ? value.filter(isWrite) : [];
}
