/**
 * A cell that a program replaced by deleting it and inserting another, as some extensions do to set
 * a cell's source. The new cell is a copy of it, so that unchanged lines keep their contributors.
 */
import type { CellOperation, ICellState } from '../lineage';
import type { IWriter } from '../../../records/contributor';

interface IDeleted {
  readonly id: string;
  readonly index: number;
  readonly writer: IWriter;
}

export class ReplacedCell {
  /** Remember the cell that a step deleted. */
  update(operations: readonly CellOperation[], writer: IWriter): void {
    const [first] = operations;
    this._deleted =
      operations.length === 1 && first.kind === 'delete'
        ? { id: first.id, index: first.index, writer }
        : null;
  }

  /** The id of the cell that a new cell replaces; null if there is none. */
  of(
    cell: ICellState,
    index: number,
    writer: IWriter,
    deletedCells: ReadonlyMap<string, ICellState>
  ): string | null {
    const deleted = this._deleted;
    const isReplaced =
      deleted?.index === index && deleted.writer === writer && writer.pending;
    return isReplaced && deletedCells.get(deleted.id)?.type === cell.type
      ? deleted.id
      : null;
  }

  private _deleted: IDeleted | null = null;
}
