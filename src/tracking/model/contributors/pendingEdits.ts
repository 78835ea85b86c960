/**
 * The "pending" edits: the edits that haven't been recorded yet, with their writers. A cell has at
 * most one pending edit. It comprises all consecutive edits of the cell by one writer.
 *
 * Invariants:
 * - Each edit has one writer. When another writer edits the cell, the pending edit is complete.
 * - If a program writes word by word, all of its writes form one edit. This is true even if AI
 *   Server finds out only afterwards that the same program made all of them.
 */
import type { IWriter } from '../../../records/contributor';

/** The id of an edited cell, and the writer who edited it. */
export type PendingEdit = readonly [id: string, writer: IWriter];

/**
 * The edit that was made before the pending edit of the same cell, by another writer. It isn't
 * complete yet, because both writers may turn out to be the same program.
 */
interface IEarlierEdit {
  readonly source: string;
  readonly writer: IWriter;
}

export class PendingEdits {
  /**
   * @param _onComplete Called when an edit is complete: another writer has edited the cell, or
   * `complete` was called. `source` is the source after the completed edit.
   */
  constructor(
    private readonly _onComplete: (
      id: string,
      source: string,
      writer: IWriter
    ) => void
  ) {}

  /** Return the writer of a cell's pending edit; undefined if the cell has none. */
  get(id: string): IWriter | undefined {
    return this._writers.get(id);
  }

  /**
   * Add an edit of a cell.
   *
   * @param source The cell's source before the added edit.
   */
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

  /**
   * Complete the pending edit of a cell, if there is one.
   *
   * @param source The cell's source after the pending edit.
   */
  complete(id: string, source: string): void {
    const writer = this.take(id);
    if (writer) {
      this._onComplete(id, source, writer);
    }
  }

  takeAll(): PendingEdit[] {
    return [...this._writers.keys()].map(id => [id, this.take(id)!]);
  }

  /** Remove the pending edit of a cell, and return its writer; null if there is none. */
  take(id: string): IWriter | null {
    const writer = this._writers.get(id) ?? null;
    if (writer) {
      this._completeEarlierEdit(id, writer);
      this._writers.delete(id);
    }
    return writer;
  }

  /**
   * Complete the earlier edit of a cell, if there is one. `next` is the writer of the pending edit.
   * If both edits have turned out to have the same writer, the earlier edit is a part of the
   * pending edit. So only forget it.
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
   * Maps a cell's id to the edit before the cell's pending edit, as long as both may turn out to
   * have the same writer.
   */
  private readonly _earlierEdits = new Map<string, IEarlierEdit>();
}

/** Return whether `next` may turn out to be the same program as `previous`. */
function mayBeSameProgram(previous: IWriter, next: IWriter): boolean {
  return next.pending !== null && previous.contributor?.kind !== 'person';
}
