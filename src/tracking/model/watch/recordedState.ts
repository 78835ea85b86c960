/**
 * The recorded state of a notebook, as far as this page knows it: the cells with a session, those
 * with a turn, and the last recorded source of each cell.
 */
import type { EventBody, SessionSummary } from '../../../api/types';

/** `all` cells are watched, or only those with a turn (`ai`). */
export type Scope = 'all' | 'ai';

export class RecordedState {
  constructor(
    private readonly _scope: Scope,
    summaries: readonly SessionSummary[]
  ) {
    for (const { cellId, turns } of summaries) {
      this.withSession.add(cellId);
      if (turns) {
        this.withTurn.add(cellId);
      }
    }
  }

  readonly withSession = new Set<string>();
  /** The cells that have a turn, or were created from one that has. */
  readonly withTurn = new Set<string>();
  readonly lastSource = new Map<string, string>();

  isWatched(id: string): boolean {
    return this._scope === 'all' || this.withTurn.has(id);
  }

  addEvents(id: string, events: readonly EventBody[]): void {
    this.withSession.add(id);
    for (const { source } of events) {
      if (typeof source === 'string') {
        this.lastSource.set(id, source);
      }
    }
  }

  /**
   * Return whether a source must be recorded: the cell is watched, and the source differs from the
   * last recorded one. An empty source without a session never is.
   */
  isNewSource(id: string, source: string): boolean {
    const isBlank = !this.withSession.has(id) && !source;
    return this.isWatched(id) && !isBlank && this.lastSource.get(id) !== source;
  }
}
