/**
 * The cells with unrecorded edits, each with its writer.
 *
 * Invariants: an edit has one writer; before another writer edits the cell, the pending edit is
 * emitted. The edits of an unnamed program that writes word by word are emitted once.
 */
import type { IWriter } from '../../../records/contributor';

/** An edited cell and its writer. */
export type PendingEdit = readonly [id: string, writer: IWriter];

interface IEarlier {
  readonly source: string;
  readonly writer: IWriter;
}

export class PendingEdits {
  /** @param _onReplaced Receives a cell's source before another writer changes it. */
  constructor(
    private readonly _onReplaced: (
      id: string,
      source: string,
      writer: IWriter
    ) => void
  ) {}

  /** The writer of a cell's edits. */
  get(id: string): IWriter | undefined {
    return this._writers.get(id);
  }

  /** Add an edit of a cell. @param source The source before the edit. */
  edit(id: string, writer: IWriter, source: string): void {
    const before = this._writers.get(id);
    this._writers.set(id, writer);
    if (!before || before.key === writer.key) {
      return;
    }
    this._emitEarlier(id, before);
    if (canBeSame(before, writer)) {
      this._earlier.set(id, { source, writer: before });
    } else {
      this._onReplaced(id, source, before);
    }
  }

  /** Emit the pending edit of a cell. @param source The current source. */
  release(id: string, source: string): void {
    const writer = this.take(id);
    if (writer) {
      this._onReplaced(id, source, writer);
    }
  }

  /** Returns and clears all pending edits. */
  takeAll(): PendingEdit[] {
    return [...this._writers.keys()].map(id => [id, this.take(id)!]);
  }

  /** Returns the writer of a cell's pending edit, and clears the edit. */
  take(id: string): IWriter | null {
    const writer = this._writers.get(id) ?? null;
    if (writer) {
      this._emitEarlier(id, writer);
      this._writers.delete(id);
    }
    return writer;
  }

  /** Emit an earlier edit, unless its writer turned out to be the next one. */
  private _emitEarlier(id: string, next: IWriter): void {
    const earlier = this._earlier.get(id);
    this._earlier.delete(id);
    if (earlier && earlier.writer.key !== next.key) {
      this._onReplaced(id, earlier.source, earlier.writer);
    }
  }

  private readonly _writers = new Map<string, IWriter>();
  /** Earlier edits whose writers may turn out to be the current ones. */
  private readonly _earlier = new Map<string, IEarlier>();
}

/** Whether two writers may turn out to be one program, because the second isn't known yet. */
function canBeSame(before: IWriter, writer: IWriter): boolean {
  return writer.pending !== null && before.contributor?.kind !== 'person';
}
