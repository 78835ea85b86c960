/**
 * A person's decision on a suggestion: accept all of it, accept some of its changes, or reject it.
 *
 * Invariants: only `accept` and `acceptChange` write code, and only into the cell of the request. If
 * the cell was deleted, nothing is written.
 */
import {
  applyHunk,
  countHunks,
  hunkIndexAt,
  hunkRange,
  mergeSources,
  revertHunk
} from '../../diff/hunks';
import { IAnswer, followCell } from './answers/answers';
import {
  acceptEvent,
  acceptPartEvent,
  hasDecision,
  rejectEvent
} from './requestBody';
import type { GenerationStore } from './store';
import type { ISuggestion } from './suggestion';

/** The pause in milliseconds after which edited code is checked. */
const CHECK_PAUSE = 600;

/** A turn, and the numbers of its suggestion's changes that the person has accepted or rejected. */
interface ICounts {
  readonly turnId: number | null;
  readonly accepted: number;
  readonly rejected: number;
}

export class Decision {
  constructor(private readonly _store: GenerationStore) {}

  /** Reject one of the suggestion's changes: `accept` won't write it. */
  rejectChange(index: number): void {
    const { suggestion, state } = this._store;
    const source = this._source;
    if (state.phase === 'suggested' && suggestion && source !== null) {
      const code = revertHunk(source, state.code, index);
      const count = countHunks(source, state.code) - countHunks(source, code);
      this._count('rejected', count);
      this._setCode(code);
      this._reselect(state.change);
    }
  }

  /**
   * Write one of the suggestion's changes into the cell, and record that the person accepted it.
   * The suggestion stays open until all changes are accepted or rejected.
   */
  async acceptChange(index: number): Promise<void> {
    const { suggestion, state, target } = this._store;
    const previous = this._source;
    if (state.phase !== 'suggested' || !suggestion || previous === null) {
      return;
    }
    const source = applyHunk(previous, state.code, index);
    if (source === previous) {
      return;
    }
    const remaining = countHunks(source, state.code);
    const { accepted, rejected } = this._count('accepted', 1);
    const total = accepted + rejected + remaining;
    const { baseSource, isCellEdited } = this._store;
    const { answers } = this._store;
    if (!isCellEdited) {
      this._store.baseSource = source; // Before the cell changes, so that it isn't merged.
      this._store.answers = followCell(
        answers,
        suggestion.turnId,
        previous,
        source
      );
    }
    if (!target.apply(source)) {
      this._store.baseSource = baseSource;
      this._store.answers = answers;
      this._count('accepted', -1);
      this._store.setState({ notice: 'not_written' });
      return;
    }
    this._undoable.push({ source: previous, answers });
    if (remaining) {
      this._setCode(state.code);
      this._reselect(state.change);
    } else {
      this._continueFrom(suggestion);
      this._closeSuggestion();
    }
    await this._store.record(
      acceptPartEvent(suggestion, source, remaining > 0, {
        accepted,
        of: total
      })
    );
  }

  /** Return the index of the suggestion's change at an offset of its code; -1 if there is none. */
  changeAt(offset: number): number {
    return hunkIndexAt(this._source ?? '', this._store.state.code, offset);
  }

  /** The lines of the selected change, as offsets of the suggestion's code; null if none is. */
  get selectedRange(): { from: number; to: number } | null {
    const { change, code } = this._store.state;
    return change === null ? null : hunkRange(this._source ?? '', code, change);
  }

  /** Select the next or previous change of the suggestion, for `acceptChange` by keyboard. */
  selectChange(direction: 1 | -1): void {
    const { state } = this._store;
    const count = countHunks(this._source ?? '', state.code);
    if (state.phase === 'suggested' && count) {
      const { change } = state;
      const start = direction > 0 ? -1 : count;
      const next = (change ?? start) + direction;
      this._store.setState({ change: (next + count) % count });
    }
  }

  /** Set the suggestion's code to the text that the person has edited. */
  edit(code: string): void {
    if (
      this._store.state.phase === 'suggested' &&
      code !== this._store.state.code
    ) {
      this._store.setState({ code, problems: [], change: null });
      clearTimeout(this._checkTimer);
      this._checkTimer = window.setTimeout(
        () => void this._store.check(),
        CHECK_PAUSE
      );
    }
  }

