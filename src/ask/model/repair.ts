/**
 * Corrects the problems of a suggestion before the person decides on it. Obvious corrections, such
 * as a missing import, are made without a model. For the remaining problems, a small model is asked
 * for another answer, because it rarely corrects its own code; any other model is asked to correct
 * its answer. A small model is also asked for another answer if its answer can't be used, for
 * example because it repeated itself.
 *
 * Invariants:
 * - After a request of the person or of `RunAndRepair`, at most `MAX_REPAIRS` requests for a better
 *   answer are sent. Each of them is recorded as a turn.
 * - The suggestion with the fewest problems is offered. If several suggestions have equally few,
 *   the earliest of them is offered.
 * - If a model is asked to correct its answer, but the corrected answer doesn't have fewer
 *   problems, no further request is sent.
 * - If only some lines of the cell may change, no other line is corrected.
 * - If the person stops a repair, or the repair fails, the best complete suggestion is offered.
 */
import type { ModelInfo } from '../../api/types';
import type { IProblem } from '../../kernel/check';
import { isUnusableAnswer } from '../../state/failure';
import { correctObvious } from './problems';
import type { Problems, RequestSender } from './requestSender';
import { IRepairOptions, suggestionFields } from './state';
import { ISuggestion } from './suggestion';
import type { GenerationStore } from './store';

const MAX_REPAIRS = 2;

/** A suggestion with the obvious corrections, and its remaining problems. */
interface IAttempt {
  readonly suggestion: ISuggestion;
  readonly code: string;
  readonly corrections: readonly string[];
  readonly problems: readonly IProblem[];
}

export class AutomaticRepair {
  constructor(
    private readonly _store: GenerationStore,
    private readonly _sender: RequestSender,
    private readonly _options?: IRepairOptions
  ) {}

  /**
   * Send a request. If the answer is a new suggestion, and the setting allows repairs, correct the
   * suggestion's problems.
   */
  async runAfter(send: () => Promise<Problems>): Promise<void> {
    const store = this._store;
    const requestNumber = ++this._lastRequest;
    const previousSuggestion = store.suggestion;
    let problems = await send();
    let requestCount = 0;
    while (this._canAskAgain && store.request && requestCount < MAX_REPAIRS) {
      requestCount++;
      problems = await this._sender.send({ ...store.request, isRetry: true });
    }
    const isNew = store.suggestion !== previousSuggestion;
    if (problems && isNew && this._options && this.isAllowed) {
      await this._run(problems, requestCount, this._options);
    }
    // During the check, the person can close the suggestion and send another request.
    if (store.state.isChecking && requestNumber === this._lastRequest) {
      store.setState({ isChecking: false });
    }
  }

  /** Whether the setting allows automatic repairs with the current model. */
  get isAllowed(): boolean {
    const model = this._shownModel;
    const setting = this._options?.setting();
    return setting === 'all' || (setting === 'local' && !!model?.onThisMachine);
  }

  /** The model that wrote the shown suggestion; if there is none, the one that was asked. */
  private get _shownModel(): ModelInfo | null {
    const { answers, suggestion, state } = this._store;
    const shown = answers.find(
      answer => answer.suggestion.turnId === suggestion?.turnId
    );
    return shown?.model ?? state.askedModel ?? state.model;
  }

  /** Whether a small model has just given an answer that can't be used. */
  private get _canAskAgain(): boolean {
    const { failure, askedModel: model } = this._store.state;
    const isUnusable = !!failure && isUnusableAnswer(failure);
    return this.isAllowed && !!model?.small && isUnusable;
  }

  private async _run(
    firstProblems: readonly IProblem[],
    requestCount: number,
    { requestText }: IRepairOptions
  ): Promise<void> {
    const store = this._store;
    const { intent } = store.state;
    const isSmall = this._shownModel?.small ?? false;
    let best = await this._correctObvious(firstProblems);
    if (!best) {
      return;
    }
    let correctedCount = 0;
    this._show(best, intent, correctedCount);
    for (let count = requestCount; count < MAX_REPAIRS; count++) {
      const forModel = this._correctable(best.problems).filter(isForModel);
      if (!forModel.length) {
        return;
      }
      const { suggestion: previous, request } = store;
      const problems = await (isSmall && request
        ? this._sender.resend(request)
        : this._sender.send({
            ...this._store.buildRequest(
              requestText(forModel),
              request?.typed ?? ''
            ),
            model: request?.model,
            isRepair: true
          }));
      if (!store.suggestion || store.state.phase !== 'suggested') {
        return; // The suggestion was closed meanwhile.
      }
      if (!problems || store.suggestion === previous) {
        this._show(best, intent, correctedCount);
        return; // The request was stopped, or it failed.
      }
      const attempt = await this._correctObvious(problems);
      if (!attempt) {
        return;
      }
      const fewerCount = best.problems.length - attempt.problems.length;
      if (fewerCount > 0) {
        correctedCount += fewerCount;
        best = attempt;
      }
      this._show(best, intent, correctedCount);
      if (fewerCount <= 0 && !isSmall) {
        return;
      }
    }
  }

  /** Offer a suggestion as the answer to the person's request. */
  private _show(
    { suggestion, code, corrections, problems }: IAttempt,
    intent: string,
    correctedCount: number
  ): void {
    const store = this._store;
    const { answers, suggestion: shown } = store;
    store.suggestion = { ...suggestion, intent };
    store.answers = answers.map(answer =>
      answer.suggestion.turnId === shown?.turnId
        ? { ...answer, suggestion: store.suggestion! }
        : answer
    );
    const fields = suggestionFields(store.suggestion, code);
    const correctedCode = code;
    store.setState({
      ...fields,
      problems,
      corrections,
      correctedCode,
      correctedCount
    });
  }

  /**
   * Make the obvious corrections in the open suggestion, then check it again. If it doesn't have
   * fewer problems now, or isn't valid code, undo the corrections. Return null if the suggestion was
   * closed or revised during the check.
   */
  private async _correctObvious(
    problems: readonly IProblem[]
  ): Promise<IAttempt | null> {
    const store = this._store;
    const { suggestion } = store;
    const { code } = store.state;
    if (!suggestion) {
      return null;
    }
    const original = { suggestion, code, corrections: [], problems };
    const corrected = correctObvious(code, this._correctable(problems));
    if (!corrected.corrections.length) {
      return original;
    }
    const correctedCode = corrected.code;
    store.setState({ ...corrected, correctedCode, problems: [] });
    const remaining = await store.check();
    const { phase, code: current } = store.state;
    if (phase !== 'suggested' || current !== corrected.code) {
      return null;
    }
    const isValid = !remaining?.some(problem => problem.kind === 'syntax');
    if (remaining && isValid && remaining.length < problems.length) {
      return { suggestion, ...corrected, problems: remaining };
    }
    store.setState({ code, corrections: [], problems });
    return original;
  }

  /**
   * Return the problems that may be corrected. If only some lines may change, these are the
   * problems in them, and no import is added above them.
   */
  private _correctable(problems: readonly IProblem[]): readonly IProblem[] {
    const lines = this._store.selectedLines;
    return lines
      ? problems
          .filter(
            ({ line, endLine }) => line >= lines.first && endLine <= lines.last
          )
          .map(problem => ({ ...problem, import: undefined }))
      : problems;
  }

  private _lastRequest = 0;
}

/** Return whether a model can correct the problem. Only the person can install a package. */
function isForModel({ kind }: IProblem): boolean {
  return kind !== 'missing_module';
}
