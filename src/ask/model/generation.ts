/**
 * The model of one cell's row: its requests, their answers and the suggestion. Views use only this.
 * The row is open unless the phase is `idle`.
 *
 * Invariant: nothing discards text that a person has typed.
 */
import { Signal } from '@lumino/signaling';

import type { DataFrameProfile, PrivacyLevel, Step } from '../../api/types';
import type { IProblem } from '../../kernel/check';
import { selectedLines } from '../../labels/requestTitle';
import { answersOf } from '../../records/answers';
import type { IBranch } from '../../records/branch';
import { isModelFailure } from '../../state/failure';
import {
  IHistory,
  IMemory,
  IQueuedEvents,
  ISessionChange,
  IShownAnswers,
  IWaitingProposal,
  isSameCell
} from '../../tokens';
import { NO_TURN, fromAnswer, isProposal } from './answers';
import { withCurrentFrames } from './context/attachments';
import { IMention, handedOutput, shareKeys } from './context/mentions';
import type { ChosenLevels } from './context/privacyLevels';
import { ISelection, selectionOfLines } from './context/selection';
import { Decision } from './decision';
import { PastAnswerOffer, type PastAnswerSource } from './pastAnswers';
import { RowMemory } from './remember/rowMemory';
import { EXAMPLES } from './repeatRequest';
import { type IPastTurns, loadPastTurns, waitingProposal } from './request';
import { RequestSender } from './requestSender';
import { applyModelList } from './state';
import { GenerationStore, type IStoreOptions } from './store';

export interface IGenerationOptions extends IStoreOptions {
  memory?: IMemory | null;
  pastAnswers?: PastAnswerSource | null;
}

export class GenerationModel extends GenerationStore {
  constructor(options: IGenerationOptions) {
    super(options);
    const { history, memory, pastAnswers } = options;
    this.memory = memory ? new RowMemory(this, memory) : null;
    this.pastAnswers = pastAnswers
      ? new PastAnswerOffer(this, pastAnswers, !!memory)
      : null;
    history.eventsQueued.connect(this._onEventsQueued, this);
    history.changed.connect(this._onHistoryChanged, this);
  }

  private readonly _sender = new RequestSender(this);
  readonly decision = new Decision(this, this._sender);
  readonly memory: RowMemory | null;
  readonly pastAnswers: PastAnswerOffer | null;

  open(selection: ISelection | null = null): void {
    if (this.state.phase !== 'idle') {
      if (selection && !this.isBusy && !this.suggestion) {
        this.setState({ selection });
      }
      return;
    }
    const phase = 'editing';
    this.setState({ phase, notice: null, failure: null, selection });
    void this._prepare();
  }

  /** Show an agent's waiting proposal unless it would replace something of the person. */
  async showProposal(): Promise<IWaitingProposal | null> {
    const key = this.target.key();
    const past =
      key && this._isFreeForProposals
        ? await loadPastTurns(this.history, key).catch(() => null)
        : null;
    const proposal = past && waitingProposal(past);
    if (!proposal || !this._isFreeForProposals) {
      return null;
    }
    const { turnId = NO_TURN, run = null } = proposal;
    if (this.suggestion?.turnId !== turnId) {
      if (this.state.phase === 'idle') {
        void this._prepare(false);
      }
      this.setState({ phase: 'editing', notice: null, failure: null });
      this._showAnswersOf(past);
      this.decision.onSourceChanged(); // The cell may have changed in other lines.
    }
    return { turnId, run, isCellEdited: this.isCellEdited };
  }

  private get _isFreeForProposals(): boolean {
    const { phase, branch } = this.state;
    return phase === 'suggested'
      ? isProposal(this.suggestion) && !this.decision.isRevised
      : phase === 'idle' ||
          (phase === 'editing' && !this.inputText.trim() && !branch);
  }

  /** If the row is opened again, its input field contains `draft`. */
  close(draft = ''): void {
    if (!this.isBusy) {
      this.inputText = draft;
      this.discardRequest('idle', draft);
    }
  }

  insertAnswer(note = ''): void {
    const { phase, explanation, model } = this.state;
    const contributor = { kind: 'model', name: model?.id } as const;
    if (phase !== 'answered') {
      return;
    }
    const text = note ? `${explanation.trimEnd()}\n\n${note}` : explanation;
    if (this.target.insertMarkdownBelow(text, contributor)) {
      this.close(this.inputText);
    } else {
      this.setState({ notice: 'not_written' });
    }
  }

  get shownAnswers(): IShownAnswers | null {
    const { answer, answers } = this;
    const { code, isChecking, phase } = this.state;
    const { turnId, saveError } = answer?.suggestion ?? {};
    if (phase !== 'suggested' || !turnId || saveError) {
      return null;
    }
    const codes = answers.map(
      ({ suggestion, shown }) =>
        [suggestion.turnId, shown?.code ?? suggestion.source] as const
    );
    return { turnId, codes: new Map([...codes, [turnId, code]]), isChecking };
  }

