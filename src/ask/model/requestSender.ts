/**
 * Sends the requests of one cell, one at a time, and applies their answers to the state.
 *
 * Invariants:
 * - Only a complete answer can be accepted. If an answer is cut off, is stopped or fails, the
 *   suggestion that was open when the request was sent is shown again. Without one, the part of an
 *   interrupted answer stays visible until the next request.
 * - After a stream has ended, the phase is `suggested`, `answered`, `failed` or `stopped`.
 * - While a generation runs, another request of the cell is refused with a notice.
 */
import type { ApiError } from '../../api/request';
import type { AnalyzeBody, GenerateBody, Interaction } from '../../api/types';
import { normalizeLineBreaks } from '../../diff/lineBreaks';
import type { ICellKey } from '../../tokens';
import {
  IFailure,
  isInterrupted,
  isUnusableAnswer,
  toFailure
} from '../../state/failure';
import { checkSuggestion } from './corrections';
import { withImages } from './context/mentionImages';
import { IRequest, toCurrentBody, ensureNotebookId } from './requestBody';
import {
  GenerationStream,
  MAX_ATTEMPTS,
  waitUntilSaved
} from './generationStream';
import {
  IGenerationState,
  answeredState,
  suggestionFields,
  suggestedState,
  waitingState,
  unansweredState
} from './state';
import { toSuggestion } from './suggestion';
import type { GenerationStore } from './store';

export class RequestSender {
  constructor(private readonly _store: GenerationStore) {}

