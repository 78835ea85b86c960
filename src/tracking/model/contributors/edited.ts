/**
 * The cells that were edited and not noted yet, each with its writer.
 *
 * Invariants: an edit has one writer; before another one writes, what the first wrote is handed
 * on. A program that writes word by word, without a name, is handed on once.
 */
import type { IWriter } from '../../../records/contributor';

/** A cell that was edited, and the writer. */
export type Edited = readonly [id: string, writer: IWriter];

interface IEarlier {
  readonly source: string;
  readonly writer: IWriter;
}

export class EditedCells {
  /** @param _onReplaced Takes what a cell held before another writer changed it. */
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

  /** A cell was edited. @param source What it held before. */
  edit(id: string, writer: IWriter, source: string): void {
    const before = this._writers.get(id);
    this._writers.set(id, writer);
    if (!before || before.key === writer.key) {
      return;
    }
    this._handOn(id, before);
    if (mayBeSame(before, writer)) {
      this._earlier.set(id, { source, writer: before });
    } else {
      this._onReplaced(id, source, before);
    }
  }

  /** Hand on what was edited in a cell. @param source What it holds. */
  handOver(id: string, source: string): void {
    const writer = this.take(id);
    if (writer) {
      this._onReplaced(id, source, writer);
    }
  }

  /** All cells that were edited since the last call. */
  takeAll(): Edited[] {
    return [...this._writers.keys()].map(id => [id, this.take(id)!]);
  }

  /** The writer of a cell's edits since it was last taken. */
  take(id: string): IWriter | null {
    const writer = this._writers.get(id) ?? null;
    if (writer) {
      this._handOn(id, writer);
      this._writers.delete(id);
    }
    return writer;
  }

  /** Hand on what an earlier writer wrote, unless it is the same as the next. */
  private _handOn(id: string, next: IWriter): void {
    const earlier = this._earlier.get(id);
    this._earlier.delete(id);
    if (earlier && earlier.writer.key !== next.key) {
      this._onReplaced(id, earlier.source, earlier.writer);
    }
  }

  private readonly _writers = new Map<string, IWriter>();
  /** Earlier edits, by writers that may turn out to be the same. */
  private readonly _earlier = new Map<string, IEarlier>();
}

/** Whether two writers, the second not known yet, may turn out to be one program. */
function mayBeSame(before: IWriter, writer: IWriter): boolean {
  return writer.settled !== null && before.contributor?.kind !== 'person';
}
