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
 * - Changes of others (jupyter-collaboration) are followed, but are no steps and leave no marks:
 *   who made them records them.
 */
import type { ISharedCell, YNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';

import { isValidId } from './cellids';
import type { ICellState } from './lineage';
import { ITransaction, Transactions } from './transactions';

/** Cells came, went, moved or changed their type, by what was done in this page. */
export interface IStep {
  readonly before: readonly ICellState[];
  readonly after: readonly ICellState[];
  /** Cells that stayed, but were made anew. */
  readonly remade: ReadonlySet<string>;
  /** Cells that had been edited since they were last taken, before the step. */
  readonly edited: readonly string[];
}

export interface IMirrorEvents {
  /** A program or a command is about to do something. */
  beforeProgram(): void;
  /** A step, seen when it is done. */
  onStep(step: IStep): void;
  /** Others changed which cells there are. */
  onOthers(): void;
  /** A program (Accept, Restore, a formatter) replaced what was written by hand. */
  onReplaced(id: string, source: string): void;
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

  /** The cells that were edited in this page since they were last asked for. */
  takeEdited(): string[] {
    const ids = [...this._edited];
    this._edited.clear();
    return ids;
  }

  get isDisposed(): boolean {
    return this._transactions.isDisposed;
  }

  dispose(): void {
    this._transactions.dispose();
  }

  private _before(transaction: ITransaction): void {
    if (transaction.local && !this._isTyping(transaction)) {
      this._readAll();
      this._events.beforeProgram();
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
      this._step(transaction.local, changed);
    } else if (changed.length) {
      this._sources(transaction, changed);
    }
  }

  /** Sources were changed, and nothing else. */
  private _sources(transaction: ITransaction, ids: string[]): void {
    const isReplaced =
      transaction.local &&
      !this._isTyping(transaction) &&
      !this._isUndo(transaction);
    for (const id of ids.filter(one => this._mirrored.has(one))) {
      if (isReplaced && this._edited.has(id)) {
        this._events.onReplaced(id, this._mirrored.get(id)!.source);
      }
      this._stale.add(id);
      if (transaction.local) {
        this._edited.add(id);
      }
    }
  }

  private _step(isLocal: boolean, changed: string[]): void {
    const before = this._order.map(id => this._state(id));
    const known = new Map(this._mirrored);
    changed.forEach(id => this._stale.add(id));
    this._follow();
    if (!isLocal) {
      this._events.onOthers();
      return;
    }
    this._readAll();
    const remade = new Set(
      this._order.filter(id => {
        const old = known.get(id);
        return old && old.cell !== this._mirrored.get(id)!.cell;
      })
    );
    const edited = this.takeEdited();
    const after = this._order.map(id => this._state(id));
    this._events.onStep({ before, after, remade, edited });
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

  /** Whether an editor wrote it: all others name the notebook, a cell or an undo manager. */
  private _isTyping(transaction: ITransaction): boolean {
    const origin = transaction.origin as { ymodel?: unknown } | null;
    return (
      origin !== this._notebook && !origin?.ymodel && !this._isUndo(transaction)
    );
  }

  private _isUndo({ origin }: ITransaction): boolean {
    return !!origin && typeof origin === 'object' && 'undoStack' in origin;
  }

  private readonly _transactions: Transactions;
  private _mirrored = new Map<string, IMirrored>();
  private _order: string[] = [];
  /** Cells that hold something else than was read. */
  private readonly _stale = new Set<string>();
  private readonly _edited = new Set<string>();
}

/** The cells that were there before one came, those above it first, the nearest first. */
export function above({ before, after }: IStep, index: number): ICellState[] {
  const were = new Map(before.map(cell => [cell.id, cell]));
  return [...after.slice(0, index).reverse(), ...after.slice(index + 1)]
    .map(cell => were.get(cell.id))
    .filter((cell): cell is ICellState => cell !== undefined);
}
