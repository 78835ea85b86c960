/**
 * Passes the changes of a watched notebook to the history. A change contains the order of the cells
 * if it, or a cell's type, differs from the last recorded one.
 *
 * Invariant: a change that lacks a contributor or an output's preview is passed as a promise, as is
 * a save. Later changes are sent after it has resolved.
 */
import { JSONExt, PromiseDelegate } from '@lumino/coreutils';

import type { CellChange, PlacedCell } from '../../../api/types';
import type { INotebookChange } from '../../../tokens';

/** The longest time for which later changes wait for the end of a save. */
const MAX_SAVE_MS = 10_000;

export class ChangePusher {
  /** @param _onChange Called with each change, in order. */
  constructor(
    private readonly _onChange: (
      change: INotebookChange | Promise<INotebookChange>
    ) => void,
    private readonly _readOrder: () => PlacedCell[]
  ) {}

  /** @param pending Resolve when the missing parts of the change have been added. */
  push(change: INotebookChange, pending: readonly Promise<void>[] = []): void {
    this._onChange(
      pending.length
        ? Promise.all(pending).then(() => this._withIncludedCells(change))
        : this._withIncludedCells(change)
    );
  }

  pushListChange(
    cells: readonly CellChange[],
    pending: readonly Promise<void>[]
  ): void {
    const order = this._readOrder();
    const isNewOrder = !JSONExt.deepEqual(order, this._recordedOrder);
    if (cells.length || isNewOrder) {
      const change = { cells: [...cells], ...(isNewOrder && { order }) };
      this._recordedOrder = order;
      this.push(change, pending);
    }
  }

  pushInitial(cells: CellChange[]): void {
    const order = (this._recordedOrder = this._readOrder());
    this.push({ cells, order, isInitial: true });
  }

  /**
   * Add a cell without events to the next change, or to an earlier one that is pending and resolves
   * first. Its events, such as an `accept`, are recorded separately: this tells the server that the
   * change comes after them.
   */
  includeCell(cellId: string): void {
    this._includedCells.add(cellId);
  }

  pushIncludedCells(): void {
    if (this._includedCells.size) {
      this.push({ cells: [] });
    }
  }

  /** Treat `order` as recorded, so that it isn't pushed. */
  markOrderRecorded(order = this._readOrder()): void {
    this._recordedOrder = order;
  }

  /**
   * Reserve a place for a save before all changes that are pushed from now on, because the file
   * doesn't contain them. They wait until the save has ended.
   *
   * @param savedState Creates a change with the sources that the save writes; see `INotebookChange`.
   */
  beginSave(savedState: INotebookChange['savedState']): void {
    this.endSave(false);
    const { cells } = this._withIncludedCells({ cells: [] });
    const change = new PromiseDelegate<INotebookChange>();
    // JupyterLab doesn't tell if the person cancels a save, so don't wait for ever.
    const timer = setTimeout(() => this.endSave(false), MAX_SAVE_MS);
    this._endSave = isCompleted => {
      clearTimeout(timer);
      this._endSave = null;
      if (isCompleted) {
        change.resolve({ cells, saved: true, savedState });
      } else if (cells.length) {
        change.resolve({ cells });
      } else {
        change.reject(new Error('The save was not completed.'));
      }
    };
    this._onChange(change.promise);
  }

  /** Record the save that has begun, or only stop waiting for its end. */
  endSave(isCompleted: boolean): void {
    this._endSave?.(isCompleted);
  }

  private _withIncludedCells(change: INotebookChange): INotebookChange {
    const cellIds = [...this._includedCells].filter(
      id => !change.cells.some(({ cellId }) => cellId === id)
    );
    this._includedCells.clear();
    const cells = cellIds.map(cellId => ({ cellId, events: [] }));
    return { ...change, cells: [...change.cells, ...cells] };
  }

  private readonly _includedCells = new Set<string>();
  /** The last order that any page has recorded. */
  private _recordedOrder: readonly PlacedCell[] = [];
  /** Null if no save has begun. */
  private _endSave: ((isCompleted: boolean) => void) | null = null;
}
