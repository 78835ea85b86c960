/**
 * A person's decision on a suggestion: accept it, accept parts of it, or reject it.
 *
 * Invariants: only `accept` writes the cell's code, and only into the cell of the request. If that
 * cell was deleted, nothing is written.
 */
import { acceptEvent, hasDecision, rejectEvent } from './requestBody';
import type { GenerationStore } from './store';

export class Decision {
  constructor(private readonly _store: GenerationStore) {}

  /**
   * Set the code that Accept will write, after the person removed or restored some of the changes.
   */
  revise(code: string): void {
    if (this._store.state.phase === 'suggested') {
      this._store.set({ code });
    }
  }

  /** Whether the person removed some of the suggestion's changes. */
  get isRevised(): boolean {
    const { suggestion, state } = this._store;
    return !!suggestion && suggestion.source !== state.code;
  }

  /** Restore the removed changes of the suggestion. */
  restore(): void {
    const { suggestion, state } = this._store;
    this.revise(suggestion?.source ?? state.code);
  }

  /** Write the suggestion into the cell. */
  async accept(): Promise<boolean> {
    const { suggestion, state, target } = this._store;
    if (state.phase !== 'suggested' || !suggestion) {
      return false;
    }
    const source = state.code;
    const accepted = acceptEvent(suggestion, source, target.source());
    if (!target.apply(source)) {
      this._store.set({ notice: 'not_written' });
      return false;
    }
    this._finish();
    await this._store.record(accepted);
    return true;
  }

  /**
   * Leave the cell unchanged and record the rejection. If another page has already recorded a
   * decision, which this page can't see unless the notebook is shared, that decision remains.
   */
  async reject(): Promise<void> {
    const { suggestion, state, target } = this._store;
    if (state.phase === 'suggested' && suggestion) {
      const rejected = rejectEvent(suggestion, target.source());
      this._finish();
      if (
        !suggestion.saveError &&
        !(await this._hasDecision(suggestion.turnId))
      ) {
        await this._store.record(rejected);
      }
    }
  }

  /** Close the suggestion if another page has recorded a decision on it. */
  async refresh(): Promise<void> {
    const { suggestion, state } = this._store;
    if (state.phase === 'suggested' && suggestion && !suggestion.saveError) {
      const { turnId } = suggestion;
      if (await this._hasDecision(turnId)) {
        this.close(turnId);
      }
    }
  }

  /** Close the suggestion after another view or page has recorded a decision on it. */
  close(turnId: number | null | undefined): void {
    const { suggestion, state } = this._store;
    if (state.phase === 'suggested' && suggestion?.turnId === turnId) {
      this._finish();
    }
  }

  /** Update the state after the cell's code was changed by anything but Accept. */
  sourceChanged(): void {
    const { isEdited } = this._store;
    const { phase, edited, notice } = this._store.state;
    if (phase === 'suggested' && edited !== isEdited) {
      // The cell was edited, so the notice that the answer equals the cell's code is no longer
      // true.
      const remaining = notice === 'same' ? null : notice;
      this._store.set({ edited: isEdited, notice: remaining });
    }
  }

  private async _hasDecision(turnId: number): Promise<boolean> {
    const { history, target } = this._store;
    const key = target.key();
    return key !== null && (await hasDecision(history, key, turnId));
  }

  /** Close the suggestion. Text in the input field becomes the draft of the next request. */
  private _finish(): void {
    const draft = this._store.inputText;
    if (draft.trim()) {
      this._store.begin('editing', draft);
    } else {
      this._store.inputText = '';
      this._store.begin('idle', '');
    }
  }
}
