/**
 * The recorded state of a notebook, as far as this page knows: the cells that have a session, the
 * cells that have a turn, and the last recorded source of each cell.
 */
import type { EventBody, PlacedCell, SessionSummary } from '../../../api/types';

/** The choice of cells that are watched: `all`, or only the cells with a turn (`ai`). */
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
  /** The cells that have a turn, or were created from a cell that has one. */
  readonly withTurn = new Set<string>();
  /** The last recorded source of each cell. */
  readonly lastSource = new Map<string, string>();

  /** Whether a cell is watched. */
  isWatched(id: string): boolean {
    return this._scope === 'all' || this.withTurn.has(id);
  }

  /** Take note of events of a cell that are recorded. */
  add(id: string, events: readonly EventBody[]): void {
    this.withSession.add(id);
    for (const { source } of events) {
      if (typeof source === 'string') {
        this.lastSource.set(id, source);
      }
    }
  }

  /**
   * Whether a watched cell has a source that differs from the last recorded one. The empty source
   * of a cell without a session isn't new.
   */
  isNewSource(id: string, source: string): boolean {
    const isBlank = !this.withSession.has(id) && !source;
    return this.isWatched(id) && !isBlank && this.lastSource.get(id) !== source;
  }
}

/** Whether two lists have the same cells with the same types in the same order. */
export function sameOrder(
  first: readonly PlacedCell[],
  second: readonly PlacedCell[]
): boolean {
  return (
    first.length === second.length &&
    first.every(
      ({ id, type }, index) =>
        id === second[index].id && type === second[index].type
    )
  );
}
