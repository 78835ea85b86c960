/**
 * The person's decision on the open suggestion: revise, accept, run, reject, or ask for another
 * answer.
 *
 * Invariants:
 * - Only `accept` and `acceptChange` write code, and only into the cell of the request.
 * - No code runs unless the person has seen it and starts it, and the administrator allows it.
 *   Stopping interrupts the kernel at once (P13, P42, P49).
 */
import type { EventBody } from '../../api/types';
import {
  applyHunk,
  countHunks,
  hunkIndexAt,
  hunkRange,
  mergeSources,
  revertHunk
} from '../../diff/hunks';
import { normalizeLineBreaks } from '../../diff/lineBreaks';
import { isRequestOf } from '../../records/answers';
import { AI_SERVER, type Contributor } from '../../records/contributor';
import { isForbidden } from '../../state/features';
import { type IAnswer, type ISuggestion, NO_TURN, followCell } from './answers';
import { lineRange, selectLines } from './context/selection';
import { withFirstLine } from './problems';
import type { RequestSender } from './requestSender';
import type { GenerationStore } from './store';

/** Milliseconds after which edited code is checked. */
const CHECK_PAUSE = 600;

interface ICounts {
  readonly turnId: number | null;
  readonly accepted: number;
  readonly rejected: number;
}

export class Decision {
  constructor(
    private readonly _store: GenerationStore,
    private readonly _sender: RequestSender
  ) {}

  show(turnId: number): void {
    const { answers, suggestion } = this._store;
    const isAnswer = answers.some(it => it.suggestion.turnId === turnId);
    if (this._isOpen && isAnswer && suggestion?.turnId !== turnId) {
      this._store.showAnswer(turnId);
    }
  }

  /** Suggest the cell's code with a line that helps without a model. */
  offerLine(line: string): void {
    const store = this._store;
    const source = store.target.source();
    if (store.isBusy || store.suggestion || source === null) {
      return;
    }
    store.hasBegun = true;
    store.baseSource = source;
    store.request = null;
    const suggestion = {
      turnId: NO_TURN,
      intent: line,
      source: withFirstLine(normalizeLineBreaks(source), line),
      explanation: '',
      saveError: null
    };
    store.addAnswer(suggestion, null);
    store.setState(store.suggested!);
    void store.check();
  }

  async askAnother(model: string): Promise<void> {
    const { isBusy, request, suggestion } = this._store;
    if (request && suggestion && !isBusy) {
      await this._sender.retry({ ...request, model });
    }
  }

  async repair(text: string): Promise<void> {
    const { request } = this._store;
    if (request && this._isOpen) {
      await this._sender.send({
        ...this._store.buildRequest(text, request.typed ?? ''),
        model: request.model,
        isRepair: true,
        isChange: true
      });
    }
  }

  /** Ask for another answer to one change that a model wrote and that doesn't only remove lines. */
  async regenerateChange(index: number): Promise<void> {
    const store = this._store;
    const { code, selection } = store.state;
    const request = store.answer?.request;
    const range = hunkRange(this._source ?? '', code, index);
    if (!this._isOpen || !request || !range) {
      return;
    }
    const lines = selectLines(code, range.from, range.to);
    const isWhole = range.from === 0 && range.to === code.length;
    if (!lines && !isWhole) {
      return;
    }
    const { intent, typed, example } = request;
    const part = {
      ...store.buildRequest(intent, typed),
      example,
      selection: lines && lineRange(lines, code),
      isRetry: true,
      isChange: true
    };
    // Limits corrections of the answer to these lines.
    store.setState({ selection: lines });
    await this._sender.send(part);
    if (store.state.selection === lines) {
      store.setState({ selection });
    }
  }

  rejectChange(index: number): void {
    const { change, code: before } = this._store.state;
    const source = this._source;
    if (this._isOpen && source !== null) {
      const code = revertHunk(source, before, index);
      const count = countHunks(source, before) - countHunks(source, code);
      this._count('rejected', count);
      this._setCode(code, change);
    }
  }

  async acceptChange(index: number): Promise<void> {
    const store = this._store;
    const { answers, baseSource, suggestion, target } = store;
    const { change, code } = store.state;
    const previous = this._source;
    const source = applyHunk(previous ?? '', code, index);
    const isNew = previous !== null && source !== previous;
    if (!this._isOpen || !suggestion || !isNew) {
      return;
    }
    const remaining = countHunks(source, code);
    const { accepted, rejected } = this._count('accepted', 1);
    if (!store.isCellEdited) {
      store.baseSource = source; // Before the cell changes, so that it isn't merged.
      const { turnId } = suggestion;
      store.answers = followCell(answers, previous, source, turnId);
    }
    if (!target.apply(source)) {
      store.baseSource = baseSource;
      store.answers = answers;
      this._count('accepted', -1);
      store.setState({ notice: 'not_written' });
      return;
    }
    this._undoable.push({ source: previous, answers });
    if (remaining) {
      this._setCode(code, change);
    } else {
      this._continueFrom(suggestion);
      this._close();
    }
    const hunks = { accepted, of: accepted + rejected + remaining };
    await store.record(
      // A part leaves the suggestion open.
      acceptEvent(suggestion, source, {
        ...(remaining && { part: true }),
        hunks
      })
    );
  }

