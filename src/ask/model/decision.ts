/**
 * A person's decision on a suggestion: accept all of it, accept some of its changes, or reject it.
 *
 * Invariants: only `accept` writes code, and only into the cell of the request. If the cell was
 * deleted, nothing is written.
 */
import { countHunks } from '../../diff/hunks';
import { acceptEvent, hasDecision, rejectEvent } from './requestBody';
import type { GenerationStore } from './store';

export class Decision {
  constructor(private readonly _store: GenerationStore) {}

  /**
   * Set the code that `accept` will write: the suggestion without the changes that the person has
   * rejected.
   */
  revise(code: string): void {
    const { suggestion, state, target } = this._store;
    if (state.phase === 'suggested' && suggestion) {
      const source = target.source() ?? '';
      const count = countHunks(source, state.code) - countHunks(source, code);
      this._rejected = {
        turnId: suggestion.turnId,
        count: this._rejectedCount + count
      };
      this.correct(code);
    }
  }

  /**
   * Set the code that `accept` will write: the suggestion with a correction that the person has
   * chosen. A correction doesn't count as a rejected change.
   */
  correct(code: string): void {
    if (this._store.state.phase === 'suggested') {
      this._store.setState({ code, problems: [] });
      void this._store.check();
    }
  }

  /** Whether the code differs from the suggestion as the model wrote it. */
  get isRevised(): boolean {
    const { suggestion, state } = this._store;
    return !!suggestion && suggestion.source !== state.code;
  }

  /** Restore the suggestion as the model wrote it. */
  restore(): void {
    const { suggestion, state } = this._store;
    this._store.setState({ corrections: [] });
    this._rejected = null;
    this.correct(suggestion?.source ?? state.code);
  }

  /**
   * Write the suggestion, as the person has revised it, into the cell, and record that the person
   * accepted it. Return true if the code was written; false if there is no suggestion or the cell
   * can't be written.
   *
   * @param next - The next phase, if the cell will be run. Without `next`, the prompt row closes,
   * unless its input field contains text.
   */
  async accept(next?: 'running'): Promise<boolean> {
    const { suggestion, state, target } = this._store;
    if (state.phase !== 'suggested' || !suggestion) {
      return false;
    }
    const source = state.code;
    const accepted = acceptEvent(suggestion, state, {
      previousSource: target.source(),
      rejectedCount: this._rejectedCount
    });
    if (!target.apply(source)) {
      this._store.setState({ notice: 'not_written' });
      return false;
    }
    const { answeredRequest: request } = this._store;
    this._store.accepted = request && { code: source, request };
    this._closeSuggestion(next);
    await this._store.record(accepted);
    return true;
  }

  /**
   * Close the suggestion and record its rejection. The cell stays unchanged. No rejection is
   * recorded if the suggestion's turn could not be saved, or if another page has already recorded a
   * decision. Unless the notebook is shared, this page isn't notified of other pages' decisions. So
   * it asks the server.
   */
  async reject(): Promise<void> {
    const { suggestion, state, target } = this._store;
    if (state.phase === 'suggested' && suggestion) {
      const rejected = rejectEvent(suggestion, target.source());
      this._closeSuggestion();
      if (
        !suggestion.saveError &&
        !(await this._hasDecision(suggestion.turnId))
      ) {
        await this._store.record(rejected);
      }
    }
  }

  /** Close the suggestion if another page has recorded a decision on it. */
  async closeIfDecided(): Promise<void> {
    const { suggestion, state } = this._store;
    if (state.phase === 'suggested' && suggestion && !suggestion.saveError) {
      const { turnId } = suggestion;
      if (await this._hasDecision(turnId)) {
        this.close(turnId);
      }
    }
  }

  /** Close the suggestion of this turn, because a decision on it was recorded. */
  close(turnId: number | null | undefined): void {
    const { suggestion, state } = this._store;
    if (state.phase === 'suggested' && suggestion?.turnId === turnId) {
      this._closeSuggestion();
    }
  }

  /** Update `isCellEdited` and the notice after the cell's code has changed. */
  onSourceChanged(): void {
    const { isCellEdited, state } = this._store;
    const { phase, notice } = state;
    if (phase === 'suggested' && state.isCellEdited !== isCellEdited) {
      // The notice `same` says that the answer equals the cell's code. This is no longer true.
      this._store.setState({
        isCellEdited,
        notice: notice === 'same' ? null : notice
      });
    }
  }

  /** The number of the open suggestion's changes that the person has rejected. */
  private get _rejectedCount(): number {
    const rejected = this._rejected;
    const isOfOpenSuggestion =
      rejected?.turnId === this._store.suggestion?.turnId;
    return rejected && isOfOpenSuggestion ? Math.max(0, rejected.count) : 0;
  }

  private async _hasDecision(turnId: number): Promise<boolean> {
    const { history, target } = this._store;
    const key = target.key();
    return key !== null && (await hasDecision(history, key, turnId));
  }

  /** Close the suggestion. Text in the input field becomes the draft of the next request. */
  private _closeSuggestion(next?: 'running'): void {
    const draft = this._store.inputText;
    if (next) {
      this._store.discardRequest(next, draft);
    } else if (draft.trim()) {
      this._store.discardRequest('editing', draft);
    } else {
      this._store.inputText = '';
      this._store.discardRequest('idle', '');
    }
  }

  /** A turn, and the number of its suggestion's changes that the person has rejected. */
  private _rejected: { turnId: number; count: number } | null = null;
}
