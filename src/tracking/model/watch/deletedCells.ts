/** The deleted cells of a notebook with their last source, because undo may restore them. */
import type { ICellState } from '../lineage';

/** Most cells that are remembered; the oldest are dropped. */
const MAX_CELLS = 2000;

export class DeletedCells {
  has(id: string): boolean {
    return this._cells.has(id);
  }

  get(id: string): ICellState | null {
    return this._cells.get(id) ?? null;
  }

  add(cell: ICellState): void {
    this._cells.delete(cell.id);
    this._cells.set(cell.id, cell);
    if (this._cells.size > MAX_CELLS) {
      this._cells.delete(this._cells.keys().next().value!);
    }
  }

  delete(id: string): void {
    this._cells.delete(id);
  }

  private readonly _cells = new Map<string, ICellState>();
}
