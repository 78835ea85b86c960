/**
 * Asks the server for the contributor of each line of one cell: when `load` is called, and whenever
 * the cell's history changes, not when the person types.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import type { BlameLine } from '../../../api/types';
import type { NotebookCell } from '../../../cells/notebookCell';
import { listChanges } from '../../../diff/lists';
import { IFailure, toFailure } from '../../../state/failure';
import { ICellKey, IHistory, isSameCell } from '../../../tokens';

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
   * The last successful result, without lines if the cell has no history; null before the first
   * one.
   */
  get result(): IBlameResult | null {
    return this._result;
  }

  /** The failure of the last request. A cell without a history isn't a failure. */
  get failure(): IFailure | null {
    return this._failure;
  }

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

export const UNRECORDED: BlameLine = {
  author: 'unknown',
  step: null,
  seq: null
};

/**
 * Return the `BlameLine` of each line of the current source; `lines` are those of `source`. An
 * unchanged line keeps its `BlameLine`.
 */
export function carryLines(
  lines: readonly BlameLine[],
  source: string,
  currentSource: string
): readonly BlameLine[] {
  const oldLines = source.split('\n');
  const newLines = currentSource.split('\n');
  const result: BlameLine[] = [];
  let oldIndex = 0;
  for (const change of listChanges(oldLines, newLines)) {
    while (oldIndex < change.fromA) {
      result.push(lines[oldIndex++] ?? UNRECORDED);
    }
    for (let index = change.fromB; index < change.toB; index++) {
      result.push(UNRECORDED);
    }
    oldIndex = change.toA;
  }
  while (result.length < newLines.length) {
    result.push(lines[oldIndex++] ?? UNRECORDED);
  }
  return result;
}