  async acceptAnswer(turnId: number): Promise<boolean> {
    this.decision.show(turnId);
    const isOffered =
      this.suggestion?.turnId === turnId && !this.state.isChecking;
    return isOffered && this.decision.accept();
  }

  removeDataFrame(name: string): void {
    const { dataframes, detached } = this.state;
    this.setState({
      dataframes: dataframes.filter(profile => profile.name !== name),
      detached: [...detached, name]
    });
  }

  share(mention: IMention, isShared: boolean): void {
    const { shared, model } = this.state;
    const others = shared.filter(
      key => !shareKeys(mention, true).includes(key)
    );
    const keys = isShared ? shareKeys(mention, !!model?.seesImages) : [];
    this.setState({ shared: [...others, ...keys] });
  }

  /** Read the kernel's variables, with values of DataFrames for a local model only. */
  async readKernel(): Promise<void> {
    if (this.state.phase !== 'idle' && this.target.cellType === 'code') {
      const examples = this.state.model?.onThisMachine ? EXAMPLES : 0;
      const kernel = await this.target.variables(examples);
      if (kernel) {
        this.setState({
          kernel,
          ...withCurrentFrames(this.state, kernel.frames)
        });
        await this._refreshLevels();
      }
      await this.check();
    }
  }

  async chooseLevel(name: string, level: PrivacyLevel): Promise<void> {
    const { model, levelStatus: former } = this.state;
    if (level === 'schema') {
      const levelStatus = former?.name === name ? null : former;
      this.setState({ levels: this._levelsWithout(name), levelStatus });
      return;
    }
    // The former choice ends now: its values must not be sent while others are read.
    const levelStatus = { name, isReading: true };
    this.setState({ levels: this._levelsWithout(name), levelStatus });
    const values = await this.target.dataValues(name, level);
    const { levels, levelStatus: current } = this.state;
    if (current !== levelStatus) {
      return; // Another level was chosen, or the request was closed.
    }
    if (!values) {
      this.setState({ levelStatus: { name, isReading: false } });
      return;
    }
    const remoteLevel = model?.onThisMachine ? 'schema' : level;
    this.setState({
      levels: new Map(levels).set(name, { level, remoteLevel, values }),
      levelStatus: null
    });
  }

  private async _refreshLevels(): Promise<void> {
    for (const [name, chosen] of this.state.levels) {
      const values = await this.target.dataValues(name, chosen.level);
      const { levels } = this.state;
      if (levels.get(name) === chosen && values) {
        const refreshed = { ...chosen, values };
        this.setState({ levels: new Map(levels).set(name, refreshed) });
      } else if (levels.get(name) === chosen) {
        const levelStatus = { name, isReading: false };
        this.setState({ levels: this._levelsWithout(name), levelStatus });
      }
    }
  }

  private _levelsWithout(name: string): ChosenLevels {
    const { levels } = this.state;
    return new Map([...levels].filter(([other]) => other !== name));
  }

  /** Choose these of the DataFrames that `list` returns. */
  async chooseFrames(
    names: readonly string[],
    list: () => Promise<DataFrameProfile[]>
  ): Promise<void> {
    const { requestTime } = this.state;
    const listed = await list().catch((failure: Error) => failure.message);
    const { dataframes, phase, requestTime: current } = this.state;
    if (phase === 'idle' || current !== requestTime) {
      return; // The row was closed, or the request was sent.
    }
    const reason = typeof listed === 'string' ? listed : '';
    const missingFrames = { names, reason };
    this.setState(
      typeof listed === 'string'
        ? { missingFrames }
        : withCurrentFrames({ dataframes, missingFrames }, listed)
    );
  }

  /** Wait at most a second for what is read from the kernel when the row opens. */
  waitForKernel(): Promise<unknown> {
    const timeout = new Promise(resolve => setTimeout(resolve, 1000));
    return Promise.race([this._reading.catch(() => undefined), timeout]);
  }

  branchFrom(branch: IBranch | null): void {
    if (this.isBusy) {
      this.setState({ notice: 'busy' });
      return;
    }
    if (this.state.phase === 'suggested' && branch !== null) {
      // The open suggestion belongs to another branch. The history then shows it as neither accepted
      // nor rejected.
      this.discardRequest('editing', this.inputText);
    }
    this.setState({ branch });
  }

  get handedOutput(): ReturnType<typeof handedOutput> {
    return handedOutput(this.sentMentions, this.state.askedModel);
  }

  setCellModel(id: string | null): void {
    this.setState({ cellModel: id });
    void this.refreshModel();
  }

  clearModelFailure(): void {
    const { failure } = this.state;
    if (failure && isModelFailure(failure)) {
      this.setState({ failure: null });
    }
  }

  /** Errors are ignored; the next request reports them. */
  async refreshModel(): Promise<void> {
    const isOpen = this.state.phase !== 'idle';
    const { api } = this.history;
    const list = isOpen && (await api.models().catch(() => null));
    if (list) {
      this.setState(applyModelList(this.state, list));
    }
  }

