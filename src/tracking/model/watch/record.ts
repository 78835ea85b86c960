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
      this._withSession.add(cellId);
      if (turns) {
        this._withTurn.add(cellId);
      }
    }
  }

  /** Whether a cell is watched. */
  watches(id: string): boolean {
    return this._scope === 'all' || this.hasTurn(id);
  }

  /** Whether a cell, or one that it was created from, has a turn. */
  hasTurn(id: string): boolean {
    return this._withTurn.has(id);
  }

  /** Mark a cell as one with a turn. */
  addTurn(id: string): void {
    this._withTurn.add(id);
  }

  /** Whether a cell has a session. */
  hasSession(id: string): boolean {
    return this._withSession.has(id);
  }

  /** Mark a cell as one with a session. */
  addSession(id: string): void {
    this._withSession.add(id);
  }

  /** The last recorded source of a cell. */
  last(id: string): string | undefined {
    return this._last.get(id);
  }

  /** Set the last recorded source of a cell. */
  setLast(id: string, source: string): void {
    this._last.set(id, source);
  }

  /** Add recorded events of a cell. */
  add(id: string, events: readonly EventBody[]): void {
    this.addSession(id);
    for (const { source } of events) {
      if (typeof source === 'string') {
        this.setLast(id, source);
      }
    }
  }

  /** Whether this source of a watched cell differs from the last recorded one. */
  isNewSource(id: string, source: string): boolean {
    const isBlank = !this.hasSession(id) && !source;
    return this.watches(id) && !isBlank && this.last(id) !== source;
  }

  private readonly _withTurn = new Set<string>();
  private readonly _withSession = new Set<string>();
  private readonly _last = new Map<string, string>();
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
