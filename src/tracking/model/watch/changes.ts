/**
 * The changes of one watched notebook, as they are sent: in order, with the order of the cells
 * where that is new.
 *
 * Invariant: a change that comes as a promise waits for its contributors, and later changes wait
 * behind it.
 */
import type { CellChange, PlacedCell } from '../../../api/types';
import type { IChange } from '../../../tokens';
import { sameOrder } from './record';

type Written = IChange['written'];

export class WatchChanges {
  /** @param _push Takes changes, in order. @param _order Reads the order of the cells. */
  constructor(
    private readonly _push: (change: IChange | Promise<IChange>) => void,
    private readonly _order: () => PlacedCell[]
  ) {}

  push(change: IChange, settled: readonly Promise<void>[] = []): void {
    this._send(
      settled.length ? Promise.all(settled).then(() => change) : change
    );
  }

  /** Push what a step did to cells, with their order if that is new. */
  pushStep(
    cells: readonly CellChange[],
    settled: readonly Promise<void>[]
  ): void {
    const order = this._order();
    const isNew = !sameOrder(order, this._lastOrder);
    if (cells.length || isNew) {
      const change = { cells: [...cells], ...(isNew && { order }) };
      this._lastOrder = order;
      this.push(change, settled);
    }
  }

  /** Push a change that is known later. */
  pushLater(change: Promise<IChange>): void {
    this._send(change);
  }

  /** Push the state of the cells when the watch begins. */
  pushFirst(cells: CellChange[]): void {
    const order = (this._lastOrder = this._order());
    this.push({ cells, order, isFirst: true });
  }

  /** Name a cell, of which something was recorded by another way, in the next change. */
  name(cellId: string): void {
    this._named.add(cellId);
  }

  /** Push the cells that were named since the last change. */
  pushNamed(): void {
    if (this._named.size) {
      this.push({ cells: [] });
    }
  }

  /** Others changed the order, and record it; the next order is compared with theirs. */
  followOrder(order = this._order()): void {
    this._lastOrder = order;
  }

  /** A save begins. @param written What it writes over another page's record. */
  beginSave(written: Written): void {
    this._atSave = this._count;
    this._written = written;
  }

  /** A save has ended. Of a notebook that changed meanwhile no moment is the file's. */
  endSave(isShared: boolean): void {
    if (this._atSave === this._count) {
      // In a shared notebook, what others record is in the file as well.
      const written = isShared ? undefined : this._written;
      this.push({ cells: [], saved: true, written });
      this._atSave = -1;
    }
  }

  private _send(change: IChange | Promise<IChange>): void {
    this._count++;
    this._push(
      'cells' in change ? this._naming(change) : change.then(this._naming)
    );
  }

  /** The change, with the cells that were named: it comes after what was recorded of them. */
  private readonly _naming = (change: IChange): IChange => {
    const named = [...this._named].filter(
      id => !change.cells.some(({ cellId }) => cellId === id)
    );
    this._named.clear();
    const cells = named.map(cellId => ({ cellId, events: [] }));
    return { ...change, cells: [...change.cells, ...cells] };
  };

  private readonly _named = new Set<string>();
  private _lastOrder: readonly PlacedCell[] = [];
  private _count = 0;
  private _atSave = -1;
  private _written: Written;
}