  changeAt(offset: number): number {
    return hunkIndexAt(this._source ?? '', this._store.state.code, offset);
  }

  get selectedRange(): { from: number; to: number } | null {
    const { change, code } = this._store.state;
    return change === null ? null : hunkRange(this._source ?? '', code, change);
  }

  selectChange(direction: 1 | -1): void {
    const { change, code } = this._store.state;
    const count = countHunks(this._source ?? '', code);
    if (this._isOpen && count) {
      const next = (change ?? (direction > 0 ? -1 : count)) + direction;
      this._store.setState({ change: (next + count) % count });
    }
  }

  edit(code: string): void {
    if (this._isOpen && code !== this._store.state.code) {
      this._store.setState({ code, problems: [], change: null });
      clearTimeout(this._checkTimer);
      const check = () => void this._store.check();
      this._checkTimer = window.setTimeout(check, CHECK_PAUSE);
    }
  }

  /** Apply a correction that the person has chosen. It doesn't count as written by hand. */
  correct(code: string): void {
    const { suggestion, state } = this._store;
    if (this._isOpen && suggestion) {
      const corrected = state.correctedCode || suggestion.source;
      // The same change in the code without what the person has typed.
      const correctedCode = mergeSources(state.code, corrected, code);
      this._store.setState({ correctedCode: correctedCode ?? corrected });
      this._setCode(code);
    }
  }

  get isRevised(): boolean {
    const { suggestion, state } = this._store;
    return !!suggestion && suggestion.source !== state.code;
  }

  restore(): void {
    const { suggestion } = this._store;
    if (this._isOpen && suggestion) {
      this._store.setState({ corrections: [], correctedCode: '' });
      this._counts = this._counts && { ...this._counts, rejected: 0 };
      this._setCode(suggestion.source);
    }
  }

  /**
   * Write and record the suggestion as shown. Return false if it isn't offered, or the cell can't
   * be written. Without the `next` phase, the row closes unless it contains text.
   */
  async accept(next?: 'running'): Promise<boolean> {
    const { isOffered, suggestion, state, target } = this._store;
    if (!this._isOpen || !suggestion || !isOffered) {
      return false;
    }
    const data = this._acceptedData(suggestion);
    const { isDataChange: isChange, result } = this._store;
    result.expect({ code: state.code, ownCode: target.source()!, isChange });
    if (!target.apply(state.code)) {
      this._store.setState({ notice: 'not_written' });
      return false;
    }
    this._continueFrom(suggestion);
    this._close(next);
    await this._store.record(acceptEvent(suggestion, state.code, data));
    return true;
  }

  async acceptAndRun(): Promise<void> {
    const { target, state } = this._store;
    const isRunning = () => this._store.state.phase === 'running';
    if (isForbidden('running') || state.isChecking) {
      return;
    }
    if (!(await this.accept('running')) || !isRunning()) {
      return;
    }
    this._store.setState({ intent: state.intent });
    await this._store.result.ready();
    if (!isRunning()) {
      return;
    }
    const hasSucceeded = await target.run().catch(() => false);
    if (isRunning()) {
      const notice = target.error() ? 'run_failed' : 'not_run';
      this._endRun(hasSucceeded ? null : notice);
    }
  }

  interrupt(): void {
    if (this._store.state.phase === 'running') {
      this._endRun('run_stopped');
      void this._store.target.interrupt();
    }
  }

  /**
   * Close the suggestion and record that all saved answers are rejected. An agent can read the
   * reason.
   */
  async reject(reason = ''): Promise<void> {
    const { answers, suggestion } = this._store;
    const source = this._source;
    if (!this._isOpen || !suggestion) {
      return;
    }
    const others = answers
      .map(answer => answer.suggestion)
      .filter(other => other !== suggestion);
    this._close();
    for (const { turnId, saveError } of [...others, suggestion]) {
      if (turnId && !saveError && !(await this._hasDecision(turnId))) {
        const data = reason && { data: { reason } };
        const rejected = { type: 'reject', turnId, ...(data || {}) };
        await this._store.record(
          source === null ? rejected : { ...rejected, source }
        );
      }
    }
  }

  async closeIfDecided(): Promise<void> {
    const { suggestion } = this._store;
    if (this._isOpen && suggestion && !suggestion.saveError) {
      const { turnId } = suggestion;
      if (await this._hasDecision(turnId)) {
        this.close(turnId);
      }
    }
  }

  close(turnId: number | null | undefined): void {
    if (this._isOpen && this._store.suggestion?.turnId === turnId) {
      this._close();
    }
  }

