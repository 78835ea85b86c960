/**
 * Finds the cell that a program replaced: some extensions change a source by deleting the cell and
 * inserting a new one. The new cell is recorded as a copy, so that unchanged lines keep their
 * contributors.
 */
import type { CellOperation, ICellState } from '../lineage';
import type { IWriter } from '../../../records/contributor';

interface IDeletedCell {
  readonly id: string;
  readonly index: number;
  readonly writer: IWriter;
}

export class ReplacedCell {
  /** Remember the cell whose deletion was a transaction's only operation, if any. */
  update(operations: readonly CellOperation[], writer: IWriter): void {
    const [first] = operations;
    this._deleted =
      operations.length === 1 && first.kind === 'delete'
        ? { id: first.id, index: first.index, writer }
        : null;
  }

  /**
   * Return the id of the deleted cell that the new cell at `index` replaces; null if it replaces
   * none.
   */
  findFor(
    cell: ICellState,
    index: number,
    writer: IWriter,
    deletedCells: ReadonlyMap<string, ICellState>
  ): string | null {
    const deleted = this._deleted;
    // A `pending` writer belongs to one task (see `TaskWriter`), so both changes happened in it.
    const isReplaced =
      deleted?.index === index && deleted.writer === writer && writer.pending;
    return isReplaced && deletedCells.get(deleted.id)?.type === cell.type
      ? deleted.id
      : null;
  }

  private _deleted: IDeletedCell | null = null;
}
