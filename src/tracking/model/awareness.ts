/**
 * Notifies the other pages of a shared notebook (jupyter-collaboration) when this page has written
 * a session, so that their views show the new content.
 *
 * Invariants:
 * - Notifications are not stored in the notebook. They are sent as Yjs awareness states, like the
 *   positions of the cursors.
 * - A page doesn't forward the notifications that it receives.
 */
import type { IAwareness } from '@jupyter/ydoc';

/** The field of a page's awareness state that contains the page's `Writes`. */
const FIELD = 'aiserver_kept';

/** The maximum number of cells in the field. It is low because each cursor move sends the field. */
const MAX_CELLS = 50;

/**
 * The cells whose sessions a page has written, the newest write last. `writeNumber` is different
 * for each write of the same cell's session.
 */
type Writes = readonly (readonly [cellId: string, writeNumber: number])[];

export class SessionAwareness {
  /** @param _onRemoteWrite Called with the id of a cell whose session another page wrote. */
  constructor(
    private readonly _awareness: IAwareness,
    private readonly _onRemoteWrite: (cellId: string) => void
  ) {
    _awareness.on('change', this._onChange);
  }

  /** Notify the other pages that this page has written the session of a cell. */
  announce(cellId: string): void {
    if (!this._pending.size) {
      // Wait for the end of the current task, so that all writes of the task are sent together.
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

  /** Add cells to the field of this page's awareness state, which Yjs then sends. */
  private _publish(cellIds: readonly string[]): void {
    // Another view in this page may show the same notebook and write into the same field. So keep
    // the cells that are already in the field.
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
  /** The ids of the cells to announce at the end of the current task. */
  private readonly _pending = new Set<string>();
}

/** The argument of Yjs's `change` event: the ids of the clients whose awareness states changed. */
interface IAwarenessChange {
  readonly added: readonly number[];
  readonly updated: readonly number[];
}

/** Read the writes in a page's awareness state. Other programs may set invalid values. */
function writesOf(state: Record<string, unknown> | null | undefined): Writes {
  const value = state?.[FIELD];
  const isWrite = (write: unknown): write is Writes[number] =>
    Array.isArray(write) &&
    typeof write[0] === 'string' &&
    typeof write[1] === 'number';
  return Array.isArray(value) ? value.filter(isWrite) : [];
}
