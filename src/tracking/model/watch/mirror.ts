/**
 * A mirror of a shared notebook: its cells, their order and their sources.
 *
 * It compares before and after each Yjs transaction, so that one action of a person is one step.
 * Undo and redo are transactions of the person who undid.
 *
 * Invariants:
 * - A keystroke only marks a cell as edited: no source is read and no list is built.
 * - Sources that a program, a command or an undo is about to replace are read first, so that no
 *   displayed source is lost.
 * - An edit has one writer: before another writer changes a cell, the pending edit is emitted.
 * - Changes of other pages (jupyter-collaboration), which record them, update the mirror but are
 *   neither steps nor edits.
 */
import type { ISharedCell, YNotebook } from '@jupyter/ydoc';

import { isValidId } from '../../../cells/cellIds';
import { IWriter, PERSON_WRITER } from '../../../records/contributor';
import { PendingEdit, PendingEdits } from '../contributors/pendingEdits';
import type { ICellState } from '../lineage';
import { ITransaction, Transactions } from '../../../cells/transactions';

/** A transaction that inserted, deleted, moved or recreated cells. */
export interface IStep {
  readonly before: readonly ICellState[];
  readonly after: readonly ICellState[];
  /** Cells that were recreated with the same id. */
  readonly recreated: ReadonlySet<string>;
  /** Cells with pending edits from before the step. */
  readonly edited: readonly PendingEdit[];
  readonly writer: IWriter;
}

export interface IMirrorEvents {
  /** Whether a person's input made the transaction. Cheap. */
  isTyping(transaction: ITransaction): boolean;
  /** The writer of a transaction. @param isReload Whether it replaced the whole notebook. */
  writerOf(transaction: ITransaction, isReload: boolean): IWriter;
  /** Called before a program or a command changes the notebook. */
  beforeProgram(): void;
  /** Called after a step. */
  onStep(step: IStep): void;
  /** Called after a client that records nothing changed a cell. */
  onRemote(id: string): void;
  /** Called after another page inserted, deleted or moved cells. */
  onRemoteStep(step: IStep): void;
  /** Called when another writer (Accept, Restore, a formatter, an agent) replaces an edit. */
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

  /** Read the sources of edited cells before another writer may change them. */
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
    let isStep = transaction.changed.has(cells);
    const changed: string[] = [];
    for (const [type, keys] of transaction.changed) {
      if (type.parent === cells) {
        isStep ||= keys.has('id');
      } else if (type.parent?.parent === cells) {
        const cell = type.parent;
        if (cell.get?.('source') === type) {
          changed.push(cell.get('id') as string);
        }
      }
    }
    if (isStep) {
      this._onStep(transaction, changed);
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
        this._edits.edit(id, writer, source);
      } else if (!writer.isPage) {
        this._edits.release(id, source);
      }
      this._stale.add(id);
      if (!isRemote && !transaction.local) {
        this._events.onRemote(id);
      }
    }
  }

  private _onStep(transaction: ITransaction, changed: string[]): void {
    const before = this._order.map(id => this._state(id));
    const previous = new Map(this._mirrored);
    changed.forEach(id => this._stale.add(id));
    this._update();
    const isNew = !this._order.some(
      id => previous.get(id)?.cell === this._mirrored.get(id)!.cell
    );
    const isReload = isNew && transaction.changed.has(this._transactions.meta);
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
    const step = { before, after, recreated, edited, writer };
    if (isRemote) {
      this._events.onRemoteStep(step);
    } else {
      this._events.onStep(step);
    }
  }

  /** Read the list of cells. Cells with an invalid or duplicate id are skipped. */
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
  /** Cells whose source has changed since it was read. */
  private readonly _stale = new Set<string>();
  private readonly _edits: PendingEdits;
}

function isFromOtherPage({ local }: ITransaction, writer: IWriter): boolean {
  return !local && writer.contributor === null;
}

/**
 * The existing cells around an inserted one: those above it from near to far, then those below.
 */
export function neighbours(
  { before, after }: IStep,
  index: number
): ICellState[] {
  const oldCells = new Map(before.map(cell => [cell.id, cell]));
  return [...after.slice(0, index).reverse(), ...after.slice(index + 1)]
    .map(cell => oldCells.get(cell.id))
    .filter((cell): cell is ICellState => cell !== undefined);
}
