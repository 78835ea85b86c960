/**
 * The asking in one cell, as a state machine.
 *
 *     idle ── open ──> asking ── ask ──> waiting ── token ──> streaming ── done ──> suggested
 *                        ^                  │                     │            accept, reject
 *                        └── failed, stopped <────────────────────┘                └──> idle
 *
 * What must hold:
 * - The cell's code is written by `accept` alone, and only into the cell that was asked
 *   for; if that is gone, nothing is written anywhere (P34).
 * - A part of an answer is never offered as the whole: an answer that was cut, stopped or
 *   failed can't be accepted (P32). If a finished suggestion was open before, it is open
 *   again.
 * - Whatever the stream does, it ends in exactly one of suggested, failed and stopped.
 * - One generation at a time; a second is refused with a sentence.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type {
  DataFrameProfile,
  EventBody,
  GenerateBody,
  StreamEvent
} from '../api/types';
import type { IHistory } from '../tokens';
import { GenerationApi, Run, TRIES } from './generationrun';
import {
  IFailure,
  IGenerationState,
  INITIAL,
  ISuggestion,
  ITarget,
  NotSent,
  asFailure,
  normalised,
  problemOf
} from './generationstate';
import { IntentHistory } from './intents';

/** What a request was, so that it can be sent again. */
interface IRequest {
  readonly intent: string;
  readonly source: string;
  /** The turn whose open suggestion it goes on from. */
  readonly parentTurnId?: number;
  readonly dataframes: readonly DataFrameProfile[];
}

export interface IGenerationOptions {
  api: GenerationApi;
  history: IHistory;
  target: ITarget;
}

export class GenerationModel {
  constructor(options: IGenerationOptions) {
    this._api = options.api;
    this._history = options.history;
    this.target = options.target;
  }

  readonly target: ITarget;
  readonly intents = new IntentHistory();

  /** What stands in the text field: a view that is made anew goes on from it. */
  written = '';

  get state(): IGenerationState {
    return this._state;
  }

  get changed(): ISignal<this, IGenerationState> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** Whether an answer is on its way. */
  get isBusy(): boolean {
    return this._state.phase === 'waiting' || this._state.phase === 'streaming';
  }

  /** Open the row, and let a model on this machine get ready meanwhile. */
  open(): void {
    if (this._state.phase !== 'idle') {
      return;
    }
    this._set({ phase: 'asking', notice: null, failure: null });
    void this._prepare();
  }

  /** Close the row. What was written in it is kept for the next time. */
  close(draft = ''): void {
    if (!this.isBusy) {
      const turnId = this._nextTurn;
      this._suggestion = null;
      this._request = null;
      this.written = draft;
      this._set({ ...INITIAL, model: this._state.model, turnId, draft });
    }
  }

  /** Say which DataFrames the next request is about. */
  setDataFrames(dataframes: readonly DataFrameProfile[]): void {
    this._set({ dataframes });
  }

  /**
   * Ask for code. While a suggestion is open the request builds on it, and what is shown
   * stays a change of the cell's own code.
   */
  async ask(intent: string): Promise<void> {
    const source = this._suggestion
      ? this._state.code
      : (this.target.source() ?? '');
    await this._send({
      intent: intent.trim(),
      source,
      parentTurnId: this._suggestion?.turnId,
      dataframes: this._state.dataframes
    });
  }

  /** Send the last request once more, from the same code; or look for a model again. */
  async again(): Promise<void> {
    await (this._request ? this._send(this._request) : this._prepare());
  }

  /** Stop the generation that another tab runs for this cell, then ask again. */
  async takeOver(): Promise<void> {
    const running = this._state.failure?.generationId;
    if (running && this._request) {
      await this._api.stop(running).catch(() => undefined);
      await this._send(this._request, TRIES);
    }
  }

  /** Stop. The person sees it at once; the server ends the turn as cancelled. */
  stop(): void {
    if (!this.isBusy || !this._run) {
      return;
    }
    const run = this._run;
    this._run = null;
    this._end({ phase: 'stopped', notice: 'stopped', failure: null });
    run.stop(this._api);
  }

  /** Take parts of the suggestion back, or bring them again: what Accept will write. */
  revise(code: string): void {
    if (this._state.phase === 'suggested') {
      this._set({ code });
    }
  }

  /** Whether parts of the suggestion were taken back. */
  get isRevised(): boolean {
    return (
      this._suggestion !== null && this._suggestion.source !== this._state.code
    );
  }

