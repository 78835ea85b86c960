/**
 * Keeps a copy of a notebook's cells, with their order and sources, to find out what each Yjs
 * transaction has changed.
 *
 * When a transaction has ended, the notebook has the new state, and the copy still has the old one.
 * Each action of a person, including an undo or redo, is one transaction.
 *
 * Invariants:
 * - When a person types, the cell is only marked as edited, so that a keystroke is fast. Sources are
 *   read only of cells with an unrecorded edit by another writer.
 * - Before a program, a command or an undo replaces sources, they are read. So each displayed source
 *   can be recorded.
 * - In a shared notebook (jupyter-collaboration), changes that another page records update the copy,
 *   but aren't reported as changes that this page must record.
 */
import type { ISharedCell, YNotebook } from '@jupyter/ydoc';

import { isValidId, separateIds } from '../../../cells/cellIds';
import { IWriter, PERSON_WRITER } from '../../../records/contributor';
import { PendingEdit, PendingEdits } from '../contributors/pendingEdits';
import type { Writers } from '../contributors/writers';
import type { ICellState } from '../lineage';
import { ITransaction, Transactions } from '../../../cells/transactions';
import { deletedContent } from '../../../cells/deletedContent';
import { sourceOf } from '../../../cells/source';

export interface ICellListChange {
  readonly before: readonly ICellState[];
  readonly after: readonly ICellState[];
  /** The cells that were deleted and inserted again with the same id. */
  readonly recreated: ReadonlySet<string>;
  /** The unrecorded edits before the transaction. */
  readonly edited: readonly PendingEdit[];
  readonly writer: IWriter;
  /** By id, in the notebook format. */
  readonly removed: ReadonlyMap<string, object>;
}

export interface IMirrorOptions {
  readonly writers: Writers;
  /** Called before each change in this page except typing: for example, before a paste. */
  beforeUntypedChange(): void;
  /** Called after a change of the list of cells that this page must record. */
  onListChange(listChange: ICellListChange): void;
  /**
   * Called after a remote client, such as an agent, that records nothing itself has edited a source,
   * if this page must record it.
   */
  onRemoteEdit(id: string): void;
  /** Called after a change of the list of cells that another page records. */
  onRemoteListChange(listChange: ICellListChange): void;
  /** Called when an unrecorded edit is complete. `source` is the source after it. */
  onEditComplete(id: string, source: string, writer: IWriter): void;
}

/** Its source may be outdated, see `_staleIds`. */
interface ICellCopy extends ICellState {
  cell: ISharedCell;
  source: string;
}

export class Mirror {
  constructor(
    private readonly _notebook: YNotebook,
    private readonly _options: IMirrorOptions
  ) {
    this._edits = new PendingEdits(_options.onEditComplete);
    this._updateList();
    this._transactions = new Transactions(
      _notebook,
      transaction => this._beforeTransaction(transaction),
      transaction => this._afterTransaction(transaction)
    );
  }

  get cells(): ICellState[] {
    this._readAll();
    return this._states();
  }

  get order(): readonly { id: string; type: string }[] {
    return [...this._copyById.values()];
  }

  has(id: string): boolean {
    return this._copyById.has(id);
  }

  /** Null if the cell isn't in the notebook. */
  read(id: string): ICellState | null {
    this._read(id);
    const copy = this._copyById.get(id);
    return copy ? stateOf(copy) : null;
  }

  takeEdits(): PendingEdit[] {
    return this._edits.takeAll();
  }

  takeEdit(id: string): IWriter | null {
    return this._edits.take(id);
  }

  dispose(): void {
    this._transactions.dispose();
  }

  /** Read the sources that the transaction may replace and that may have to be recorded. */
  private _beforeTransaction(transaction: ITransaction): void {
    if (!transaction.local) {
      this._readEdited(() => true);
    } else if (this._options.writers.isTyping(transaction)) {
      this._readEdited(writer => writer !== PERSON_WRITER);
    } else {
      this._readAll();
      this._options.beforeUntypedChange();
    }
  }

  private _readEdited(filter: (writer: IWriter) => boolean): void {
    for (const id of this._staleIds) {
      const writer = this._edits.get(id);
      if (writer && filter(writer)) {
        this._read(id);
      }
    }
  }

  private _afterTransaction(transaction: ITransaction): void {
    const { cells } = this._transactions;
    let isListChange = transaction.changed.has(cells);
    const changedIds: string[] = [];
    for (const [type, keys] of transaction.changed) {
      if (type.parent === cells) {
        // `type` is a cell. With a new id, it counts as a new one.
        isListChange ||= keys.has('id');
      } else if (type.parent?.parent === cells) {
        // `type` is a part of a cell.
        const cell = type.parent;
        if (cell.get?.('source') === type) {
          changedIds.push(cell.get('id') as string);
        }
      }
    }
    if (isListChange) {
      this._onListChange(transaction, changedIds);
    } else if (changedIds.length) {
      this._onSourceChanges(transaction, changedIds);
    }
  }