  /**
   * Make a change of the cell's code, for example in another window, in the answers. If the
   * acceptance of a change was undone, the suggestion has it again.
   */
  onSourceChanged(): void {
    const store = this._store;
    const { baseSource: base, state } = store;
    const source = this._source;
    if (
      this._isOpen &&
      store.isCellEdited &&
      base !== null &&
      source !== null
    ) {
      const last = this._undoable[this._undoable.length - 1];
      if (source === last?.source) {
        this._undoable.pop();
        this._count('accepted', -1);
        store.baseSource = source;
        store.answers = last.answers;
        this._setCode(state.code);
      } else if (mergeSources(base, state.code, source) !== null) {
        store.keepShown();
        store.answers = followCell(store.answers, base, source);
        store.baseSource = source;
        if (store.request?.source === base) {
          store.request = { ...store.request, source };
        }
        const { code, correctedCode } = store.answer!.shown!;
        store.setState({ correctedCode });
        this._setCode(code);
      }
    }
    const { isCellEdited } = store;
    if (this._isOpen && store.state.isCellEdited !== isCellEdited) {
      store.setState({ isCellEdited });
    }
  }

  private get _isOpen(): boolean {
    return this._store.state.phase === 'suggested';
  }

  private get _source(): string | null {
    return this._store.target.source();
  }

  /** Return how many changes were accepted, and the code of AI Server's corrections. */
  private _acceptedData({
    source: suggested
  }: ISuggestion): Record<string, unknown> {
    const { code, corrections, correctedCode } = this._store.state;
    if (code === suggested) {
      return {};
    }
    const isCorrected = correctedCode && correctedCode !== suggested;
    const { rejected } = this._count('rejected', 0);
    const source = this._source;
    const of = rejected && source !== null ? countHunks(source, suggested) : 0;
    return {
      ...(corrections.length && { corrections }),
      ...(isCorrected &&
        (code !== correctedCode || !corrections.length) && {
          corrected: correctedCode
        }),
      ...(of && { hunks: { accepted: Math.max(0, of - rejected), of } })
    };
  }

  private _count(kind: 'accepted' | 'rejected', count: number): ICounts {
    const turnId = this._store.suggestion?.turnId ?? null;
    const counts =
      this._counts?.turnId === turnId
        ? this._counts
        : { turnId, accepted: 0, rejected: 0 };
    // By editing, a person can bring back a rejected change.
    const sum = Math.max(0, counts[kind] + count);
    return (this._counts = { ...counts, [kind]: sum });
  }

  private _continueFrom({ turnId, intent: title }: ISuggestion): void {
    const { answers } = this._store;
    if (answers.some(({ suggestion }) => suggestion.turnId > turnId)) {
      this._store.setState({ branch: { turnId, title } });
    }
  }

  /** If a change was selected, select the one that is now in its place. */
  private _setCode(code: string, selected: number | null = null): void {
    const count = countHunks(this._source ?? '', code);
    const isSelected = selected !== null && count > 0;
    const change = isSelected ? Math.min(selected, count - 1) : null;
    const findings = { problems: [], warnings: [], signals: [] };
    this._store.setState({ code, ...findings, change });
    void this._store.check();
  }

  private async _hasDecision(turnId: number): Promise<boolean> {
    const { history, target } = this._store;
    const key = target.key();
    const replay = key && (await history.api.replay(key).catch(() => null));
    const turn = replay?.steps.find(step => isRequestOf(step, turnId));
    return turn?.outcome === 'accepted' || turn?.outcome === 'rejected';
  }

  /** Text in the input field becomes the draft of the next request. */
  private _close(next?: 'running'): void {
    const store = this._store;
    this._undoable = [];
    if (!next && !store.inputText.trim()) {
      store.inputText = '';
    }
    const phase = store.inputText ? 'editing' : 'idle';
    store.discardRequest(next ?? phase, store.inputText);
  }

  /** Leave the phase `running`. The row stays open for a draft or a notice. */
  private _endRun(notice: 'run_failed' | 'run_stopped' | 'not_run' | null) {
    const { inputText: draft } = this._store;
    const phase = notice || draft.trim() ? 'editing' : 'idle';
    this._store.discardRequest(phase, draft);
    this._store.setState({ notice });
  }

  private _counts: ICounts | null = null;
  private _undoable: { source: string; answers: readonly IAnswer[] }[] = [];
  private _checkTimer: number | undefined;
}

/** Without a saved turn, an `accept` event could refer to none, so it is an `edit`. */
function acceptEvent(
  { turnId, saveError, model }: ISuggestion,
  source: string,
  data: Record<string, unknown>
): EventBody {
  if (saveError || !turnId) {
    const contributor: Contributor = turnId
      ? { kind: 'model', ...(model && { name: model }) }
      : { kind: 'program', name: AI_SERVER };
    return { type: 'edit', source, contributor };
  }
  const hasData = Object.keys(data).length > 0;
  return { type: 'accept', turnId, source, ...(hasData && { data }) };
}