  /**
   * Set the code that `accept` will write: the suggestion with a correction that the person has
   * chosen. A correction doesn't count as a rejected change, nor as written by hand.
   */
  correct(code: string): void {
    const { suggestion, state } = this._store;
    if (state.phase === 'suggested' && suggestion) {
      const corrected = state.correctedCode || suggestion.source;
      // Make the same change in the code without what the person has typed.
      const correctedCode = mergeSources(state.code, corrected, code);
      this._store.setState({ correctedCode: correctedCode ?? corrected });
      this._setCode(code);
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
    if (state.phase === 'suggested' && suggestion) {
      this._store.setState({ corrections: [], correctedCode: '' });
      this._counts = this._counts && { ...this._counts, rejected: 0 };
      this._setCode(suggestion.source);
    }
  }

  /**
   * Write the suggestion, as the person has revised it, into the cell, and record that the person
   * accepted it. Return true if the code was written; false if there is no suggestion, if it changes
   * nothing, or if the cell can't be written.
   *
   * @param next - The next phase, if the cell will be run. Without `next`, the prompt row closes,
   * unless its input field contains text.
   */
  async accept(next?: 'running'): Promise<boolean> {
    const { changesNothing, suggestion, state, target } = this._store;
    if (state.phase !== 'suggested' || !suggestion || changesNothing) {
      return false;
    }
    const source = state.code;
    const accepted = acceptEvent(suggestion, state, {
      previousSource: target.source(),
      rejectedCount: this._count('rejected', 0).rejected
    });
    if (!target.apply(source)) {
      this._store.setState({ notice: 'not_written' });
      return false;
    }
    this._continueFrom(suggestion);
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
      const others = this._store.answers
        .map(answer => answer.suggestion)
        .filter(({ turnId }) => turnId !== suggestion.turnId);
      const source = target.source();
      this._closeSuggestion();
      // The person has seen all answers to the request, and takes none of them.
      for (const rejected of [...others, suggestion]) {
        if (
          rejected.turnId &&
          !rejected.saveError &&
          !(await this._hasDecision(rejected.turnId))
        ) {
          await this._store.record(rejectEvent(rejected, source));
        }
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

  /**
   * After the cell's code has changed, for example in another window, make the same change in the
   * suggestion if it changes other lines. Update `isCellEdited`.
   */
  onSourceChanged(): void {
    this._followCell();
    const { isCellEdited, state } = this._store;
    if (state.phase === 'suggested' && state.isCellEdited !== isCellEdited) {
      this._store.setState({ isCellEdited });
    }
  }

  /** The cell's code; null if the cell was deleted. */
  private get _source(): string | null {
    return this._store.target.source();
  }

  /**
   * Add to the number of the open suggestion's changes that the person has accepted or rejected,
   * and return both numbers.
   */
  private _count(kind: 'accepted' | 'rejected', count: number): ICounts {
    const turnId = this._store.suggestion?.turnId ?? null;
    const counts =
      this._counts?.turnId === turnId
        ? this._counts
        : { turnId, accepted: 0, rejected: 0 };
    // A person who edits the suggestion can bring back a change that was rejected.
    const sum = Math.max(0, counts[kind] + count);
    return (this._counts = { ...counts, [kind]: sum });
  }

  /**
   * If the cell was changed, make the same change in the suggestion, unless both change the same
   * lines. If the person has undone the acceptance of a change, the suggestion has it again.
   */
  private _followCell(): void {
    const store = this._store;
    const { baseSource: base, suggestion, state } = store;
    const source = this._source;
    const isFollowed = state.phase === 'suggested' && store.isCellEdited;
    if (!isFollowed || !suggestion || base === null || source === null) {
      return;
    }
    const last = this._undoable[this._undoable.length - 1];
    if (source === last?.source) {
      this._undoable.pop();
      this._count('accepted', -1);
      store.baseSource = source;
      store.answers = last.answers;
      this._setCode(state.code);
      return;
    }
    const code = mergeSources(base, state.code, source);
    if (code !== null) {
      // “Restore the original suggestion” and “Regenerate” must not remove the other change.
      const original = mergeSources(base, suggestion.source, source);
      store.suggestion = { ...suggestion, source: original ?? code };
      if (store.request?.source === base) {
        store.request = { ...store.request, source };
      }
      store.baseSource = source;
      store.answers = followCell(
        store.answers,
        suggestion.turnId,
        base,
        source
      );
      const { correctedCode: corrected } = state;
      const correctedCode =
        corrected && (mergeSources(base, corrected, source) ?? corrected);
      store.setState({ correctedCode });
      this._setCode(code);
    }
  }

  /** If a change was selected, select the one that is now in its place. */
  private _reselect(change: number | null): void {
    const count = countHunks(this._source ?? '', this._store.state.code);
    if (change !== null && count) {
      this._store.setState({ change: Math.min(change, count - 1) });
    }
  }

  /** Let the next request continue from this answer if there are newer ones. */
  private _continueFrom({ turnId, intent: title }: ISuggestion): void {
    const { answers } = this._store;
    if (answers.some(({ suggestion }) => suggestion.turnId > turnId)) {
      this._store.setState({ branch: { turnId, title } });
    }
  }

  private _setCode(code: string): void {
    this._store.setState({ code, problems: [], warnings: [], change: null });
    void this._store.check();
  }

  private async _hasDecision(turnId: number): Promise<boolean> {
    const { history, target } = this._store;
    const key = target.key();
    return key !== null && (await hasDecision(history, key, turnId));
  }

  /** Close the suggestion. Text in the input field becomes the draft of the next request. */
  private _closeSuggestion(next?: 'running'): void {
    const draft = this._store.inputText;
    this._undoable = [];
    if (next) {
      this._store.discardRequest(next, draft);
    } else if (draft.trim()) {
      this._store.discardRequest('editing', draft);
    } else {
      this._store.inputText = '';
      this._store.discardRequest('idle', '');
    }
  }

  private _counts: ICounts | null = null;
  /** The cell's sources and the answers before the accepted changes of the open suggestion. */
  private _undoable: { source: string; answers: readonly IAnswer[] }[] = [];
  private _checkTimer: number | undefined;
}
