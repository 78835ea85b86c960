/**
 * A cell that a program deleted to put another in its place, as some extensions set a cell's text:
 * the new one goes on from it, so that the lines that stay keep their authors.
 */
import type { Happening, ICellState } from '../lineage';
import type { IWriter } from '../../../records/contributor';

interface IDeleted {
  readonly id: string;
  readonly index: number;
  readonly writer: IWriter;
}

export class ReplacedCell {
  /** Take in what a step did. */
  after(found: readonly Happening[], writer: IWriter): void {
    const [first] = found;
    this._deleted =
      found.length === 1 && first.kind === 'delete'
        ? { id: first.id, index: first.index, writer }
        : null;
  }

  /**
   * The cell in whose place a new one was put, in one go with its deletion.
   *
   * @param find A cell that was deleted.
   */
  of(
    cell: ICellState,
    index: number,
    writer: IWriter,
    find: (id: string) => ICellState | null
  ): string | null {
    const deleted = this._deleted;
    const isOne =
      deleted?.index === index && deleted.writer === writer && writer.settled;
    return isOne && find(deleted.id)?.type === cell.type ? deleted.id : null;
  }

  private _deleted: IDeleted | null = null;
}
