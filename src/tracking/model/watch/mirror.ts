/**
 * A copy of a notebook's cells, their order and their sources, which shows what each Yjs
 * transaction changed.
 *
 * The cells before and after each transaction are compared, so that one action of a person is one
 * change. An undo or redo is a transaction whose writer is the person who did it.
 *
 * Invariants:
 * - A keystroke only marks a cell as edited: no source is read and no list is built.
 * - Sources that a program, a command or an undo is about to replace are read first, so that no
 *   source that was displayed is lost.
 * - An edit has one writer: before another writer changes a cell, the pending edit is emitted.
 * - The changes of another page of a shared notebook (jupyter-collaboration) update the copy, but
 *   are not reported as changes, because that page records them.
 */
import type { ISharedCell, YNotebook } from '@jupyter/ydoc';

import { isValidId } from '../../../cells/cellIds';
import { IWriter, PERSON_WRITER } from '../../../records/contributor';
import { PendingEdit, PendingEdits } from '../contributors/pendingEdits';
import type { ICellState } from '../lineage';
import { ITransaction, Transactions } from '../../../cells/transactions';

/**
 * A change of the list of cells: a transaction that inserted, deleted, moved or recreated cells.
 */
export interface ICellListChange {
  readonly before: readonly ICellState[];
  readonly after: readonly ICellState[];
  /** Cells that were recreated with the same id. */
  readonly recreated: ReadonlySet<string>;
  /** The cells with unrecorded edits from before this change. */
  readonly edited: readonly PendingEdit[];
  readonly writer: IWriter;
}

export interface IMirrorEvents {
  /** Whether a person's typing made the transaction. Cheap, because it is called per keystroke. */
  isTyping(transaction: ITransaction): boolean;
  /** The writer of a transaction. @param isReload Whether the whole notebook was replaced. */
  writerOf(transaction: ITransaction, isReload: boolean): IWriter;
  /** Called before a program or a command changes the notebook. */
  beforeProgram(): void;
  /** Called after a change of the cell list that this page records. */
  onListChange(listChange: ICellListChange): void;
  /**
   * Called after a remote client that records nothing, such as an agent, changed a cell's source.
   */
  onRemote(id: string): void;
  /** Called after another page, which records its changes, inserted, deleted or moved cells. */
  onRemoteListChange(listChange: ICellListChange): void;
  /**
   * Called with the source that `writer` left when another writer (Accept, Restore, a formatter, an
   * agent) changes the cell before that source was recorded.
   */
  onReplaced(id: string, source: string, writer: IWriter): void;
}

interface IMirrored extends ICellState {
  cell: ISharedCell;
  source: string;
}

export class Mirror {
  constructor(
    private readonly _notebook: YNotebook,
    private readonly _events: IMirrorEvents
  ) {
    this._edits = new PendingEdits(_events.onReplaced);
    this._update();
    this._transactions = new Transactions(
      _notebook,
      transaction => this._before(transaction),
      transaction => this._after(transaction)
    );
  }

  /** The cells in order, with their current sources. */
  get cells(): ICellState[] {
    this._readAll();
    return this._order.map(id => this._state(id));
  }

  /** The ids and types of all cells in order. */
  get order(): readonly { id: string; type: string }[] {
    return this._order.map(id => {
      const { type } = this._mirrored.get(id)!;
      return { id, type };
    });
  }

  has(id: string): boolean {
    return this._mirrored.has(id);
  }

  /** The current state of a cell; null if it doesn't exist. */
  read(id: string): ICellState | null {
    this._read(id);
    return this._mirrored.has(id) ? this._state(id) : null;
  }

  /** Returns and clears the pending edits, with their writers. */
  takeEdits(): PendingEdit[] {
    return this._edits.takeAll();
  }

  /** Returns the writer of a cell's pending edit, and clears the edit. */
  takeWriter(id: string): IWriter | null {
    return this._edits.take(id);
  }

  dispose(): void {
    this._transactions.dispose();
  }

  private _before(transaction: ITransaction): void {
    if (!transaction.local) {
      this._readEdited(() => true);
    } else if (this._events.isTyping(transaction)) {
      this._readEdited(writer => writer !== PERSON_WRITER);
    } else {
      this._readAll();
      this._events.beforeProgram();
    }
  }

  /** Read the sources of cells edited by the writers that `filter` selects, before they change. */
  private _readEdited(filter: (writer: IWriter) => boolean): void {
    for (const id of this._stale) {
      const writer = this._edits.get(id);
      if (writer && filter(writer)) {
        this._read(id);
      }
    }
  }

