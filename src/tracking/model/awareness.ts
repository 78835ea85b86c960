/**
 * Notifies the other pages of a shared notebook (jupyter-collaboration) when this page has written a
 * session, so that their views show it.
 *
 * Invariants:
 * - Notifications are sent as Yjs awareness states, like the positions of the cursors, and not
 *   stored in the notebook.
 * - A page doesn't forward the notifications that it receives.
 */
import type { IAwareness } from '@jupyter/ydoc';

/** The field of a page's awareness state with its `Writes`. */
const FIELD = 'aiserver_kept';

/** Low, because each cursor move sends the field. */
const MAX_CELLS = 50;

/**
 * The cells whose sessions a page has written, the newest write last. `writeNumber` differs for each
 * write of the same session.
 */
type Writes = readonly (readonly [cellId: string, writeNumber: number])[];

export class SessionAwareness {
  constructor(
    private readonly _awareness: IAwareness,
    private readonly _onRemoteWrite: (cellId: string) => void
  ) {
    _awareness.on('change', this._onChange);
  }

  announce(cellId: string): void {
    if (!this._pending.size) {
      // At the end of the task, so that all of its writes are sent together.
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
      let start = 0;
      start < cellIds.length && !this._isDisposed;
      start += MAX_CELLS
    ) {
      this._publish(cellIds.slice(start, start + MAX_CELLS));
    }
  }

  private _publish(cellIds: readonly string[]): void {
    // Another view of the notebook in this page may write into the same field.
    const published = writesOf(this._awareness.getLocalState());
    const writeNumber = 1 + Math.max(0, ...published.map(write => write[1]));
    const otherWrites = published.filter(
      ([cellId]) => !cellIds.includes(cellId)
    );
    const newWrites = cellIds.map(cellId => [cellId, writeNumber] as const);
    this._awareness.setLocalStateField(
      FIELD,
      [...otherWrites, ...newWrites].slice(-MAX_CELLS)
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
      .filter(([cellId, writeNumber]) => writeNumber !== previous.get(cellId))
      .forEach(([cellId]) => this._onRemoteWrite(cellId));
  }

  private readonly _received = new Map<number, Writes>();
  private _isDisposed = false;
  private readonly _pending = new Set<string>();
}

/** The argument of Yjs's `change` event: the clients whose awareness states changed. */
interface IAwarenessChange {
  readonly added: readonly number[];
  readonly updated: readonly number[];
}

/** Other programs may set invalid values. */
function writesOf(state: Record<string, unknown> | null | undefined): Writes {
  const value = state?.[FIELD];
  const isWrite = (write: unknown): write is Writes[number] =>
    Array.isArray(write) &&
    typeof write[0] === 'string' &&
    typeof write[1] === 'number';
  return Array.isArray(value) ? value.filter(isWrite) : [];
}
