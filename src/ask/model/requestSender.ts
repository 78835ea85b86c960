/**
 * Sends the requests of one cell, one at a time, and applies their answers to the state.
 *
 * Invariants:
 * - Only a complete answer can be accepted. Without one, the suggestion that was open is shown
 *   again, or the part of an interrupted answer.
 * - After a stream has ended, the phase is `suggested`, `answered`, `failed` or `stopped`.
 * - A new suggestion is checked and corrected before it is offered, without a model (P49).
 *   Corrections stay only if the code is then valid and has fewer problems. They don't change lines
 *   outside the selection.
 */
import type { ApiError } from '../../api/request';
import type {
  AnalyzeBody,
  GenerateBody,
  Interaction,
  StreamEvent
} from '../../api/types';
import { definesName } from '../../cells/namesInCells';
import { normalizeLineBreaks } from '../../diff/lineBreaks';
import type { IProblem } from '../../kernel/check';
import {
  isInterrupted,
  isUnusableAnswer,
  toFailure
} from '../../state/failure';
import type { ICellKey, IHistory } from '../../tokens';
import { toSuggestion } from './answers';
import { correctObvious } from './problems';
import { type IRequest, ensureNotebookId, requestBody } from './request';
import { type IGenerationState, answeredState, waitingState } from './state';
import type { GenerationStore } from './store';
import { GenerationStream, MAX_ATTEMPTS } from './stream';

/** The longest time for which a suggestion is held back for its check. */
const PATIENCE_MS = 1500;

const POLL_DELAYS_MS = [0, 500, 1000, 2000, 4000, 8000, 16_000];

type Change = Partial<IGenerationState>;

class SentRequest extends GenerationStream {
  constructor(readonly request: IRequest) {
    super();
  }

  readonly answer = { code: '', explanation: '' };
  hasEnded = false;
}

export class RequestSender {
  constructor(private readonly _store: GenerationStore) {}

  /** Send a request again after a failure, or for another answer. */
  async retry(request: IRequest): Promise<void> {
    const { failure, phase } = this._store.state;
    const hasAnswer = phase === 'suggested' || phase === 'answered';
    const isUnusable = !!failure && isUnusableAnswer(failure);
    const isRetry = request.isRetry || (hasAnswer && !failure) || isUnusable;
    return this.send({ ...this._withCurrentSource(request), isRetry });
  }

  /** Stop the generation that another page runs for this cell, then send the request again. */
  async takeOver(): Promise<void> {
    const { api, request, state } = this._store;
    const generationId = state.failure?.generationId;
    if (generationId && request) {
      await api.stop(generationId).catch(() => undefined);
      this._mightStillRun = true;
      await this.send(request);
    }
  }

  stop(): void {
    const sent = this._current;
    if (this._store.isGenerating && sent) {
      this._endUnanswered(sent, { phase: 'stopped', notice: 'stopped' });
      sent.stop(this._store.api);
    }
  }

  async send(request: IRequest): Promise<void> {
    const store = this._store;
    if (store.isBusy) {
      store.setState({ notice: 'busy' });
      return;
    }
    if (!request.intent || store.isDisposed) {
      return;
    }
    const previous = this._last;
    const sent = (this._current = this._last = new SentRequest(request));
    this._begin(request);
    try {
      // The server starts no generation before the cell's previous one has ended.
      await previous?.ended;
      await this._read(sent, await this._prepare(sent));
    } catch (reason) {
      this._fail(sent, toFailure(reason, 'interrupted'));
    } finally {
      sent.end();
    }
    await this._checkSuggestion();
    // After a change of the suggestion was stopped, “Regenerate” repeats the person's request. If it
    // failed, “Try again” repeats the change.
    const isLast = store.request === request && request.isChange;
    if (isLast && !store.state.failure) {
      store.request = store.answer?.request ?? null;
    }
  }

  dispose(): void {
    this._current?.abort.abort();
    this._current = null;
  }

  private async _prepare(
    sent: SentRequest
  ): Promise<GenerateBody | AnalyzeBody> {
    const store = this._store;
    const { request } = sent;
    const ready = ensureNotebookId(store.target);
    const notebookId = await sent.rejectOnAbort(ready);
    // While saving, the person may have reloaded the notebook from its file.
    const current = this._withCurrentSource(request);
    if (current.source !== request.source) {
      store.baseSource = current.source;
      store.request = current;
    }
    const mentioned = { ...current, mentions: store.mentionsOf(current) };
    const body = await requestBody(mentioned, {
      target: store.target,
      model: request.model ?? store.state.cellModel,
      levels: () => store.state.levels,
      storesPrompt: store.storesPrompts()
    });
    store.sentMentions = body.context?.mentions ?? [];
    return { ...body, notebookId };
  }

