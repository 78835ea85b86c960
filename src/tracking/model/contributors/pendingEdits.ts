/**
 * The edits that haven't been recorded yet, with their writers. A cell has at most one pending edit:
 * all consecutive edits by one writer.
 *
 * Invariants:
 * - Each edit has one writer. When another writer edits the cell, the pending edit is complete.
 * - If a program writes word by word, its writes form one edit, even if AI Server finds out only
 *   afterwards that the same program made them.
 */
import type { IWriter } from '../../../records/contributor';

export type PendingEdit = readonly [id: string, writer: IWriter];

/**
 * The edit by another writer before the pending one. It isn't complete, because both writers may
 * turn out to be the same program.
 */
interface IEarlierEdit {
  readonly source: string;
  readonly writer: IWriter;
}

export class PendingEdits {
  /**
   * @param _onComplete Called when another writer has edited the cell, or `complete` was called.
   * `source` is the source after the completed edit.
   */
  constructor(
    private readonly _onComplete: (
      id: string,
      source: string,
      writer: IWriter
    ) => void
  ) {}

  get(id: string): IWriter | undefined {
    return this._writers.get(id);
  }

  /** @param source The cell's source before the added edit. */
  add(id: string, writer: IWriter, source: string): void {
    const previous = this._writers.get(id);
    this._writers.set(id, writer);
    if (!previous || previous.key === writer.key) {
      return;
    }
    this._completeEarlierEdit(id, previous);
    if (mayBeSameProgram(previous, writer)) {
      this._earlierEdits.set(id, { source, writer: previous });
    } else {
      this._onComplete(id, source, previous);
    }
  }

  /** @param source The cell's source after the pending edit. */
  complete(id: string, source: string): void {
    const writer = this.take(id);
    if (writer) {
      this._onComplete(id, source, writer);
    }
  }

  takeAll(): PendingEdit[] {
    return [...this._writers.keys()].map(id => [id, this.take(id)!]);
  }

  take(id: string): IWriter | null {
    const writer = this._writers.get(id) ?? null;
    if (writer) {
      this._completeEarlierEdit(id, writer);
      this._writers.delete(id);
    }
    return writer;
  }

  /**
   * Complete the edit before the pending one, which is by `next`. If both have turned out to have
   * the same writer, the earlier edit is a part of the pending one, so only forget it.
   */
  private _completeEarlierEdit(id: string, next: IWriter): void {
    const earlier = this._earlierEdits.get(id);
    this._earlierEdits.delete(id);
    if (earlier && earlier.writer.key !== next.key) {
      this._onComplete(id, earlier.source, earlier.writer);
    }
  }

  private readonly _writers = new Map<string, IWriter>();
  /**
   * The edits before the pending ones, by cell, as long as both writers may turn out to be the same.
   */
  private readonly _earlierEdits = new Map<string, IEarlierEdit>();
}

function mayBeSameProgram(previous: IWriter, next: IWriter): boolean {
  return next.pending !== null && previous.contributor?.kind !== 'person';
}