  private _onSourceChanges(transaction: ITransaction, ids: string[]): void {
    const writer = this._options.writers.writerOf(transaction);
    const mustRecord = isRecordedHere(transaction, writer);
    for (const id of ids.filter(cellId => this._copyById.has(cellId))) {
      const { source } = this._copyById.get(id)!;
      if (mustRecord) {
        this._edits.add(id, writer, source);
      } else if (!writer.mayBeOtherPage) {
        // Another page records this change, by a client that records nothing itself. So this page's
        // pending edit of the cell is complete.
        this._edits.complete(id, source);
      }
      this._staleIds.add(id);
      if (mustRecord && !transaction.local) {
        this._options.onRemoteEdit(id);
      }
    }
  }

  /** @param changedIds The cells whose sources the transaction also changed. */
  private _onListChange(transaction: ITransaction, changedIds: string[]): void {
    const before = this._states();
    const previousById = this._copyById;
    changedIds.forEach(id => this._staleIds.add(id));
    if (transaction.local) {
      // The new ids are in the copy before the transaction that sets them is handled.
      separateIds(
        this._notebook,
        cell => previousById.get(cell.getId())?.cell === cell
      );
    }
    this._updateList();
    const isNew = ({ id, cell }: ICellCopy) =>
      previousById.get(id)?.cell !== cell;
    const newCells = [...this._copyById.values()].filter(isNew);
    // A reload replaces all cells and the notebook's metadata.
    const isReload =
      newCells.length === this._copyById.size &&
      transaction.changed.has(this._transactions.meta);
    const writer = this._options.writers.writerOf(transaction, isReload);
    const mustRecord = isRecordedHere(transaction, writer);
    if (mustRecord) {
      this._readAll();
    }
    const newIds = newCells.map(({ id }) => id);
    const recreated = new Set(newIds.filter(id => previousById.has(id)));
    const edited = mustRecord ? this.takeEdits() : [];
    const after = this._states();
    const removed = new Map(
      [...previousById.values()]
        .filter(({ id }) => !this.has(id))
        .map(({ id, source, cell }) => [
          id,
          { ...deletedContent(cell, transaction), id, source }
        ])
    );
    const listChange = { before, after, recreated, edited, writer, removed };
    if (mustRecord) {
      this._options.onListChange(listChange);
    } else {
      this._options.onRemoteListChange(listChange);
    }
  }

  /**
   * Cells with an invalid or duplicate id are skipped. A cell that is already in the copy keeps the
   * source that was last read.
   */
  private _updateList(): void {
    const copyById = new Map<string, ICellCopy>();
    for (const cell of this._notebook.cells) {
      const id = cell.getId();
      if (!isValidId(id) || copyById.has(id)) {
        continue;
      }
      const previous = this._copyById.get(id);
      const existing = previous?.cell === cell ? previous : null;
      const source = existing?.source ?? sourceOf(cell);
      copyById.set(id, { id, type: cell.cell_type, source, cell });
      if (!existing) {
        this._staleIds.delete(id);
      }
    }
    this._copyById = copyById;
  }

  private _states(): ICellState[] {
    return [...this._copyById.values()].map(stateOf);
  }

  private _readAll(): void {
    [...this._staleIds].forEach(id => this._read(id));
  }

  private _read(id: string): void {
    const copy = this._staleIds.delete(id) && this._copyById.get(id);
    if (copy) {
      copy.source = sourceOf(copy.cell);
    }
  }

  private readonly _transactions: Transactions;
  /** In order, by cell id. */
  private _copyById: ReadonlyMap<string, ICellCopy> = new Map();
  /** The cells whose source has changed since it was last read. */
  private readonly _staleIds = new Set<string>();
  private readonly _edits: PendingEdits;
}

function stateOf({ id, type, source }: ICellCopy): ICellState {
  return { id, type, source };
}

/** If not, another page records the transaction. */
function isRecordedHere({ local }: ITransaction, writer: IWriter): boolean {
  return local || writer.contributor !== null;
}

/**
 * Return the cells around the inserted cell at `index` as they were before the change: first those
 * above, from bottom to top, then those below, from top to bottom.
 */
export function neighboursOf(
  { before, after }: ICellListChange,
  index: number
): ICellState[] {
  const beforeById = new Map(before.map(cell => [cell.id, cell]));
  return [...after.slice(0, index).reverse(), ...after.slice(index + 1)]
    .map(cell => beforeById.get(cell.id))
    .filter((cell): cell is ICellState => cell !== undefined);
}