  private _begin(request: IRequest): void {
    const store = this._store;
    const { answers, state } = store;
    const { isChange, isRetry } = request;
    store.keepShown();
    if (!store.suggestion) {
      store.baseSource = store.target.source();
    }
    store.request = request;
    store.hasBegun = true;
    if (!isChange) {
      store.intents.add(request.intent);
    }
    // The answers to the same request no longer count.
    const turnIds = answers.map(({ suggestion }) => suggestion.turnId);
    const uncounted = isChange || isRetry ? turnIds : [];
    store.setState({
      // A change of the suggestion is an attempt at the person's request, whose text stays on show.
      ...waitingState(
        isChange ? state.intent : request.intent,
        store.nextTurnId
      ),
      code: store.answer ? state.code : '',
      ...(state.phase === 'failed' && { explanation: '' }),
      uncountedTurnIds: [...state.uncountedTurnIds, ...uncounted]
    });
  }

  /**
   * Return the request with the cell's current source. A request about an open suggestion, or for
   * another answer, keeps its own, by which the server finds the earlier answers.
   */
  private _withCurrentSource(request: IRequest): IRequest {
    const { suggestion, target } = this._store;
    const isUnchanged = suggestion || request.isRetry;
    const current = isUnchanged ? null : target.source();
    const source = current ?? request.source;
    const selection = request.isChange
      ? request.selection
      : this._store.selectedLinesOf(source);
    return { ...request, source, selection };
  }

  private async _read(
    sent: SentRequest,
    body: GenerateBody | AnalyzeBody
  ): Promise<void> {
    const { api, history, isDisposed } = this._store;
    if (sent.isStopped || isDisposed) {
      return;
    }
    const key = { notebookId: body.notebookId, cellId: body.cellId };
    const attempts = this._mightStillRun ? MAX_ATTEMPTS : 1;
    this._mightStillRun = true;
    try {
      // Read until the stream ends: if the page closed it after the last event, the server would
      // take that for a lost connection.
      for await (const event of sent.events(api, body, attempts)) {
        this._apply(sent, event);
        if (sent.hasEnded) {
          history.notify(key);
        }
      }
    } catch (reason) {
      // Unless AI Server itself responded with the error, it may run the generation.
      const { status, code } = reason as Partial<ApiError>;
      this._mightStillRun = !status || code === 'proxy_error';
      throw reason;
    } finally {
      if (sent.hasEnded) {
        this._mightStillRun = false;
      } else {
        sent.abort.abort();
        if (sent.generationId) {
          api.stop(sent.generationId).catch(() => undefined);
          void notifyWhenSaved(history, key, sent.turnId);
        }
      }
    }
    if (!sent.hasEnded) {
      this._fail(sent, { code: 'interrupted', message: '' });
    }
  }

  private _apply(sent: SentRequest, event: StreamEvent): void {
    switch (event.type) {
      case 'start': {
        const { generationId, turnId, model } = event;
        Object.assign(sent, { generationId, turnId });
        const isAnother = sent.request.model !== undefined;
        const change = { turnId, askedModel: model };
        this._update(sent, isAnother ? change : { ...change, model });
        return;
      }
      case 'waiting':
        this._update(sent, {
          nextAttemptTime: performance.now() + 1000 * event.seconds
        });
        return;
      case 'token':
        this._write(sent, event);
        return;
      default:
        sent.hasEnded = true;
        this._end(sent, event);
    }
  }

  private _write(
    sent: SentRequest,
    { part, text, replaces }: Extract<StreamEvent, { type: 'token' }>
  ): void {
    const { answer } = sent;
    answer[part] = (replaces ? '' : answer[part]) + text;
    this._update(sent, {
      phase: 'streaming',
      explanation: answer.explanation,
      // The previous suggestion is visible until some code has arrived, and again if that turns out
      // to be thoughts or words.
      code: answer.code
        ? normalizeLineBreaks(answer.code)
        : (this._store.answer?.shown?.code ?? '')
    });
  }

  private _end(
    sent: SentRequest,
    event: Extract<StreamEvent, { type: 'done' | 'cancelled' | 'error' }>
  ): void {
    if (event.type === 'done') {
      this._showAnswer(sent, event.interaction);
    } else if (event.type === 'cancelled') {
      // If the person stopped it in this page, nothing changes. Otherwise, another page or the
      // server's shutdown did, which is shown as a failure.
      this._fail(sent, { code: 'stopped_elsewhere', message: '' });
    } else if (event.unsaved?.ai_response.status === 'success') {
      this._showAnswer(sent, event.unsaved, event.code);
    } else {
      this._fail(sent, event);
    }
  }

