/**
 * Hears that others did something in the cells of a shared notebook (jupyter-collaboration): what
 * is on show of these cells may be old.
 *
 * What must hold: nothing is recorded for it, for who did it records it. It is told when they rest,
 * for then they have noted it. What a run prints is not heard, only that there was one.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';

import { ITransaction, Transactions } from './transactions';

/** How long others have done nothing when it is told, in milliseconds. */
export const REST_MS = 2000;

export class Others implements IDisposable {
  /** @param _tell Is called with the cell in which others did something. */
  constructor(
    private readonly _notebook: YNotebook,
    private readonly _tell: (cellId: string) => void
  ) {
    this._transactions = new Transactions(
      _notebook,
      () => undefined,
      transaction => this._after(transaction)
    );
  }

  get isDisposed(): boolean {
    return this._transactions.isDisposed;
  }

  dispose(): void {
    clearTimeout(this._timer);
    this._transactions.dispose();
  }

  private _after({ local, changed }: ITransaction): void {
    if (local) {
      return;
    }
    const { cells } = this._transactions;
    const known = this._heard.size;
    let isOther = changed.has(cells);
    for (const [type, keys] of changed) {
      const cell = type.parent === cells ? type : type.parent;
      const isRun = cell === type && keys.has('execution_count');
      const isSource = cell?.parent === cells && cell.get?.('source') === type;
      const id = isRun || isSource ? cell?.get?.('id') : null;
      if (typeof id === 'string') {
        this._heard.add(id);
        isOther = true;
      }
    }
    if (changed.has(cells) && this._heard.size === known) {
      // Cells came, went or moved. Whichever is named, it is the notebook's past that goes on.
      const [first] = this._notebook.cells;
      this._heard.add(first?.getId() ?? '');
    }
    if (isOther) {
      clearTimeout(this._timer);
      this._timer = window.setTimeout(() => this._rest(), REST_MS);
    }
  }

  private _rest(): void {
    const heard = [...this._heard].filter(Boolean);
    this._heard.clear();
    heard.forEach(id => this._tell(id));
  }

  private readonly _heard = new Set<string>();
  private _timer: number | undefined;
  private readonly _transactions: Transactions;
}
