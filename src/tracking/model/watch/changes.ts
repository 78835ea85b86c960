/**
 * Passes the changes of one watched notebook to the history. A change contains the order of the
 * cells if this order, or the type of a cell, differs from what was recorded last.
 *
 * Invariant: a change that still lacks a contributor or the preview of an output is passed as a
 * promise. Later changes are sent after the promise has resolved. So is a save.
 */
import { JSONExt, PromiseDelegate } from '@lumino/coreutils';

import type { CellChange, PlacedCell } from '../../../api/types';
import type { INotebookChange } from '../../../tokens';

/** The longest time for which later changes wait for the end of a save, in milliseconds. */
const MAX_SAVE_MS = 10_000;

export class ChangePusher {
  /**
   * @param _onChange Called with each change, in order.
   * @param _readOrder Returns the current order of the cells.
   */
  constructor(
    private readonly _onChange: (
      change: INotebookChange | Promise<INotebookChange>
    ) => void,
    private readonly _readOrder: () => PlacedCell[]
  ) {}

  /**
   * Push a change.
   *
   * @param pending Promises that resolve when the missing parts of the change have been added.
   */
  push(change: INotebookChange, pending: readonly Promise<void>[] = []): void {
    this._onChange(
      pending.length
        ? Promise.all(pending).then(() => this._withIncludedCells(change))
        : this._withIncludedCells(change)
    );
  }

  /**
   * Push the events of a change of the list of cells. If the order of the cells has changed, also
   * push the new order. Push nothing if there are no events and the order is unchanged.
   */
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

  /** Push the first change of a watch: the events of `cells`, and the order of all cells. */
  pushInitial(cells: CellChange[]): void {
    const order = (this._recordedOrder = this._readOrder());
    this.push({ cells, order, isInitial: true });
  }

  /**
   * Add a cell without events to the next change. The cell's events, such as an `accept`, are
   * recorded separately. The added cell tells the server that the change comes after these events.
   * If an earlier change is still pending and resolves first, the cell is added to that change.
   */
  includeCell(cellId: string): void {
    this._includedCells.add(cellId);
  }

  /** If there are cells that `includeCell` has added, push a change with these cells. */
  pushIncludedCells(): void {
    if (this._includedCells.size) {
      this.push({ cells: [] });
    }
  }

  /** Treat `order` as recorded, so that it isn't pushed. The default is the current order. */
  markOrderRecorded(order = this._readOrder()): void {
    this._recordedOrder = order;
  }

  /**
   * Reserve a place for a save that has begun: before all changes that are pushed from now on,
   * because the file doesn't contain them. They wait until the save has ended.
   *
   * @param savedState Creates a change with the sources that the save writes into the file; see
   * `INotebookChange`.
   */
  beginSave(savedState: INotebookChange['savedState']): void {
    this.endSave(false);
    const { cells } = this._withIncludedCells({ cells: [] });
    const change = new PromiseDelegate<INotebookChange>();
    // JupyterLab doesn't tell if the person cancels a save, so don't wait for its end for ever.
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
  /** The last order that this page or another page has recorded. */
  private _recordedOrder: readonly PlacedCell[] = [];
  /** Ends the save that has begun; null if there is none. */
  private _endSave: ((isCompleted: boolean) => void) | null = null;
}
