/**
 * Passes the changes of one watched notebook to the history, with the order of the cells if it is
 * new.
 *
 * Invariant: a change that is a promise waits for its contributors, and later changes wait for it.
 */
import type { CellChange, PlacedCell } from '../../../api/types';
import type { INotebookChange } from '../../../tokens';
import { sameOrder } from './record';

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
    this._count++;
    this._onChange(
      pending.length
        ? Promise.all(pending).then(() => this._addMentioned(change))
        : this._addMentioned(change)
    );
  }

  /** Push the changes of a step, with the order of the cells if it is new. */
  pushStep(
    cells: readonly CellChange[],
    pending: readonly Promise<void>[]
  ): void {
    const order = this._order();
    const isNew = !sameOrder(order, this._lastOrder);
    if (cells.length || isNew) {
      const change = { cells: [...cells], ...(isNew && { order }) };
      this._lastOrder = order;
      this.push(change, pending);
    }
  }

  /** Push the state of all cells at the beginning of the watch. */
  pushInitial(cells: CellChange[]): void {
    const order = (this._lastOrder = this._order());
    this.push({ cells, order, isInitial: true });
  }

  /** Add a cell whose events were recorded separately to the next change. */
  mention(cellId: string): void {
    this._mentioned.add(cellId);
  }

  /** Push a change with the mentioned cells, if there are any. */
  pushMentioned(): void {
    if (this._mentioned.size) {
      this.push({ cells: [] });
    }
  }

  /** Treat this order as recorded: another page changed it and records it. */
  skipOrder(order = this._order()): void {
    this._lastOrder = order;
  }

  /** Begin a save. @param savedState Returns the state that it writes into the file. */
  beginSave(savedState: SavedState): void {
    this._countAtSave = this._count;
    this._savedState = savedState;
  }

  /** End a save. If the notebook has changed since it began, no moment equals the file. */
  endSave(isShared: boolean): void {
    if (this._countAtSave === this._count) {
      // The file of a shared notebook also contains the changes that other pages record.
      const savedState = isShared ? undefined : this._savedState;
      this.push({ cells: [], saved: true, savedState });
      this._countAtSave = -1;
    }
  }

  /** The change with the mentioned cells, so that it follows their separately recorded events. */
  private _addMentioned(change: INotebookChange): INotebookChange {
    const mentioned = [...this._mentioned].filter(
      id => !change.cells.some(({ cellId }) => cellId === id)
    );
    this._mentioned.clear();
    const cells = mentioned.map(cellId => ({ cellId, events: [] }));
    return { ...change, cells: [...change.cells, ...cells] };
  }

  private readonly _mentioned = new Set<string>();
  private _lastOrder: readonly PlacedCell[] = [];
  private _count = 0;
  private _countAtSave = -1;
  private _savedState: SavedState;
}