  async ask(intent: string, typed = intent): Promise<void> {
    await this._sender.send(this.buildRequest(intent, typed));
  }

  async fix(
    requestText: (error: string, problems: readonly IProblem[]) => string
  ): Promise<void> {
    const { target } = this;
    const error = target.error();
    if (error === null) {
      return;
    }
    this.hasBegun = true;
    const problems = (await target.check(target.source() ?? '')) ?? [];
    // Meanwhile, the row may have been closed, or the cell's error may have changed.
    if (this.state.phase !== 'idle' && target.error() === error) {
      await this.ask(requestText(error, problems), '');
    }
  }

  async retry(): Promise<void> {
    const { request } = this;
    if (!request) {
      return this._prepare();
    }
    await this._sender.retry(request);
  }

  takeOver(): Promise<void> {
    return this._sender.takeOver();
  }

  stop(): void {
    this.decision.interrupt();
    this._sender.stop();
  }

  onRulesChanged(_: unknown, change: 'list' | 'choice'): void {
    if (change === 'choice' && this.state.phase === 'editing') {
      void this.warmUp().catch(() => undefined);
    }
  }

  /** Earlier turns stay in the history, but models no longer get them. */
  async reset(): Promise<void> {
    if (this.isBusy) {
      this.setState({ notice: 'busy' });
    } else if (await this.record({ type: 'context_reset' })) {
      this.setState({ notice: 'reset' });
    }
  }

  dispose(): void {
    if (!this.isDisposed) {
      this.isDisposed = true;
      this._sender.dispose();
      Signal.clearData(this);
    }
  }

  /** Errors are ignored. */
  private async _prepare(warmsUp = true): Promise<void> {
    const pastTurns = this._loadPastTurns().catch(() => undefined);
    // The model first, because `readKernel` reads values only for a local one.
    this._reading = this.refreshModel().then(() => this.readKernel());
    await this._reading;
    await Promise.allSettled([warmsUp && this.warmUp(), pastTurns]);
  }

  /** Close the suggestion when another view of the notebook records a decision. */
  private _onEventsQueued(_: IHistory, { key, events }: IQueuedEvents): void {
    if (isSameCell(this.target.key(), key)) {
      for (const { type, turnId, data } of events) {
        if ((type === 'accept' && !data?.part) || type === 'reject') {
          this.decision.close(turnId);
        }
      }
    }
  }

  private _onHistoryChanged(_: IHistory, session: ISessionChange): void {
    if (session.isRemote && isSameCell(this.target.key(), session)) {
      void this.decision.closeIfDecided();
    }
  }

  private async _loadPastTurns(): Promise<void> {
    const key = this.target.key();
    if (!key || this._hasLoadedPastTurns) {
      return;
    }
    const past = await loadPastTurns(this.history, key);
    // Not reached if loading fails, so the next `open` tries again.
    this._hasLoadedPastTurns = true;
    const own = past.turns.filter(({ author }) => author !== 'agent');
    this.intents.addOlder(own.map(({ title }) => title));
    const { uncountedTurnIds } = this.state;
    this.setState({
      uncountedTurnIds: [...past.uncountedTurnIds, ...uncountedTurnIds]
    });
    if (!this.isBusy && this.state.turnId === null && past.lastTurnId) {
      this.setState({ turnId: past.lastTurnId + 1 });
    }
    // After a reload. Nothing is shown if somebody has decided on the answers, the cell has changed
    // since, or the person has begun another request.
    const last = past.turns.at(-1);
    if (last && this._isStillOpen(last)) {
      this._showAnswersOf(past);
    }
  }

  private _showAnswersOf({ steps, turns }: IPastTurns): void {
    const last = turns[turns.length - 1];
    const agent = last.author === 'agent' ? (last.name ?? '') : undefined;
    const requestSource = last.base ?? last.before;
    const lines = selectedLines(last.data);
    this.setState({
      selection: lines && selectionOfLines(requestSource, lines)
    });
    const isTyped = !last.title.includes('\n'); // Other requests contain an error.
    const isRefinement = typeof last.base === 'string';
    const parent = isRefinement ? steps[last.parent ?? -1] : undefined;
    const request = {
      ...this.buildRequest(last.title, isTyped ? last.title : ''),
      source: requestSource,
      selection: lines,
      parentTurnId: parent?.turnId
    };
    this.baseSource = last.before;
    answersOf(last)
      .filter(({ outcome }) => outcome === 'open')
      .forEach((answer, index) =>
        this.addAnswer(fromAnswer(answer, last.title, agent), {
          ...request,
          isRetry: index > 0
        })
      );
    this.setState(this.suggested!);
    void this.check();
  }

  private _isStillOpen({ outcome, before }: Step): boolean {
    const { phase, branch, selection } = this.state;
    const hasBegun =
      this.hasBegun || this.inputText.trim() || branch || selection;
    return (
      outcome === 'open' &&
      phase === 'editing' &&
      !hasBegun &&
      this.target.source() === before
    );
  }

  private _reading = Promise.resolve();
  private _hasLoadedPastTurns = false;
}