  /** Bring back the parts that were taken back. */
  restoreSuggestion(): void {
    if (this._suggestion) {
      this.revise(this._suggestion.source);
    }
  }

  /** Write the suggestion into the cell. */
  async accept(): Promise<boolean> {
    const suggestion = this._suggestion;
    if (this._state.phase !== 'suggested' || !suggestion) {
      return false;
    }
    const source = this._state.code;
    if (!this.target.apply(source)) {
      this._set({ notice: 'gone' });
      return false;
    }
    this.close();
    await this._record({ type: 'accept', turnId: suggestion.turnId, source });
    return true;
  }

  /** Leave the cell as it is, and say so in its history. */
  async reject(): Promise<void> {
    const suggestion = this._suggestion;
    if (this._state.phase === 'suggested' && suggestion) {
      this.close();
      await this._record({ type: 'reject', turnId: suggestion.turnId });
    }
  }

  /** Start afresh: the turns so far are no longer told to the model, but kept. */
  async reset(): Promise<void> {
    if (this.isBusy) {
      this._set({ notice: 'busy' });
    } else if (await this._record({ type: 'context_reset' })) {
      this._set({ notice: 'reset' });
    }
  }

  /** Leave it: a running generation is stopped by going away. */
  dispose(): void {
    if (!this._disposed) {
      this._disposed = true;
      this._run?.abort.abort();
      this._run = null;
      Signal.clearData(this);
    }
  }

  /** Learn which model answers and what was asked before; warm the model. All quietly. */
  private async _prepare(): Promise<void> {
    const { cellId } = this.target;
    const notebookId = this.target.notebookId();
    // A notebook that has no id yet has no past turns either: any id warms as well.
    const { language, cellType, context } = this.target.surroundings();
    const warm = this._api.warmUp({
      notebookId: notebookId ?? 'unsaved',
      cellId,
      source: this.target.source() ?? '',
      language,
      cellType,
      context
    });
    const models = this._history.models().then(list => {
      const model = list.models.find(({ id }) => id === list.default) ?? null;
      this._set({ model });
      if (this._state.phase === 'asking') {
        this._set({ failure: problemOf(model) });
      }
    });
    await Promise.allSettled([warm, models, this._recall(notebookId)]);
  }

  private async _recall(notebookId: string | null): Promise<void> {
    if (!notebookId || this._recalled) {
      return;
    }
    this._recalled = true;
    const { cellId } = this.target;
    const { steps } = await this._history.replay({ notebookId, cellId });
    const turns = steps.filter(step => step.kind === 'turn');
    this.intents.addOlder(turns.map(step => step.title));
    if (!this.isBusy && this._state.turnId === null && turns.length) {
      const last = Math.max(...turns.map(step => step.turnId ?? 0));
      this._set({ turnId: last + 1 });
    }
  }

  private async _send(request: IRequest, tries = 1): Promise<void> {
    if (this.isBusy) {
      this._set({ notice: 'busy' });
      return;
    }
    if (!request.intent || this._disposed) {
      return;
    }
    this._request = request;
    this._shown = this._state.code;
    this.intents.add(request.intent);
    const run = new Run();
    const before = this._ending;
    let ended: () => void = () => undefined;
    this._ending = new Promise(resolve => (ended = resolve));
    this._run = run;
    this._set({
      phase: 'waiting',
      intent: request.intent,
      draft: '',
      turnId: this._nextTurn,
      failure: null,
      notice: null,
      since: performance.now()
    });
    try {
      await before; // The server ends a stopped turn before it takes the next.
      const notebookId = await this._ensure();
      await this._consume(
        run,
        this._body(notebookId, request),
        notebookId,
        tries
      );
    } catch (reason) {
      this._fail(run, asFailure(reason));
    } finally {
      ended();
    }
  }

  /** The turn that comes next, as far as is known; the server's word counts. */
  private get _nextTurn(): number | null {
    return this._suggestion ? this._suggestion.turnId + 1 : this._state.turnId;
  }

  private async _ensure(): Promise<string> {
    try {
      return await this.target.ensure();
    } catch (reason) {
      throw new NotSent(reason instanceof Error ? reason.message : '');
    }
  }

  private _body(notebookId: string, request: IRequest): GenerateBody {
    const body = {
      notebookId,
      cellId: this.target.cellId,
      intent: request.intent,
      source: request.source,
      parentTurnId: request.parentTurnId,
      ...this.target.surroundings()
    };
    return request.dataframes.length
      ? ({ ...body, dataframes: [...request.dataframes] } as GenerateBody)
      : body;
  }

