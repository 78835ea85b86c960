/**
 * Finds the cell that a program replaced: some extensions set a cell's source by deleting the cell
 * and inserting a new one. The new cell is recorded as a copy of the deleted one, so that unchanged
 * lines keep their contributors.
 */
import type { CellOperation, ICellState } from '../lineage';
import type { IWriter } from '../../../records/contributor';

interface IDeleted {
  readonly id: string;
  readonly index: number;
  readonly writer: IWriter;
}

export class ReplacedCell {
  /** Remember the deleted cell if deleting one cell is all that a transaction did. */
  update(operations: readonly CellOperation[], writer: IWriter): void {
    const [first] = operations;
    this._deleted =
      operations.length === 1 && first.kind === 'delete'
        ? { id: first.id, index: first.index, writer }
        : null;
  }

  /** The id of the cell that a new cell replaces; null if there is none. */
  findFor(
    cell: ICellState,
    index: number,
    writer: IWriter,
    deletedCells: ReadonlyMap<string, ICellState>
  ): string | null {
    const deleted = this._deleted;
    // `pending`: the writer is a program that made both changes in the same task.
    const isReplaced =
      deleted?.index === index && deleted.writer === writer && writer.pending;
    return isReplaced && deletedCells.get(deleted.id)?.type === cell.type
      ? deleted.id
      : null;
  }

  private _deleted: IDeleted | null = null;
}
