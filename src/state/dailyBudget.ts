/**
 * The person's daily budget: whether today's requests have cost more. It only warns.
 *
 * Invariant: without a budget, no request is sent to the server.
 */
import { Signal } from '@lumino/signaling';

import type { ApiClient } from '../api/client';

export class DailyBudget {
  /** @param _limit - Return the budget in US dollars; 0 if there is none. */
  constructor(
    private readonly _api: Pick<ApiClient, 'usage'>,
    private readonly _limit: () => number
  ) {}

  /** Emitted when `excess` changes. */
  readonly changed = new Signal<this, void>(this);

  /** In US dollars; null if the cost of today's requests is within the budget. */
  get excess(): { readonly cost: number; readonly limit: number } | null {
    return this._excess;
  }

  /** A failure changes nothing. */
  async update(): Promise<void> {
    const limit = this._limit();
    const update = ++this._lastUpdate;
    const midnight = new Date();
    midnight.setHours(0, 0, 0, 0);
    try {
      const cost = limit
        ? ((await this._api.usage(null, midnight)).cost ?? 0)
        : 0;
      if (update !== this._lastUpdate) {
        return; // A later update knows more.
      }
      this._excess = limit && cost > limit ? { cost, limit } : null;
      this.changed.emit();
    } catch {
      // The budget only warns, so a request must not fail because of it.
    }
  }

  private _lastUpdate = 0;
  private _excess: { cost: number; limit: number } | null = null;
}
