/** The cells that were deleted from a notebook, and what they held: undo brings them back. */
import type { ICellState } from '../lineage';

/** How many are remembered, the last ones. */
const MOST = 2000;

export class GoneCells {
  has(id: string): boolean {
    return this._cells.has(id);
  }

  get(id: string): ICellState | null {
    return this._cells.get(id) ?? null;
  }

  add(cell: ICellState): void {
    this._cells.delete(cell.id);
    this._cells.set(cell.id, cell);
    if (this._cells.size > MOST) {
      this._cells.delete(this._cells.keys().next().value!);
    }
  }

  delete(id: string): void {
    this._cells.delete(id);
  }

  private readonly _cells = new Map<string, ICellState>();
}
