/**
 * Finds the cell that a program replaced with a new cell. Some extensions change a cell's source by
 * deleting the cell and inserting a new cell. AI Server records the new cell as a copy of the
 * deleted cell, so that unchanged lines keep their contributors.
 */
import type { CellOperation, ICellState } from '../lineage';
import type { IWriter } from '../../../records/contributor';

interface IDeletedCell {
  readonly id: string;
  readonly index: number;
  readonly writer: IWriter;
}

export class ReplacedCell {
  /**
   * Remember the cell that a transaction deleted, if deleting this cell was the only operation of
   * the transaction. Forget the cell that was remembered before.
   */
  update(operations: readonly CellOperation[], writer: IWriter): void {
    const [first] = operations;
    this._deleted =
      operations.length === 1 && first.kind === 'delete'
        ? { id: first.id, index: first.index, writer }
        : null;
  }

  /**
   * Return the id of the deleted cell that the new cell at `index` replaces; null if the new cell
   * replaces no cell.
   */
  findFor(
    cell: ICellState,
    index: number,
    writer: IWriter,
    deletedCells: ReadonlyMap<string, ICellState>
  ): string | null {
    const deleted = this._deleted;
    // A writer that is still `pending` belongs to one task only; see `TaskWriter`. So if both
    // changes have the same pending writer, they happened in the same task.
    const isReplaced =
      deleted?.index === index && deleted.writer === writer && writer.pending;
    return isReplaced && deletedCells.get(deleted.id)?.type === cell.type
      ? deleted.id
      : null;
  }

  private _deleted: IDeletedCell | null = null;
}
