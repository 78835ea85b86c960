/**
 * The cells with unrecorded ("pending") edits, each with the writer of its edit.
 *
 * Invariants: an edit has one writer; before another writer edits the cell, the pending edit is
 * emitted. If a program without a name writes word by word, its edits are emitted as one edit.
 */
import type { IWriter } from '../../../records/contributor';

/** An edited cell and its writer. */
export type PendingEdit = readonly [id: string, writer: IWriter];

/** The edit before the pending one, with the source that it left. */
interface IEarlierEdit {
  readonly source: string;
  readonly writer: IWriter;
}

export class PendingEdits {
  /** @param _onReplaced Called to emit an edit: with the source that `writer` left. */
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
  add(id: string, writer: IWriter, source: string): void {
    const previous = this._writers.get(id);
    this._writers.set(id, writer);
    if (!previous || previous.key === writer.key) {
      return;
    }
    this._emitEarlierEdit(id, previous);
    if (mayBeSameProgram(previous, writer)) {
      this._earlierEdits.set(id, { source, writer: previous });
    } else {
      this._onReplaced(id, source, previous);
    }
  }

  /** Emit the pending edit of a cell. @param source The cell's current source. */
  emit(id: string, source: string): void {
    const writer = this.take(id);
    if (writer) {
      this._onReplaced(id, source, writer);
    }
  }

  /** Return and clear all pending edits. */
  takeAll(): PendingEdit[] {
    return [...this._writers.keys()].map(id => [id, this.take(id)!]);
  }

  /** Clear the pending edit of a cell, and return its writer; null if there is none. */
  take(id: string): IWriter | null {
    const writer = this._writers.get(id) ?? null;
    if (writer) {
      this._emitEarlierEdit(id, writer);
      this._writers.delete(id);
    }
    return writer;
  }

  /** Emit the earlier edit of a cell, unless its writer turned out to be the next writer. */
  private _emitEarlierEdit(id: string, next: IWriter): void {
    const earlier = this._earlierEdits.get(id);
    this._earlierEdits.delete(id);
    if (earlier && earlier.writer.key !== next.key) {
      this._onReplaced(id, earlier.source, earlier.writer);
    }
  }

  private readonly _writers = new Map<string, IWriter>();
  /** Edits before the pending ones whose writers may turn out to be the same. */
  private readonly _earlierEdits = new Map<string, IEarlierEdit>();
}

/** Whether two writers may turn out to be one program, because it isn't known yet who `next` is. */
function mayBeSameProgram(previous: IWriter, next: IWriter): boolean {
  return next.pending !== null && previous.contributor?.kind !== 'person';
}