  private _after(transaction: ITransaction): void {
    const { cells } = this._transactions;
    let isListChange = transaction.changed.has(cells);
    const changed: string[] = [];
    for (const [type, keys] of transaction.changed) {
      if (type.parent === cells) {
        isListChange ||= keys.has('id');
      } else if (type.parent?.parent === cells) {
        const cell = type.parent;
        if (cell.get?.('source') === type) {
          changed.push(cell.get('id') as string);
        }
      }
    }
    if (isListChange) {
      this._onListChange(transaction, changed);
    } else if (changed.length) {
      this._onSources(transaction, changed);
    }
  }

  /** Handle a transaction that only changed sources. */
  private _onSources(transaction: ITransaction, ids: string[]): void {
    const writer = this._events.writerOf(transaction, false);
    const isRemote = isFromOtherPage(transaction, writer);
    for (const id of ids.filter(cellId => this._mirrored.has(cellId))) {
      const { source } = this._mirrored.get(id)!;
      if (!isRemote) {
        this._edits.add(id, writer, source);
      } else if (!writer.mayBePage) {
        this._edits.emit(id, source);
      }
      this._stale.add(id);
      if (!isRemote && !transaction.local) {
        this._events.onRemote(id);
      }
    }
  }

  private _onListChange(transaction: ITransaction, changed: string[]): void {
    const before = this._order.map(id => this._state(id));
    const previous = new Map(this._mirrored);
    changed.forEach(id => this._stale.add(id));
    this._update();
    const areAllNew = !this._order.some(
      id => previous.get(id)?.cell === this._mirrored.get(id)!.cell
    );
    const isReload =
      areAllNew && transaction.changed.has(this._transactions.meta);
    const writer = this._events.writerOf(transaction, isReload);
    const isRemote = isFromOtherPage(transaction, writer);
    if (!isRemote) {
      this._readAll();
    }
    const recreated = new Set(
      this._order.filter(id => {
        const old = previous.get(id);
        return old && old.cell !== this._mirrored.get(id)!.cell;
      })
    );
    const edited = isRemote ? [] : this.takeEdits();
    const after = this._order.map(id => this._state(id));
    const listChange = { before, after, recreated, edited, writer };
    if (isRemote) {
      this._events.onRemoteListChange(listChange);
    } else {
      this._events.onListChange(listChange);
    }
  }

  /** Update the copy's list of cells. Cells with an invalid or duplicate id are skipped. */
  private _update(): void {
    const mirrored = new Map<string, IMirrored>();
    for (const cell of this._notebook.cells) {
      const id = cell.getId();
      if (!isValidId(id) || mirrored.has(id)) {
        continue;
      }
      const previous = this._mirrored.get(id);
      const unchanged = previous?.cell === cell ? previous : null;
      const source = unchanged?.source ?? cell.getSource();
      mirrored.set(id, { id, type: cell.cell_type, source, cell });
      if (!unchanged) {
        this._stale.delete(id);
      }
    }
    this._mirrored = mirrored;
    this._order = [...mirrored.keys()];
  }

  private _state(id: string): ICellState {
    const { type, source } = this._mirrored.get(id)!;
    return { id, type, source };
  }

  private _readAll(): void {
    [...this._stale].forEach(id => this._read(id));
  }

  private _read(id: string): void {
    const mirrored = this._stale.delete(id) && this._mirrored.get(id);
    if (mirrored) {
      mirrored.source = mirrored.cell.getSource();
    }
  }

  private readonly _transactions: Transactions;
  private _mirrored = new Map<string, IMirrored>();
  private _order: string[] = [];
  /** The ids of cells whose source has changed since this copy read it. */
  private readonly _stale = new Set<string>();
  private readonly _edits: PendingEdits;
}

function isFromOtherPage({ local }: ITransaction, writer: IWriter): boolean {
  return !local && writer.contributor === null;
}

/**
 * The cells around an inserted cell that existed before the change: first the cells above the
 * inserted one, nearest first, then the cells below it.
 */
export function neighbours(
  { before, after }: ICellListChange,
  index: number
): ICellState[] {
  const oldCells = new Map(before.map(cell => [cell.id, cell]));
  return [...after.slice(0, index).reverse(), ...after.slice(index + 1)]
    .map(cell => oldCells.get(cell.id))
    .filter((cell): cell is ICellState => cell !== undefined);
}