  /** Read a stream to its end. Once the person stopped it, only the history is told. */
  private async _consume(
    run: Run,
    body: GenerateBody,
    notebookId: string,
    tries: number
  ): Promise<void> {
    if (run.stopped || this._disposed) {
      return;
    }
    const key = { notebookId, cellId: this.target.cellId };
    let code = '';
    let explanation = '';
    let ended = false;
    try {
      for await (const event of run.events(this._api, body, tries)) {
        switch (event.type) {
          case 'start':
            run.generationId = event.generationId;
            this._update(run, { turnId: event.turnId, model: event.model });
            break;
          case 'token':
            if (event.part === 'code') {
              code += event.text;
            } else {
              explanation += event.text;
            }
            // The suggestion before stays on view until the first of the new code.
            this._update(run, {
              phase: 'streaming',
              explanation,
              ...(code ? { code: normalised(code) } : {})
            });
            break;
          case 'done':
            ended = true;
            this._finish(run, event.interaction);
            break;
          case 'cancelled':
            ended = true;
            this._endRun(run, { phase: 'stopped', notice: 'stopped' });
            break;
          case 'error':
            ended = true;
            this._fail(run, event);
            break;
        }
        if (ended) {
          this._history.notify(key);
        }
        // Read on to the end: to leave now would look to the server as if the client had gone.
      }
    } finally {
      // Where the stream broke off, the server keeps the part as a turn that did not end.
      if (!ended && run.generationId) {
        this._history.notify(key);
      }
    }
    if (!ended) {
      this._fail(run, { code: 'interrupted', message: '' });
    }
  }

  private _finish(
    run: Run,
    interaction: Extract<StreamEvent, { type: 'done' }>['interaction']
  ): void {
    const { turn_id, user_request, ai_response } = interaction;
    const suggestion: ISuggestion = {
      turnId: turn_id,
      intent: user_request.intent,
      source: normalised(ai_response.suggestion),
      explanation: ai_response.explanation ?? ''
    };
    if (this._run === run) {
      this._suggestion = suggestion;
      this._endRun(run, {
        phase: 'suggested',
        notice: null,
        code: suggestion.source,
        explanation: suggestion.explanation,
        turnId: suggestion.turnId
      });
    }
  }

  private _fail(run: Run, failure: IFailure): void {
    const { code, message, install, retryAfter, generationId } = failure;
    this._endRun(run, {
      phase: 'failed',
      notice: null,
      failure: { code, message, install, retryAfter, generationId }
    });
  }

  private _endRun(run: Run, change: Partial<IGenerationState>): void {
    if (this._run === run) {
      this._run = null;
      this._end(change);
    }
  }

  /** Leave waiting and streaming. A part is dropped; a whole suggestion comes back. */
  private _end(change: Partial<IGenerationState>): void {
    if (change.phase === 'suggested') {
      this._set(change);
      return;
    }
    const kept = this._suggestion;
    this._set({
      ...change,
      draft: this._state.intent,
      ...(kept
        ? {
            phase: 'suggested',
            intent: kept.intent,
            code: this._shown,
            explanation: kept.explanation,
            turnId: kept.turnId
          }
        : { code: '', explanation: '' })
    });
  }

  /** Record what the person did. The code is theirs already: a failure is only told. */
  private async _record(event: EventBody): Promise<boolean> {
    try {
      const notebookId = await this.target.ensure();
      await this._history.record({ notebookId, cellId: this.target.cellId }, [
        event
      ]);
      return true;
    } catch {
      this._set({ notice: 'unsaved' });
      return false;
    }
  }

  private _update(run: Run, change: Partial<IGenerationState>): void {
    if (this._run === run) {
      this._set(change);
    }
  }

  private _set(change: Partial<IGenerationState>): void {
    if (!this._disposed) {
      this._state = { ...this._state, ...change };
      this._changed.emit(this._state);
    }
  }

  private readonly _api: GenerationApi;
  private readonly _history: IHistory;
  private readonly _changed = new Signal<this, IGenerationState>(this);
  private _state = INITIAL;
  private _request: IRequest | null = null;
  private _suggestion: ISuggestion | null = null;
  /** What was on view of the suggestion when a further request was sent. */
  private _shown = '';
  private _run: Run | null = null;
  private _ending: Promise<void> = Promise.resolve();
  private _recalled = false;
  private _disposed = false;
}
