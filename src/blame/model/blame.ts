/**
 * Asks the server for the contributor of each line of one cell.
 *
 * Invariants: the server is asked when `load` is called and whenever the cell's history changes,
 * but not when the person types. Only the response to the newest request is used. A result includes
 * the source that was sent, because the cell's source may have changed since the request.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import type { BlameLine } from '../../api/types';
import type { NotebookCell } from '../../cells/notebookCell';
import { ICellKey, IHistory, isSameCell } from '../../tokens';
import { IFailure, toFailure } from '../../state/failure';

/** A source and the contributor of each of its lines. */
export interface IBlameResult {
  readonly source: string;
  readonly lines: readonly BlameLine[];
}

export class BlameModel extends VDomModel {
  constructor(
    private readonly _history: IHistory,
    private readonly _cell: Pick<NotebookCell, 'key' | 'source'>
  ) {
    super();
    _history.changed.connect(this._onHistoryChanged, this);
  }

  /**
   * The result of the last request that succeeded; null before the first one. If the cell has no
   * history, the result has no lines.
   */
  get result(): IBlameResult | null {
    return this._result;
  }

  /** The failure of the last request; null if it succeeded or the cell has no history. */
  get failure(): IFailure | null {
    return this._failure;
  }

  /** Request the contributors of the lines of the cell's current source. */
  async load(): Promise<void> {
    this._abort?.abort();
    const { signal } = (this._abort = new AbortController());
    const key = this._cell.key();
    const source = this._cell.source();
    if (source === null || this.isDisposed) {
      return;
    }
    const { api } = this._history;
    let lines: readonly BlameLine[] = [];
    let failure: IFailure | null = null;
    try {
      // A cell has no key while its notebook has no id.
      lines = key ? (await api.blame(key, { source }, signal)).lines : [];
    } catch (reason) {
      failure = toFailure(reason);
    }
    if (signal.aborted) {
      return;
    }
    // If the cell has no history, there are no contributors to show. This isn't a failure.
    this._failure = failure?.code === 'not_found' ? null : failure;
    this._result = this._failure ? this._result : { source, lines };
    this.stateChanged.emit();
  }

  override dispose(): void {
    this._abort?.abort();
    super.dispose();
  }

  private _onHistoryChanged(_: IHistory, changedCell: ICellKey): void {
    if (isSameCell(this._cell.key(), changedCell)) {
      void this.load();
    }
  }

  private _abort: AbortController | null = null;
  private _result: IBlameResult | null = null;
  private _failure: IFailure | null = null;
}
