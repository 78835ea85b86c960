/**
 * Passes the changes of one watched notebook to the history, with the order of its cells whenever
 * that order has changed.
 *
 * Invariant: a change whose contributors aren't known yet is passed as a promise, and the changes
 * after it are sent only when it has resolved.
 */
import type { CellChange, PlacedCell } from '../../../api/types';
import type { INotebookChange } from '../../../tokens';
import { sameOrder } from './recordedState';

type SavedState = INotebookChange['savedState'];

export class WatchChanges {
  /**
   * @param _onChange Receives the changes, in order.
   * @param _order Reads the current order of the cells.
   */
  constructor(
    private readonly _onChange: (
      change: INotebookChange | Promise<INotebookChange>
    ) => void,
    private readonly _order: () => PlacedCell[]
  ) {}

  /** Push a change once all `pending` promises have resolved. */
  push(change: INotebookChange, pending: readonly Promise<void>[] = []): void {
    this._pushCount++;
    this._onChange(
      pending.length
        ? Promise.all(pending).then(() => this._withIncludedCells(change))
        : this._withIncludedCells(change)
    );
  }

  /** Push the events of a change of the cell list, and the order of the cells if it changed. */
  pushListChange(
    cells: readonly CellChange[],
    pending: readonly Promise<void>[]
  ): void {
    const order = this._order();
    const isNewOrder = !sameOrder(order, this._recordedOrder);
    if (cells.length || isNewOrder) {
      const change = { cells: [...cells], ...(isNewOrder && { order }) };
      this._recordedOrder = order;
      this.push(change, pending);
    }
  }

  /** Push the state of all cells at the beginning of the watch. */
  pushInitial(cells: CellChange[]): void {
    const order = (this._recordedOrder = this._order());
    this.push({ cells, order, isInitial: true });
  }

  /**
   * List a cell in the next change, without events, because its events (such as an `accept`) were
   * recorded separately.
   */
  includeCell(cellId: string): void {
    this._includedCells.add(cellId);
  }

  /** Push a change for the cells passed to `includeCell`, if no other change has listed them. */
  pushIncludedCells(): void {
    if (this._includedCells.size) {
      this.push({ cells: [] });
    }
  }

  /** Remember an order of the cells that another page changed and records. */
  setRecordedOrder(order = this._order()): void {
    this._recordedOrder = order;
  }

  /** Begin a save. @param savedState Returns the state that the save writes into the file. */
  beginSave(savedState: SavedState): void {
    this._pushCountAtSave = this._pushCount;
    this._savedState = savedState;
  }

  /**
   * Record that a save has ended. Does nothing if the notebook has changed since the save began,
   * because then no moment of the timeline equals the file.
   */
  endSave(isShared: boolean): void {
    if (this._pushCountAtSave === this._pushCount) {
      // The file of a shared notebook also contains the changes that other pages record.
      const savedState = isShared ? undefined : this._savedState;
      this.push({ cells: [], saved: true, savedState });
      this._pushCountAtSave = -1;
    }
  }

  /**
   * Add the cells passed to `includeCell` to a change, so that the server puts the change after the
   * events of those cells that were recorded separately.
   */
  private _withIncludedCells(change: INotebookChange): INotebookChange {
    const cellIds = [...this._includedCells].filter(
      id => !change.cells.some(({ cellId }) => cellId === id)
    );
    this._includedCells.clear();
    const cells = cellIds.map(cellId => ({ cellId, events: [] }));
    return { ...change, cells: [...change.cells, ...cells] };
  }

  private readonly _includedCells = new Set<string>();
  private _recordedOrder: readonly PlacedCell[] = [];
  private _pushCount = 0;
  private _pushCountAtSave = -1;
  private _savedState: SavedState;
}
