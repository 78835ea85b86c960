/**
 * What a person makes of a suggestion: takes it, or parts of it, or leaves it.
 *
 * What must hold: the cell's code is written by `accept` alone, and only into the cell that was
 * asked for; if that is gone, nothing is written anywhere (P34).
 */
import { acceptOf, isDecided, rejectOf } from './requestBody';
import type { GenerationStore } from './store';

export class Decision {
  constructor(private readonly _store: GenerationStore) {}

  /** Take parts of the suggestion back, or bring them again: what Accept will write. */
  revise(code: string): void {
    if (this._store.state.phase === 'suggested') {
      this._store.set({ code });
    }
  }

  /** Whether parts of the suggestion were taken back. */
  get isRevised(): boolean {
    const { suggestion, state } = this._store;
    return !!suggestion && suggestion.source !== state.code;
  }

  /** Bring back the parts that were taken back. */
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
    const accepted = acceptOf(suggestion, source, target.source());
    if (!target.apply(source)) {
      this._store.set({ notice: 'gone' });
      return false;
    }
    this._leave();
    await this._store.record(accepted);
    return true;
  }

  /**
   * Leave the cell as it is, and record that. Another window of the notebook may have decided
   * already, unnoticed without a shared document: then its decision stays the recorded one.
   */
  async reject(): Promise<void> {
    const { suggestion, state, target } = this._store;
    if (state.phase === 'suggested' && suggestion) {
      const rejected = rejectOf(suggestion, target.source());
      this._leave();
      if (!suggestion.unkept && !(await this._isDecided(suggestion.turnId))) {
        await this._store.record(rejected);
      }
    }
  }

  /** Close the suggestion if the history has a decision on it, of another window. */
  async refresh(): Promise<void> {
    const { suggestion, state } = this._store;
    if (state.phase === 'suggested' && suggestion && !suggestion.unkept) {
      const { turnId } = suggestion;
      if (await this._isDecided(turnId)) {
        this.close(turnId);
      }
    }
  }

  /** Close a suggestion on which another view or another window has decided and recorded it. */
  close(turnId: number | null | undefined): void {
    const { suggestion, state } = this._store;
    if (state.phase === 'suggested' && suggestion?.turnId === turnId) {
      this._leave();
    }
  }

  /** The cell's code was changed by another hand than Accept: the suggestion is of before. */
  sourceChanged(): void {
    const { isEdited } = this._store;
    const { phase, edited, notice } = this._store.state;
    if (phase === 'suggested' && edited !== isEdited) {
      // Once the cell holds something else, the answer is a change of it.
      const still = notice === 'same' ? null : notice;
      this._store.set({ edited: isEdited, notice: still });
    }
  }

  private async _isDecided(turnId: number): Promise<boolean> {
    const { history, target } = this._store;
    const { cellId } = target;
    const notebookId = target.notebookId();
    return (
      notebookId !== null &&
      (await isDecided(history, { notebookId, cellId }, turnId))
    );
  }

  /** The suggestion is dealt with. What was written for a further one is the next request. */
  private _leave(): void {
    const draft = this._store.written;
    if (draft.trim()) {
      this._store.begin('asking', draft);
    } else {
      this._store.written = '';
      this._store.begin('idle', '');
    }
  }
}
