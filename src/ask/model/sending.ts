/**
 * The sending of requests in one cell, one at a time, and what becomes of each.
 *
 * What must hold:
 * - A part of an answer is never offered as the whole: an answer that was cut, stopped or
 *   failed can't be accepted (P32). If a finished suggestion was open before, it is open
 *   again.
 * - Whatever the stream does, it ends in exactly one of suggested, failed and stopped.
 * - One generation at a time; a second is refused with a sentence.
 */
import type { AnalyzeBody, GenerateBody, Interaction } from '../../api/types';
import type { ICellKey } from '../../tokens';
import { IFailure, toStreamFailure, failureOf } from '../../state/failure';
import { IRequest, bodyOf, ensured } from './requestBody';
import { Answer, Run, TRIES, whenKept } from './run';
import {
  IGenerationState,
  broughtBack,
  inSeconds,
  suggested,
  suggestionOf,
  waitingFor,
  withoutAnswer
} from './state';
import type { GenerationStore } from './store';
import type { IntentHistory } from './intents';

export class Sending {
  constructor(
    private readonly _store: GenerationStore,
    private readonly _intents: IntentHistory
  ) {}

  /** What asking with these words would ask. */
  requestOf(intent: string): IRequest {
    const { suggestion, state, target } = this._store;
    return {
      intent: intent.trim(),
      source: suggestion ? state.code : (target.source() ?? ''),
      parentTurnId: suggestion?.turnId ?? state.branch?.turnId,
      dataframes: state.dataframes
    };
  }

  /** Send a request once more. */
  async again(request: IRequest): Promise<void> {
    // A server that was cut off from us may not know yet that it was.
    const isCut = this._store.state.failure?.code === 'interrupted';
    await this.send(this._afresh(request), isCut ? TRIES : 1);
  }

  /** Stop the generation that another tab runs for this cell, then ask again. */
  async takeOver(): Promise<void> {
    const { api, request, state } = this._store;
    const running = state.failure?.generationId;
    if (running && request) {
      await api.stop(running).catch(() => undefined);
      await this.send(this._afresh(request), TRIES);
    }
  }

  /** Stop. The person sees it at once; the server ends the turn as cancelled. */
  stop(): void {
    const run = this._run;
    if (this._store.isBusy && run) {
      this._endRun(run, { phase: 'stopped', notice: 'stopped', failure: null });
      run.stop(this._store.api);
    }
  }

  async send(request: IRequest, tries = 1): Promise<void> {
    const store = this._store;
    if (store.isBusy) {
      store.set({ notice: 'busy' });
      return;
    }
    if (!request.intent || store.isDisposed) {
      return;
    }
    store.request = request;
    store.shown = store.state.code;
    if (!store.suggestion) {
      store.base = store.target.source();
    }
    this._intents.add(request.intent);
    const before = this._last;
    const run = (this._run = this._last = new Run());
    store.set(waitingFor(request.intent, store.nextTurn));
    try {
      await before?.ended; // The server ends a stopped turn before it takes the next.
      const notebookId = await run.unlessLeft(ensured(store.target));
      const { cellModel } = store.state;
      const body = bodyOf(request, store.target, notebookId, cellModel);
      await this._consume(run, body, before?.lingers ? TRIES : tries);
    } catch (reason) {
      this._fail(run, toStreamFailure(reason));
    } finally {
      run.end();
    }
  }

  /** Leave it: what runs is stopped by going away. */
  dispose(): void {
    this._run?.abort.abort();
    this._run = null;
  }

  /** With a suggestion open from the same code as then; else from what the cell holds now. */
  private _afresh(request: IRequest): IRequest {
    const { suggestion, target } = this._store;
    const source = suggestion ? request.source : target.source();
    return { ...request, source: source ?? request.source };
  }

  /** Read a stream to its end. Once the person stopped it, only the history is told. */
  private async _consume(
    run: Run,
    body: GenerateBody | AnalyzeBody,
    tries: number
  ): Promise<void> {
    const { api, history, isDisposed } = this._store;
    if (run.stopped || isDisposed) {
      return;
    }
    const key = { notebookId: body.notebookId, cellId: body.cellId };
    const answer = new Answer();
    let ended = false;
    try {
      for await (const event of run.events(api, body, tries)) {
        switch (event.type) {
          case 'start':
            run.generationId = event.generationId;
            run.turnId = event.turnId;
            this._update(run, { turnId: event.turnId, model: event.model });
            break;
          case 'waiting':
            this._update(run, { waitUntil: inSeconds(event.seconds) });
            break;
          case 'token':
            this._update(run, { phase: 'streaming', ...answer.add(event) });
            break;
          case 'done':
            ended = true;
            this._finish(run, event.interaction);
            break;
          case 'cancelled':
            ended = true;
            // By another tab, or the server's end: the person here is told by the failure.
            this._fail(run, { code: 'stopped_elsewhere', message: '' });
            break;
          case 'error':
            ended = true;
            if (event.unsaved?.ai_response.status === 'success') {
              // The answer is whole; that it could not be kept is no reason to lose it.
              this._finish(run, event.unsaved, event.code);
            } else {
              this._fail(run, failureOf(event));
            }
            break;
        }
        if (ended) {
          history.notify(key);
        }
        // Read on to the end: to leave now would look to the server as if the client had gone.
      }
    } finally {
      if (!ended) {
        this._cutOff(run, key);
      }
    }
    if (!ended) {
      this._fail(run, { code: 'interrupted', message: '' });
    }
  }

  /** The stream broke off. What had come is kept by the server when it notices. */
  private _cutOff(run: Run, key: ICellKey): void {
    const { api, history } = this._store;
    run.abort.abort();
    if (run.generationId) {
      api.stop(run.generationId).catch(() => undefined);
      void whenKept(history, key, run.turnId).then(() => history.notify(key));
    }
  }

  private _finish(
    run: Run,
    interaction: Interaction,
    unkept: string | null = null
  ): void {
    if (this._run === run) {
      const store = this._store;
      store.suggestion = suggestionOf(interaction, unkept);
      this._endRun(run, {
        ...suggested(store.suggestion, store.target.source() ?? ''),
        edited: store.isEdited
      });
    }
  }

  private _fail(run: Run, failure: IFailure): void {
    this._endRun(run, { phase: 'failed', notice: null, failure });
  }

  /** Leave waiting and streaming. A part is dropped; a whole suggestion comes back. */
  private _endRun(run: Run, change: Partial<IGenerationState>): void {
    if (this._run !== run) {
      return;
    }
    this._run = null;
    const store = this._store;
    if (change.phase === 'suggested') {
      store.set(change);
      return;
    }
    const { suggestion: kept, shown, isEdited } = store;
    store.set({
      ...change,
      ...withoutAnswer(store.state, run.turnId),
      ...(kept && { ...broughtBack(kept, shown), edited: isEdited })
    });
  }

  private _update(run: Run, change: Partial<IGenerationState>): void {
    if (this._run === run) {
      this._store.set(change);
    }
  }

  private _run: Run | null = null;
  /** The run that was begun last: the next one waits for its end. */
  private _last: Run | null = null;
}