  private _showAnswer(
    sent: SentRequest,
    interaction: Interaction,
    saveError: string | null = null
  ): void {
    if (this._current !== sent) {
      return;
    }
    this._current = null;
    const store = this._store;
    const { answers, state } = store;
    const answer = toSuggestion(interaction, saveError);
    const { explanation, intent, source, turnId } = answer;
    if (source.trim()) {
      const isSameAgain = answers.some(({ suggestion, shown }) =>
        [suggestion.source, shown?.code].includes(source)
      );
      store.addAnswer({ ...answer, intent: state.intent }, store.request);
      store.setState({
        ...store.suggested,
        isChecking: true,
        notice: isSameAgain ? 'same_again' : null,
        branch: null
      });
    } else if (store.suggestion) {
      // A turn that wasn't saved isn't in the history, so no request can continue from it.
      if (!saveError) {
        store.wordsTurnId = turnId;
      }
      store.setState({ ...store.suggested, intent, explanation });
    } else {
      store.setState(answeredState(answer, state.askedModel));
    }
  }

  private _fail(
    sent: SentRequest,
    failure: NonNullable<Change['failure']>
  ): void {
    this._endUnanswered(sent, { phase: 'failed', failure });
  }

  /** A part is shown if it was interrupted without a suggestion. */
  private _endUnanswered(sent: SentRequest, change: Change): void {
    if (this._current !== sent) {
      return;
    }
    this._current = null;
    const { state, suggested } = this._store;
    const { code, explanation, failure = null } = { ...state, ...change };
    const isPartial =
      state.phase === 'streaming' && failure && isInterrupted(failure);
    const turnId = sent.turnId;
    this._store.setState({
      notice: null,
      ...(isPartial ? { code, explanation } : { code: '', explanation: '' }),
      // The server stores a turn even without an answer.
      ...(turnId && {
        turnId: turnId + 1,
        uncountedTurnIds: [...state.uncountedTurnIds, turnId]
      }),
      ...suggested,
      ...change,
      ...(suggested && { phase: 'suggested' }),
      // A text that the person didn't write isn't put into the input field.
      draft: sent.request.isChange ? '' : state.intent
    });
  }

  private _update(sent: SentRequest, change: Change): void {
    if (this._current === sent) {
      this._store.setState(change);
    }
  }

  /** Correct the suggestion if it is new. Its buttons are disabled until then. */
  private async _checkSuggestion(): Promise<void> {
    const store = this._store;
    const turnId = store.suggestion?.turnId;
    // Compares ids, because an edit of the cell by somebody else replaces the suggestion's object.
    const isNew = () =>
      store.suggestion?.turnId === turnId && store.state.isChecking;
    let timer = 0;
    const tooLate = new Promise<null>(resolve => {
      timer = window.setTimeout(() => resolve(null), PATIENCE_MS);
    });
    const problems = await Promise.race([store.check(), tooLate]);
    clearTimeout(timer);
    if (problems && isNew()) {
      await this._correct(problems);
    }
    // Meanwhile, the person can close the suggestion and send another request.
    if (isNew()) {
      store.setState({ isChecking: false });
    }
  }

  private async _correct(problems: readonly IProblem[]): Promise<void> {
    const store = this._store;
    const { code, warnings, signals } = store.state;
    const corrected = correctObvious(code, this._correctable(problems));
    if (!corrected.corrections.length) {
      return;
    }
    const correctedCode = corrected.code;
    store.setState({ ...corrected, correctedCode, problems: [] });
    const remaining = await store.check();
    const { phase, code: current } = store.state;
    if (phase !== 'suggested' || current !== correctedCode) {
      return; // It was closed or revised meanwhile.
    }
    const isValid = !remaining?.some(({ kind }) => kind === 'syntax');
    if (!remaining || !isValid || remaining.length >= problems.length) {
      const original = { code, corrections: [], correctedCode: '' };
      store.setState({ ...original, problems, warnings, signals });
    }
  }

  /** Return the problems in the selected lines, except undefined names that the cell defines. */
  private _correctable(allProblems: readonly IProblem[]): readonly IProblem[] {
    const lines = this._store.selectedLines;
    const source = this._store.target.source() ?? '';
    const problems = allProblems.filter(
      ({ kind, name }) =>
        kind !== 'undefined_name' || !definesName(source, name)
    );
    return lines
      ? problems
          .filter(
            ({ line, endLine }) => line >= lines.first && endLine <= lines.last
          )
          .map(problem => ({ ...problem, import: undefined }))
      : problems;
  }

  /**
   * Whether the server might still run a generation of this cell and refuse the next request, which
   * is then sent up to `MAX_ATTEMPTS` times.
   */
  private _mightStillRun = false;
  /** The request whose events change the state; null if none waits or streams. */
  private _current: SentRequest | null = null;
  /** The last request, which may still be streaming. */
  private _last: SentRequest | null = null;
}

/** Notify the history when the server has saved an interrupted turn, or after the last check. */
async function notifyWhenSaved(
  history: IHistory,
  key: ICellKey,
  turnId: number
): Promise<void> {
  for (const delay of POLL_DELAYS_MS) {
    await new Promise(resolve => setTimeout(resolve, delay));
    // An error means that the server isn't reachable yet.
    const replay = await history.api.replay(key).catch(() => null);
    if (replay?.steps.some(step => (step.turnId ?? 0) >= turnId)) {
      break;
    }
  }
  history.notify(key);
}
