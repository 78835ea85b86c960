/**
 * What the record holds of the cells of a notebook, as far as one page knows: which of them have a
 * session, in which a model was asked, and what was noted of each last.
 */
import type { EventBody, PlacedCell, SessionSummary } from '../../../api/types';

/** Which cells are watched. */
export type Scope = 'all' | 'ai';

export class WatchRecord {
  constructor(
    private readonly _scope: Scope,
    summaries: readonly SessionSummary[]
  ) {
    for (const { cellId, turns } of summaries) {
      this._kept.add(cellId);
      if (turns) {
        this._asked.add(cellId);
      }
    }
  }

  /** Whether a cell is watched. */
  watches(id: string): boolean {
    return this._scope === 'all' || this.isAsked(id);
  }

  /** Whether a model was asked in a cell, or in one that it came out of. */
  isAsked(id: string): boolean {
    return this._asked.has(id);
  }

  /** From now on a cell is one in which a model was asked. */
  ask(id: string): void {
    this._asked.add(id);
  }

  /** Whether a cell has a session. */
  isKept(id: string): boolean {
    return this._kept.has(id);
  }

  /** From now on a cell has a session. */
  keep(id: string): void {
    this._kept.add(id);
  }

  /** The source that the record holds as the cell's last one. */
  last(id: string): string | undefined {
    return this._last.get(id);
  }

  /** From now on the record holds this as the cell's last source. */
  note(id: string, source: string): void {
    this._last.set(id, source);
  }

  /** The record takes events of a cell. */
  take(id: string, events: readonly EventBody[]): void {
    this.keep(id);
    for (const { source } of events) {
      if (typeof source === 'string') {
        this.note(id, source);
      }
    }
  }

  /** Whether the record lacks this source as the cell's last one. */
  isNews(id: string, source: string): boolean {
    const isBlank = !this.isKept(id) && !source;
    return this.watches(id) && !isBlank && this.last(id) !== source;
  }

  private readonly _asked = new Set<string>();
  private readonly _kept = new Set<string>();
  private readonly _last = new Map<string, string>();
}

/** Whether two lists have the same cells, with the same types, in the same order. */
export function sameOrder(
  one: readonly PlacedCell[],
  other: readonly PlacedCell[]
): boolean {
  return (
    one.length === other.length &&
    one.every(
      ({ id, type }, index) =>
        id === other[index].id && type === other[index].type
    )
  );
}
