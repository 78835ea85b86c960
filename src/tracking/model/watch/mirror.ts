/**
 * A mirror of a shared notebook: which cells it has, in which order, and what they hold.
 *
 * It compares per Yjs transaction, so that what a person did in one go is one step. Undo and redo
 * are transactions of who undid.
 *
 * What must hold:
 * - A key that is pressed costs a mark: no source is read, no list is made.
 * - What a program, a command or an undo is about to replace is read just before; so no source
 *   that was on view gets lost between two looks.
 * - An edit has one writer: before another writer changes a cell, what was edited is handed on.
 * - Changes of others (jupyter-collaboration) whose pages record them are followed, but are no
 *   steps and leave no marks.
 */
import type { ISharedCell, YNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';

import { isValidId } from '../../../cells/cellIds';
import { IWriter, PERSON_WRITER } from '../../../records/contributor';
import { Edited, EditedCells } from '../contributors/edited';
import type { ICellState } from '../lineage';
import { ITransaction, Transactions } from '../../../cells/transactions';

/** Cells came, went, moved or changed their type. */
export interface IStep {
  readonly before: readonly ICellState[];
  readonly after: readonly ICellState[];
  /** Cells that stayed, but were made anew. */
  readonly remade: ReadonlySet<string>;
  /** Cells that had been edited since they were last taken, before the step. */
  readonly edited: readonly Edited[];
  readonly writer: IWriter;
}

export interface IMirrorEvents {
  /** Whether a person's input made it. Cheap. */
  isTyping(transaction: ITransaction): boolean;
  /** The writer of a transaction. @param isWhole Whether it read the notebook anew. */
  writerOf(transaction: ITransaction, isWhole: boolean): IWriter;
  /** A program or a command is about to do something. */
  beforeProgram(): void;
  /** A step, seen when it is done. */
  onStep(step: IStep): void;
  /** A client that records nothing changed a cell. */
  onRemote(id: string): void;
  /** Others changed which cells there are. */
  onOthers(step: IStep): void;
  /** Another writer (Accept, Restore, a formatter, an agent) changed what was edited. */
  onReplaced(id: string, source: string, writer: IWriter): void;
}

interface IMirrored extends ICellState {
  cell: ISharedCell;
  source: string;
}

export class Mirror implements IDisposable {
  constructor(
    private readonly _notebook: YNotebook,
    private readonly _events: IMirrorEvents
  ) {
    this._edited = new EditedCells(_events.onReplaced);
    this._follow();
    this._transactions = new Transactions(
      _notebook,
      transaction => this._before(transaction),
      transaction => this._after(transaction)
    );
  }

  /** The cells in their order, with what they hold now. */
  get cells(): ICellState[] {
    this._readAll();
    return this._order.map(id => this._state(id));
  }

  /** All cells in their order; their sources may be of a moment ago. */
  get placed(): readonly { id: string; type: string }[] {
    return this._order.map(id => {
      const { type } = this._mirrored.get(id)!;
      return { id, type };
    });
  }

  has(id: string): boolean {
    return this._mirrored.has(id);
  }

  /** What a cell holds now; null if it is not there. */
  read(id: string): ICellState | null {
    this._read(id);
    return this._mirrored.has(id) ? this._state(id) : null;
  }

  /** The cells that were edited since they were last asked for, with their writers. */
  takeEdited(): Edited[] {
    return this._edited.takeAll();
  }

  /** The writer of what was edited in a cell and not asked for yet. */
  takeWriter(id: string): IWriter | null {
    return this._edited.take(id);
  }

  get isDisposed(): boolean {
    return this._transactions.isDisposed;
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

  /** Read edited cells, before another writer may change them. */
  private _readEdited(which: (writer: IWriter) => boolean): void {
    for (const id of this._stale) {
      const writer = this._edited.get(id);
      if (writer && which(writer)) {
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
      this._step(transaction, changed);
    } else if (changed.length) {
      this._sources(transaction, changed);
    }
  }

  /** Sources were changed, and nothing else. */
  private _sources(transaction: ITransaction, ids: string[]): void {
    const writer = this._events.writerOf(transaction, false);
    const isTheirs = isOfOtherPage(transaction, writer);
    for (const id of ids.filter(one => this._mirrored.has(one))) {
      const { source } = this._mirrored.get(id)!;
      if (!isTheirs) {
        this._edited.edit(id, writer, source);
      } else if (!writer.isPage) {
        this._edited.handOver(id, source);
      }
      this._stale.add(id);
      if (!isTheirs && !transaction.local) {
        this._events.onRemote(id);
      }
    }
  }

  private _step(transaction: ITransaction, changed: string[]): void {
    const before = this._order.map(id => this._state(id));
    const known = new Map(this._mirrored);
    changed.forEach(id => this._stale.add(id));
    this._follow();
    const isFresh = !this._order.some(
      id => known.get(id)?.cell === this._mirrored.get(id)!.cell
    );
    const isWhole = isFresh && transaction.changed.has(this._transactions.meta);
    const writer = this._events.writerOf(transaction, isWhole);
    const isTheirs = isOfOtherPage(transaction, writer);
    if (!isTheirs) {
      this._readAll();
    }
    const remade = new Set(
      this._order.filter(id => {
        const old = known.get(id);
        return old && old.cell !== this._mirrored.get(id)!.cell;
      })
    );
    const edited = isTheirs ? [] : this.takeEdited();
    const after = this._order.map(id => this._state(id));
    const step = { before, after, remade, edited, writer };
    if (isTheirs) {
      this._events.onOthers(step);
    } else {
      this._events.onStep(step);
    }
  }

  /** Take in which cells there are. One whose id can't be kept under, or is doubled, is none. */
  private _follow(): void {
    const mirrored = new Map<string, IMirrored>();
    for (const cell of this._notebook.cells) {
      const id = cell.getId();
      if (!isValidId(id) || mirrored.has(id)) {
        continue;
      }
      const known = this._mirrored.get(id);
      const same = known?.cell === cell ? known : null;
      const source = same?.source ?? cell.getSource();
      mirrored.set(id, { id, type: cell.cell_type, source, cell });
      if (!same) {
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
  /** Cells that hold something else than was read. */
  private readonly _stale = new Set<string>();
  private readonly _edited: EditedCells;
}

function isOfOtherPage({ local }: ITransaction, writer: IWriter): boolean {
  return !local && writer.contributor === null;
}

/** The cells that were there before one came, those above it first, the nearest first. */
export function above({ before, after }: IStep, index: number): ICellState[] {
  const were = new Map(before.map(cell => [cell.id, cell]));
  return [...after.slice(0, index).reverse(), ...after.slice(index + 1)]
    .map(cell => were.get(cell.id))
    .filter((cell): cell is ICellState => cell !== undefined);
}
