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
 * - What a person wrote is never dropped by what a stream or a button does.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { DataFrameProfile, EventBody, Interaction } from '../api/types';
import type { ICellKey, IHistory } from '../tokens';
import { IFailure, asCutOff, failureOf, isOfModel } from './failure';
import {
  IRequest,
  acceptOf,
  bodyOf,
  ensured,
  note,
  pastTurns,
  rejectOf,
  warmUp
} from './generationbody';
import {
  Answer,
  GenerationApi,
  IGenerationOptions,
  Run,
  TRIES,
  whenKept
} from './generationrun';
import {
  IGenerationState,
  INITIAL,
  ISuggestion,
  ITarget,
  begun,
  broughtBack,
  inSeconds,
  suggested,
  suggestionOf,
  waitingFor,
  withModels,
  withoutAnswer
} from './generationstate';
import { IntentHistory } from './intents';

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
      this.written = draft;
      this._begin('idle', draft);
    }
  }

  /** Say which DataFrames the next request is about. */
  setDataFrames(dataframes: readonly DataFrameProfile[]): void {
    this._set({ dataframes });
  }

  /** Let the next request go on from an older turn, whose version the cell holds; null: not. */
  branchFrom(turnId: number | null): void {
    if (this.isBusy) {
      this._set({ notice: 'busy' });
      return;
    }
    if (this._state.phase === 'suggested' && turnId !== null) {
      // What was open is of another line: it stays in the history, and nobody decided on it.
      this._begin('asking', this.written);
    }
    this._set({ branch: turnId });
  }

  /** Let a model answer in this cell alone; null: the one that answers everywhere. */
  useModel(id: string | null): void {
    this._set({ cellModel: id });
    void this.lookForModel();
  }

  /** What a model failed by was mended: its failure is of before. */
  mended(): void {
    const { failure } = this._state;
    if (failure && isOfModel(failure)) {
      this._set({ failure: null });
    }
  }

  /** Learn which model answers in the open row. Quietly: whoever asks is told what fails. */
  async lookForModel(): Promise<void> {
    const isOpen = this._state.phase !== 'idle';
    const list = isOpen && (await this._history.models().catch(() => null));
    if (list) {
      this._set(withModels(this._state, list));
    }
  }

  /**
   * Ask for code. While a suggestion is open the request builds on it, and what is shown
   * stays a change of the cell's own code.
   */
  async ask(intent: string): Promise<void> {
    await this._send(this.requestOf(intent));
  }

  /** What asking with these words would ask. */
  requestOf(intent: string): IRequest {
    const suggestion = this._suggestion;
    return {
      intent: intent.trim(),
      source: suggestion ? this._state.code : (this.target.source() ?? ''),
      parentTurnId: suggestion?.turnId ?? this._state.branch ?? undefined,
      dataframes: this._state.dataframes
    };
  }

  /** Send the last request once more; or look for a model again. */
  async again(): Promise<void> {
    const request = this._request;
    if (!request) {
      return this._prepare();
    }
    // A server that was cut off from us may not know yet that it was.
    const tries = this._state.failure?.code === 'interrupted' ? TRIES : 1;
    await this._send(this._afresh(request), tries);
  }

  /** Stop the generation that another tab runs for this cell, then ask again. */
  async takeOver(): Promise<void> {
    const running = this._state.failure?.generationId;
    if (running && this._request) {
      const request = this._request;
      await this._api.stop(running).catch(() => undefined);
      await this._send(this._afresh(request), TRIES);
    }
  }

  /** With a suggestion open from the same code as then; else from what the cell holds now. */
  private _afresh(request: IRequest): IRequest {
    const source = this._suggestion ? request.source : this.target.source();
    return { ...request, source: source ?? request.source };
  }

  /** Stop. The person sees it at once; the server ends the turn as cancelled. */
  stop(): void {
    const run = this._run;
    if (this.isBusy && run) {
      this._endRun(run, { phase: 'stopped', notice: 'stopped', failure: null });
      run.stop(this._api);
    }
  }

  /** Take parts of the suggestion back, or bring them again: what Accept will write. */
  revise(code: string): void {
    if (this._state.phase === 'suggested') {
      this._set({ code });
    }
  }

  /** Whether parts of the suggestion were taken back. */
  get isRevised(): boolean {
    const suggestion = this._suggestion;
    return !!suggestion && suggestion.source !== this._state.code;
  }

  /** Bring back the parts that were taken back. */
  restoreSuggestion(): void {
    this.revise(this._suggestion?.source ?? this._state.code);
  }

  /** Write the suggestion into the cell. */
  async accept(): Promise<boolean> {
    const suggestion = this._suggestion;
    if (this._state.phase !== 'suggested' || !suggestion) {
      return false;
    }
    const source = this._state.code;
    const accepted = acceptOf(suggestion, source, this.target.source());
    if (!this.target.apply(source)) {
      this._set({ notice: 'gone' });
      return false;
    }
    this._leave();
    await this._record(accepted);
    return true;
  }

  /** Leave the cell as it is, and say so in its history. */
  async reject(): Promise<void> {
    const suggestion = this._suggestion;
    if (this._state.phase === 'suggested' && suggestion) {
      const rejected = rejectOf(suggestion, this.target.source());
      this._leave();
      if (!suggestion.unkept) {
        await this._record(rejected);
      }
    }
  }

  /** The cell's code was changed by another hand than Accept: the suggestion is of before. */
  sourceChanged(): void {
    const { phase, edited, notice } = this._state;
    if (phase === 'suggested' && edited !== this._isEdited) {
      // Once the cell holds something else, the answer is a change of it.
      const still = notice === 'same' ? null : notice;
      this._set({ edited: this._isEdited, notice: still });
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
    const warm = warmUp(this._api, this.target, this._state.cellModel);
    const models = this.lookForModel();
    await Promise.allSettled([warm, models, this._recall()]);
  }

  private async _recall(): Promise<void> {
    const notebookId = this.target.notebookId();
    if (!notebookId || this._recalled) {
      return;
    }
    const { cellId } = this.target;
    const past = await pastTurns(this._history, { notebookId, cellId });
    this._recalled = true; // Where that failed, the row asks when it is opened again.
    this.intents.addOlder(past.intents);
    this._set({ failed: [...past.failed, ...this._state.failed] });
    if (!this.isBusy && this._state.turnId === null && past.last) {
      this._set({ turnId: past.last + 1 });
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
    if (!this._suggestion) {
      this._base = this.target.source();
    }
    this.intents.add(request.intent);
    const before = this._last;
    const run = (this._run = this._last = new Run());
    this._set(waitingFor(request.intent, this._nextTurn));
    try {
      await before?.ended; // The server ends a stopped turn before it takes the next.
      const notebookId = await run.unlessLeft(ensured(this.target));
      const { cellModel } = this._state;
      const body = bodyOf(request, this.target, notebookId, cellModel);
      await this._consume(run, body, before?.lingers ? TRIES : tries);
    } catch (reason) {
      this._fail(run, asCutOff(reason));
    } finally {
      run.end();
    }
  }

  /** The turn that comes next, as far as is known; the server's word counts. */
  private get _nextTurn(): number | null {
    return this._suggestion ? this._suggestion.turnId + 1 : this._state.turnId;
  }

  /** Read a stream to its end. Once the person stopped it, only the history is told. */
  private async _consume(
    run: Run,
    body: ReturnType<typeof bodyOf>,
    tries: number
  ): Promise<void> {
    if (run.stopped || this._disposed) {
      return;
    }
    const key = { notebookId: body.notebookId, cellId: body.cellId };
    const answer = new Answer();
    let ended = false;
    try {
      for await (const event of run.events(this._api, body, tries)) {
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
          this._history.notify(key);
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
    run.abort.abort();
    if (run.generationId) {
      this._api.stop(run.generationId).catch(() => undefined);
      void whenKept(this._history, key, run.turnId).then(() =>
        this._history.notify(key)
      );
    }
  }

  private _finish(
    run: Run,
    interaction: Interaction,
    unkept: string | null = null
  ): void {
    if (this._run === run) {
      const suggestion = (this._suggestion = suggestionOf(interaction, unkept));
      this._endRun(run, {
        ...suggested(suggestion, this.target.source() ?? ''),
        edited: this._isEdited
      });
    }
  }

  private _fail(run: Run, failure: IFailure): void {
    this._endRun(run, { phase: 'failed', notice: null, failure });
  }

  /** The suggestion is dealt with. What was written for a further one is the next request. */
  private _leave(): void {
    const draft = this.written;
    if (draft.trim()) {
      this._begin('asking', draft);
    } else {
      this.close();
    }
  }

  private _begin(phase: 'idle' | 'asking', draft: string): void {
    const turnId = this._nextTurn;
    this._suggestion = this._request = null;
    this._set(begun(this._state, phase, draft, turnId));
  }

  /** Whether the cell holds something else than when the open suggestion was begun. */
  private get _isEdited(): boolean {
    const now = this.target.source();
    return now !== null && this._base !== null && now !== this._base;
  }

  /** Leave waiting and streaming. A part is dropped; a whole suggestion comes back. */
  private _endRun(run: Run, change: Partial<IGenerationState>): void {
    if (this._run !== run) {
      return;
    }
    this._run = null;
    if (change.phase === 'suggested') {
      this._set(change);
      return;
    }
    const kept = this._suggestion;
    this._set({
      ...change,
      ...withoutAnswer(this._state, run.turnId),
      ...(kept && { ...broughtBack(kept, this._shown), edited: this._isEdited })
    });
  }

  /** Record what the person did. It is done already, so a failure is only told. */
  private async _record(event: EventBody): Promise<boolean> {
    const notice = await note(this._history, this.target, event);
    if (notice) {
      this._set({ notice });
    }
    return !notice;
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
  /** What the cell held when the open suggestion was begun. */
  private _base: string | null = null;
  private _run: Run | null = null;
  /** The run that was begun last: the next one waits for its end. */
  private _last: Run | null = null;
  private _recalled = false;
  private _disposed = false;
}
