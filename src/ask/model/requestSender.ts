/**
 * Sends the requests of one cell, one at a time, and applies their outcome to the state.
 *
 * Invariants:
 * - A partial answer is never offered as a complete one: an answer that was cut off, stopped or
 *   failed can't be accepted. Instead, a complete suggestion that was open before is shown again.
 * - Every stream ends in exactly one of the phases suggested, failed and stopped.
 * - One generation runs at a time; a second one is refused with a notice.
 */
import type { AnalyzeBody, GenerateBody, Interaction } from '../../api/types';
import type { ICellKey } from '../../tokens';
import { IFailure, toFailure } from '../../state/failure';
import { IRequest, toRequestBody, ensureNotebookId } from './requestBody';
import {
  GenerationStream,
  MAX_ATTEMPTS,
  waitUntilSaved
} from './generationStream';
import {
  IGenerationState,
  normalizeLineBreaks,
  restoredState,
  suggestedState,
  toSuggestion,
  waitingState,
  unansweredState
} from './state';
import type { GenerationStore } from './store';

export class RequestSender {
  constructor(private readonly _store: GenerationStore) {}

  /** Build the request for this intent from the current state. */
  buildRequest(intent: string): IRequest {
    const { suggestion, state, target } = this._store;
    return {
      intent: intent.trim(),
      source: suggestion ? state.code : (target.source() ?? ''),
      parentTurnId: suggestion?.turnId ?? state.branch?.turnId,
      dataframes: state.dataframes
    };
  }

  /** Send a request again. */
  async retry(request: IRequest): Promise<void> {
    // After an interruption, the server may still be busy with the interrupted generation, so try
    // more than once.
    const isInterrupted = this._store.state.failure?.code === 'interrupted';
    await this.send(
      this._updateSource(request),
      isInterrupted ? MAX_ATTEMPTS : 1
    );
  }

  /** Stop the generation that another page runs for this cell, then send the request again. */
  async takeOver(): Promise<void> {
    const { api, request, state } = this._store;
    const running = state.failure?.generationId;
    if (running && request) {
      await api.stop(running).catch(() => undefined);
      await this.send(this._updateSource(request), MAX_ATTEMPTS);
    }
  }

  /** Stop the generation. The state changes at once; the server records the turn as cancelled. */
  stop(): void {
    const stream = this._stream;
    if (this._store.isBusy && stream) {
      this._endStream(stream, {
        phase: 'stopped',
        notice: 'stopped',
        failure: null
      });
      stream.stop(this._store.api);
    }
  }

  async send(request: IRequest, attempts = 1): Promise<void> {
    const store = this._store;
    if (store.isBusy) {
      store.set({ notice: 'busy' });
      return;
    }
    if (!request.intent || store.isDisposed) {
      return;
    }
    store.request = request;
    store.previousCode = store.state.code;
    if (!store.suggestion) {
      store.baseSource = store.target.source();
    }
    store.intents.add(request.intent);
    const previous = this._lastStream;
    const stream = (this._stream = this._lastStream = new GenerationStream());
    store.set(waitingState(request.intent, store.nextTurn));
    try {
      await previous?.ended; // The server must end a stopped generation before it starts the next.
      const notebookId = await stream.orAborted(ensureNotebookId(store.target));
      const { cellModel } = store.state;
      const body = toRequestBody(request, store.target, notebookId, cellModel);
      await this._consume(
        stream,
        body,
        previous?.mightStillRun ? MAX_ATTEMPTS : attempts
      );
    } catch (reason) {
      this._fail(stream, toFailure(reason, 'interrupted'));
    } finally {
      stream.end();
    }
  }

  /** Abort the running request. */
  dispose(): void {
    this._stream?.abort.abort();
    this._stream = null;
  }

  /** Keep the request's source if a suggestion is open; otherwise set the cell's current source. */
  private _updateSource(request: IRequest): IRequest {
    const { suggestion, target } = this._store;
    const source = suggestion ? request.source : target.source();
    return { ...request, source: source ?? request.source };
  }

  /** Read a stream to its end. After a stop, its events don't change the state any more. */
  private async _consume(
    stream: GenerationStream,
    body: GenerateBody | AnalyzeBody,
    attempts: number
  ): Promise<void> {
    const { api, history, isDisposed } = this._store;
    if (stream.isStopped || isDisposed) {
      return;
    }
    const key = { notebookId: body.notebookId, cellId: body.cellId };
    const answer = { code: '', explanation: '' };
    let ended = false;
    try {
      for await (const event of stream.events(api, body, attempts)) {
        switch (event.type) {
          case 'start':
            stream.generationId = event.generationId;
            stream.turnId = event.turnId;
            this._update(stream, { turnId: event.turnId, model: event.model });
            break;
          case 'waiting':
            this._update(stream, {
              waitUntil: performance.now() + 1000 * event.seconds
            });
            break;
          case 'token':
            answer[event.part] += event.text;
            this._update(stream, {
              phase: 'streaming',
              explanation: answer.explanation,
              // Until some code has arrived, the previous suggestion stays visible.
              ...(answer.code && { code: normalizeLineBreaks(answer.code) })
            });
            break;
          case 'done':
            ended = true;
            this._finish(stream, event.interaction);
            break;
          case 'cancelled':
            ended = true;
            // The person didn't stop it here: another page or the server's shutdown did, so it is
            // shown as a failure.
            this._fail(stream, { code: 'stopped_elsewhere', message: '' });
            break;
          case 'error':
            ended = true;
            if (event.unsaved?.ai_response.status === 'success') {
              // The answer is complete and can be used although it could not be saved.
              this._finish(stream, event.unsaved, event.code);
            } else {
              this._fail(stream, event);
            }
            break;
        }
        if (ended) {
          history.notify(key);
        }
        // Continue to the end: closing the stream now would look like a disconnect to the server.
      }
    } finally {
      if (!ended) {
        this._abortInterrupted(stream, key);
      }
    }
    if (!ended) {
      this._fail(stream, { code: 'interrupted', message: '' });
    }
  }

  /**
   * Abort an interrupted stream, and notify the history once the server has noticed the disconnect
   * and saved the partial turn.
   */
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

  private _finish(
    stream: GenerationStream,
    interaction: Interaction,
    saveError: string | null = null
  ): void {
    if (this._stream === stream) {
      const store = this._store;
      store.suggestion = toSuggestion(interaction, saveError);
      this._endStream(stream, {
        ...suggestedState(store.suggestion, store.target.source() ?? ''),
        edited: store.isEdited
      });
    }
  }

  private _fail(stream: GenerationStream, failure: IFailure): void {
    this._endStream(stream, { phase: 'failed', notice: null, failure });
  }

  /** End the phase waiting or streaming: drop a partial answer, restore a complete suggestion. */
  private _endStream(
    stream: GenerationStream,
    change: Partial<IGenerationState>
  ): void {
    if (this._stream !== stream) {
      return;
    }
    this._stream = null;
    const store = this._store;
    if (change.phase === 'suggested') {
      store.set(change);
      return;
    }
    const { suggestion, previousCode, isEdited } = store;
    store.set({
      ...change,
      ...unansweredState(store.state, stream.turnId),
      ...(suggestion && {
        ...restoredState(suggestion, previousCode),
        edited: isEdited
      })
    });
  }

  private _update(
    stream: GenerationStream,
    change: Partial<IGenerationState>
  ): void {
    if (this._stream === stream) {
      this._store.set(change);
    }
  }

  private _stream: GenerationStream | null = null;
  /** The stream that was started last; the next request waits for its end. */
  private _lastStream: GenerationStream | null = null;
}
