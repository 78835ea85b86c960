/**
 * Who wrote the lines of one cell, as the server says it.
 *
 * What must hold: it is asked once when somebody wants to see it, and again when the cell's
 * history was written; never for what is typed. The newest answer counts, and says for which
 * source it is.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import type { BlameLine } from '../../api/types';
import type { ICellKey, IHistory } from '../../tokens';
import { IFailure, toFailure } from '../../state/failure';

/** The lines of a source, and who wrote each. */
export interface IBlamed {
  readonly source: string;
  readonly lines: readonly BlameLine[];
}

/** The cell that is asked about. */
export interface IBlameTarget {
  /** Null where no cell of the notebook has a history. */
  key(): ICellKey | null;
  /** The cell's code; null if the cell is gone. */
  source(): string | null;
}

export class BlameModel implements IDisposable {
  constructor(
    private readonly _history: IHistory,
    readonly target: IBlameTarget
  ) {
    _history.changed.connect(this._onHistoryChanged, this);
  }

  /** There is another answer, or none could be had. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The newest answer; null while there is none. */
  get blamed(): IBlamed | null {
    return this._blamed;
  }

  /** Why there is no newer answer. */
  get failure(): IFailure | null {
    return this._failure;
  }

  async load(): Promise<void> {
    this._abort?.abort();
    const abort = (this._abort = new AbortController());
    const key = this.target.key();
    const source = this.target.source();
    if (source === null || this._isDisposed) {
      return;
    }
    let blamed: IBlamed | null = null;
    let failure: IFailure | null = null;
    try {
      const body = { source };
      blamed = key && {
        source,
        lines: (await this._history.blame(key, body, abort.signal)).lines
      };
    } catch (reason) {
      failure = toFailure(reason);
    }
    if (abort.signal.aborted || this._isDisposed) {
      return;
    }
    if (failure?.code === 'not_found' || !key) {
      // Nothing is kept of the cell yet: whoever wrote it, no model was asked here.
      blamed = { source, lines: [] };
      failure = null;
    }
    this._blamed = blamed ?? this._blamed;
    this._failure = failure;
    this._changed.emit();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._abort?.abort();
      this._history.changed.disconnect(this._onHistoryChanged, this);
      Signal.clearData(this);
    }
  }

  private _onHistoryChanged(_: IHistory, written: ICellKey): void {
    const key = this.target.key();
    if (
      key?.cellId === written.cellId &&
      key.notebookId === written.notebookId
    ) {
      void this.load();
    }
  }

  private _abort: AbortController | null = null;
  private _blamed: IBlamed | null = null;
  private _changed = new Signal<this, void>(this);
  private _failure: IFailure | null = null;
  private _isDisposed = false;
}
