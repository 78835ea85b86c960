/**
 * This page's knowledge of what is recorded of a notebook: the cells that have a session, those
 * that have a turn, and the last recorded source of each.
 */
import type { EventBody, PlacedCell, SessionSummary } from '../../../api/types';

/** The cells that are watched: all, or only those with a turn. */
export type Scope = 'all' | 'ai';

export class WatchRecord {
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
  /** The last recorded source of each cell. */
  readonly lastSource = new Map<string, string>();

  /** Whether a cell is watched. */
  watches(id: string): boolean {
    return this._scope === 'all' || this.withTurn.has(id);
  }

  /** Add recorded events of a cell. */
  add(id: string, events: readonly EventBody[]): void {
    this.withSession.add(id);
    for (const { source } of events) {
      if (typeof source === 'string') {
        this.lastSource.set(id, source);
      }
    }
  }

  /** Whether this source of a watched cell differs from the last recorded one. */
  isNewSource(id: string, source: string): boolean {
    const isBlank = !this.withSession.has(id) && !source;
    return this.watches(id) && !isBlank && this.lastSource.get(id) !== source;
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