  /** Send a request again, because it failed or because the person wants another answer. */
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
      await this.send(this._withCurrentSource(request));
    }
  }

  /** Stop the generation. The state changes at once; the server records the turn as cancelled. */
  stop(): void {
    const stream = this._stream;
    if (this._store.isGenerating && stream) {
      this._endStream(stream, {
        phase: 'stopped',
        notice: 'stopped',
        failure: null
      });
      stream.stop(this._store.api);
    }
  }

  /**
   * Send a request and show its answer as it arrives. After the stream has ended, check the code of
   * the suggestion, and make the obvious corrections.
   */
  async send(request: IRequest): Promise<void> {
    const store = this._store;
    if (store.isBusy) {
      store.setState({ notice: 'busy' });
      return;
    }
    if (!request.intent || store.isDisposed) {
      return;
    }
    store.previousCode = store.suggestion ? store.state.code : '';
    store.keepShown();
    if (!store.suggestion) {
      store.baseSource = store.target.source();
    }
    store.request = request;
    if (!request.isChange) {
      store.intents.add(request.intent);
    }
    this._isChange = request.isChange ?? false;
    this._isAnother = request.model !== undefined;
    store.hasBegun = true;
    const previous = this._lastStream;
    const stream = (this._stream = this._lastStream = new GenerationStream());
    // A change of the suggestion is an attempt at the person's request, whose text stays on show.
    const intent = request.isChange ? store.state.intent : request.intent;
    store.setState({
      ...waitingState(intent, store.nextTurnId),
      code: store.previousCode,
      ...(store.state.phase === 'failed' && { explanation: '' }),
      uncountedTurnIds: this._uncountedBefore(request)
    });
    try {
      // The server doesn't start a generation before the cell's previous generation has ended.
      await previous?.ended;
      const notebookId = await stream.rejectOnAbort(
        ensureNotebookId(store.target)
      );
      // While saving, the person may have chosen to reload the notebook from its file.
      const reread = this._withCurrentSource(request);
      const isReloaded = reread.source !== request.source;
      const current = isReloaded ? reread : request;
      if (isReloaded) {
        store.baseSource = current.source;
        store.request = current;
      }
      const cellModel = request.model ?? store.state.cellModel;
      const mentions = store.mentionsOf(current);
      store.sentMentions = await withImages(mentions);
      const sent = { ...current, mentions: store.sentMentions };
      await this._applyEvents(stream, {
        ...toCurrentBody(sent, store, notebookId, cellModel),
        ...(store.storesPrompts() ? {} : { storesPrompt: false })
      });
    } catch (reason) {
      this._fail(stream, toFailure(reason, 'interrupted'));
    } finally {
      stream.end();
    }
    await checkSuggestion(store);
  }

  /** Abort the running request. */
  dispose(): void {
    this._stream?.abort.abort();
    this._stream = null;
  }

  /**
   * Return the request with the cell's current source. Return the request unchanged in two cases: if
   * a suggestion is open, because the request's source is the suggestion's code; and if another
   * answer is wanted, because the server finds the earlier answers by the request's source.
   */
  private _withCurrentSource(request: IRequest): IRequest {
    const { suggestion, target } = this._store;
    const isUnchanged = suggestion || request.isRetry;
    const source = isUnchanged ? request.source : target.source();
    const selection = request.isChange
      ? request.selection
      : this._store.selectedLinesOf(source ?? request.source);
    return { ...request, source: source ?? request.source, selection };
  }

  /**
   * Send the request, and apply the stream's events to the state until the stream ends. After the
   * person has stopped the generation, the remaining events don't change the state.
   */
  private async _applyEvents(
    stream: GenerationStream,
    body: GenerateBody | AnalyzeBody
  ): Promise<void> {
    const { api, history, isDisposed } = this._store;
    if (stream.isStopped || isDisposed) {
      return;
    }
    const key = { notebookId: body.notebookId, cellId: body.cellId };
    const answer = { code: '', explanation: '' };
    const attempts = this._mightStillRun ? MAX_ATTEMPTS : 1;
    this._mightStillRun = true;
    let hasEnded = false;
    try {
      for await (const event of stream.events(api, body, attempts)) {
        switch (event.type) {
          case 'start':
            stream.generationId = event.generationId;
            stream.turnId = event.turnId;
            this._update(stream, {
              turnId: event.turnId,
              askedModel: event.model,
              ...(this._isAnother ? {} : { model: event.model })
            });
            break;
          case 'waiting':
            this._update(stream, {
              nextAttemptTime: performance.now() + 1000 * event.seconds
            });
            break;
          case 'token':
            answer[event.part] =
              (event.replaces ? '' : answer[event.part]) + event.text;
            this._update(stream, {
              phase: 'streaming',
              explanation: answer.explanation,
              // While there is no code, the previous suggestion is visible: until some code has
              // arrived, and after what arrived has turned out to be thoughts or words.
              code: answer.code
                ? normalizeLineBreaks(answer.code)
                : this._store.previousCode
            });
            break;
          case 'done':
            hasEnded = true;
            this._showAnswer(stream, event.interaction);
            break;
          case 'cancelled':
            hasEnded = true;
            // If the person stopped the generation in this page, `_fail` does nothing. Otherwise
            // another page or the server's shutdown stopped it, which is shown as a failure.
            this._fail(stream, { code: 'stopped_elsewhere', message: '' });
            break;
          case 'error':
            hasEnded = true;
            // `unsaved` is a turn that the server could not save.
            if (event.unsaved?.ai_response.status === 'success') {
              this._showAnswer(stream, event.unsaved, event.code);
            } else {
              this._fail(stream, event);
            }
            break;
        }
        if (hasEnded) {
          history.notify(key);
        }
        // Read until the stream ends. If the page closed the stream after the last event, the
        // server would take that for a lost connection.
      }
    } catch (reason) {
      // If the error isn't AI Server's own response, the server may run the generation.
      const { status, code } = reason as Partial<ApiError>;
      this._mightStillRun = !status || code === 'proxy_error';
      throw reason;
    } finally {
      if (hasEnded) {
        this._mightStillRun = false;
      } else {
        this._abortInterrupted(stream, key);
      }
    }
    if (!hasEnded) {
      this._fail(stream, { code: 'interrupted', message: '' });
    }
  }

  /** Abort an interrupted stream. When the server has saved its turn, notify the history. */
  private _abortInterrupted(stream: GenerationStream, key: ICellKey): void {
    const { api, history } = this._store;
    stream.abort.abort();
    if (stream.generationId) {
      api.stop(stream.generationId).catch(() => undefined);
      void waitUntilSaved(history, key, stream.turnId).then(() =>
        history.notify(key)
      );
    }
  }

  /**
   * Show the turn's complete answer. If it has code, the code becomes the suggestion. If it is an
   * answer in words, an open suggestion stays open.
   */
  private _showAnswer(
    stream: GenerationStream,
    interaction: Interaction,
    saveError: string | null = null
  ): void {
    if (this._stream === stream) {
      const store = this._store;
      const answer = toSuggestion(interaction, saveError);
      if (!answer.source.trim()) {
        this._endStream(stream, answeredState(answer, store.state.askedModel));
        return;
      }
      const { answers, suggestion, previousCode } = store;
      const earlier = [
        ...(suggestion ? [suggestion.source, previousCode] : []),
        ...answers.flatMap(it => [it.suggestion.source, it.shown?.code])
      ];
      const isSameAgain = earlier.includes(answer.source);
      store.setAnswer({ ...answer, intent: store.state.intent });
      this._endStream(stream, {
        ...suggestedState(store.suggestion!),
        isCellEdited: store.isCellEdited,
        isChecking: true,
        ...(isSameAgain && { notice: 'same_again' })
      });
    }
  }

  private _fail(stream: GenerationStream, failure: IFailure): void {
    this._endStream(stream, { phase: 'failed', notice: null, failure });
  }

  /**
   * End the phase `waiting` or `streaming` with the given state change. If the change contains no
   * new suggestion, show the previous suggestion again, if there is one. A partial answer is
   * discarded, but one that was interrupted stays visible if there is no suggestion. Do nothing if `stream` is no longer the current
   * stream, for example after the person has stopped it.
   */
  private _endStream(
    stream: GenerationStream,
    change: Partial<IGenerationState>
  ): void {
    if (this._stream !== stream) {
      return;
    }
    this._stream = null;
    const store = this._store;
    const { suggestion, previousCode, isCellEdited } = store;
    const { phase, code, explanation } = store.state;
    const isPartial =
      phase === 'streaming' && change.failure && isInterrupted(change.failure);
    if (change.phase === 'answered' && suggestion) {
      const { intent, turnId, saveError } = change;
      // A turn that wasn't saved isn't in the history, so no request can continue from it.
      if (turnId && !saveError) {
        store.wordsTurnId = turnId;
      }
      const open = suggestionFields(suggestion, previousCode);
      const words = change.explanation;
      store.setState({ ...open, intent, explanation: words, isCellEdited });
      return;
    }
    if (change.phase === 'suggested' || change.phase === 'answered') {
      store.setState(change);
      return;
    }
    store.setState({
      ...change,
      ...unansweredState(store.state, stream.turnId),
      ...(isPartial && { code, explanation }),
      ...(suggestion && {
        ...suggestionFields(suggestion, previousCode),
        isCellEdited
      }),
      // The person didn't write this text, so it isn't put into the input field.
      ...(this._isChange && { draft: '' })
    });
  }

  /** Return the ids that aren't counted any more, because the request answers their request again. */
  private _uncountedBefore({ isChange, isRetry }: IRequest): number[] {
    const { answers, state } = this._store;
    const ids = answers.map(({ suggestion }) => suggestion.turnId);
    const isAnother = isChange || isRetry;
    return [...state.uncountedTurnIds, ...(isAnother ? ids : [])];
  }

  /** Change the state because of an event of `stream`, if `stream` is still the current stream. */
  private _update(
    stream: GenerationStream,
    change: Partial<IGenerationState>
  ): void {
    if (this._stream === stream) {
      this._store.setState(change);
    }
  }

  /**
   * Whether the server might still run a generation of this cell. For example, this page has just
   * asked the server to stop another page's generation. While a generation runs, the server refuses
   * the next request, so the page sends it up to `MAX_ATTEMPTS` times.
   */
  private _mightStillRun = false;
  private _isChange = false;
  /** Whether the request was sent to another model than the next one will be. */
  private _isAnother = false;
  /** The current stream, whose events change the state; null if no request waits or streams. */
  private _stream: GenerationStream | null = null;
  /** The stream that was started last. The next request waits until it has ended. */
  private _lastStream: GenerationStream | null = null;
}
