/**
 * The texts that a cell's requests ask to remember: each becomes a proposal, about which the row
 * asks.
 *
 * Invariants: only a text that a person has typed is proposed. A closed row asks nothing.
 */
import type { MemorySource } from '../../../api/types';
import { IFailure, toFailure } from '../../../state/failure';
import type { IMemory } from '../../../tokens';
import type { GenerationStore } from '../store';
import { rememberedClause, rememberedText } from './rememberedText';

export interface IAskedProposal {
  readonly id: string;
  /** The request that was not sent, because all of it is to be remembered; empty if it was sent. */
  readonly request: string;
}

export class RowMemory {
  constructor(
    private readonly _row: GenerationStore,
    readonly memory: IMemory
  ) {
    _row.changed.connect(this._onChanged, this);
  }

  asked: IAskedProposal | null = null;
  failure: IFailure | null = null;
  /** A sentence about the last decision; empty if there is none. */
  result = '';

  isFor(request: string): boolean {
    return rememberedText(request) !== null;
  }

  async propose(request: string): Promise<boolean> {
    return this._propose(rememberedText(request)!, 0, request);
  }

  end(result = ''): void {
    this._set(null, null, result);
  }

  private _onChanged(): void {
    const { isBusy, state } = this._row;
    const hasEnded = this._wasBusy && !isBusy;
    this._wasBusy = isBusy;
    if (state.phase === 'idle') {
      this.asked = this.failure = null;
      this.result = '';
    } else if (hasEnded) {
      const isAnswered =
        state.phase === 'suggested' || state.phase === 'answered';
      const clause = rememberedClause(this._row.request?.typed ?? '');
      // The row has already asked about a retry's or correction's request.
      if (isAnswered && clause && clause !== this._lastClause) {
        this._lastClause = clause;
        void this._propose(clause, state.turnId ?? 0);
      }
    }
  }

  private async _propose(
    text: string,
    turnId: number,
    request = ''
  ): Promise<boolean> {
    const key = this._row.target.key();
    const source: MemorySource | null = key && { ...key, turnId };
    try {
      const id = await this.memory.propose(text, source);
      this._set({ id, request }, null, '');
      return true;
    } catch (reason) {
      this._set(null, toFailure(reason), '');
      return false;
    }
  }

  private _set(
    asked: IAskedProposal | null,
    failure: IFailure | null,
    result: string
  ): void {
    if (this._row.state.phase !== 'idle') {
      Object.assign(this, { asked, failure, result });
      this._row.setState({}); // To render the row again.
    }
  }

  private _wasBusy = false;
  private _lastClause = '';
}
