/**
 * Accepts a suggestion, runs the cell, and lets the model correct the code if it fails. A person
 * starts this sequence with “Accept and run”, for one suggestion at a time. A small model rarely
 * manages to correct its own code. Therefore, it gets the person's request again instead of the
 * error.
 *
 * Invariants (P13, P42):
 * - No code runs unless the person has started the sequence for the open suggestion, and the
 *   administrator allows it.
 * - At most `limit` corrections of errors are requested. Each correction is recorded as a turn, and
 *   each run as an event.
 * - No code runs twice in one sequence: if a correction repeats code that has failed, the
 *   correction is offered but doesn't run.
 * - Stopping takes effect at once: it interrupts the kernel or the model, and no further run or
 *   request follows.
 */
import { isForbidden } from '../../state/features';
import type { Decision } from './decision';
import type { IRequest } from './requestBody';
import type { RequestSender } from './requestSender';
import type { AutomaticRepair } from './repair';
import type { IRepairOptions } from './state';
import type { GenerationStore } from './store';

export class RunAndRepair {
  constructor(
    private readonly _store: GenerationStore,
    private readonly _sender: RequestSender,
    private readonly _decision: Decision,
    private readonly _repair: AutomaticRepair,
    private readonly _options?: IRepairOptions
  ) {}

  /** The maximum number of corrections that are requested after the accepted code has failed. */
  get limit(): number {
    return this._options?.runLimit() ?? 0;
  }

  /** Whether the administrator allows “Accept and run”. */
  get isAllowed(): boolean {
    return !isForbidden('running');
  }

  /**
   * Accept the open suggestion, run the cell, and let the model correct the cell's errors. Do
   * nothing if the administrator doesn't allow it.
   */
  async start(): Promise<void> {
    if (!this.isAllowed) {
      return;
    }
    const { limit, _store: store } = this;
    const failedCodes = new Set<string>();
    const { answeredRequest: request } = store;
    this._isStopped = false;
    for (let corrections = 0; ; corrections++) {
      const { code, intent } = store.state;
      const isAccepted = await this._decision.accept('running');
      if (!isAccepted || this._isStopped) {
        return;
      }
      store.setState({ intent, runNumber: corrections + 1 });
      const hasSucceeded = await this._run();
      if (this._isStopped || store.isDisposed) {
        return;
      }
      if (hasSucceeded) {
        this._end(corrections ? 'ran_corrected' : null);
        return;
      }
      failedCodes.add(code);
      const error = store.target.error();
      if (!error || corrections >= limit) {
        this._end(error ? 'run_failed' : 'not_run');
        return;
      }
      await this._correct(error, request);
      if (this._isStopped || store.state.phase !== 'suggested') {
        return;
      }
      if (failedCodes.has(store.state.code)) {
        store.setState({ notice: 'repeated' });
        return;
      }
    }
  }

  /** Interrupt the kernel if the cell is running, and request no further correction. */
  stop(): void {
    this._isStopped = true;
    if (this._store.state.phase === 'running') {
      this._end('run_stopped');
      void this._store.target.interrupt();
    }
  }

  /** Run the cell. Return whether it ran without an error. */
  private async _run(): Promise<boolean> {
    return this._store.target.run().catch(() => false);
  }

  /** Ask the model for another answer, because the accepted code failed with `error`. */
  private async _correct(
    error: string,
    request: IRequest | null
  ): Promise<void> {
    const { _options: options, _sender: sender, _store: store } = this;
    const { target } = store;
    const problems = (await target.check(target.source() ?? '')) ?? [];
    if (!options || this._isStopped) {
      return;
    }
    // The model of the accepted answer corrects it.
    const { askedModel, model } = store.state;
    const isSmall = (request?.model ? askedModel : model)?.small;
    store.setState({ phase: 'editing' });
    await this._repair.runAfter(() => {
      if (isSmall && request) {
        return sender.resend(request);
      }
      const intent = options.errorRequestText(error, problems);
      return sender.send({
        ...this._store.buildRequest(intent, request?.typed ?? ''),
        model: request?.model,
        isRepair: true
      });
    });
  }

  /** Leave the phase `running`. The row stays open if it has a draft, or a notice to show. */
  private _end(
    notice: 'ran_corrected' | 'run_failed' | 'run_stopped' | 'not_run' | null
  ): void {
    const store = this._store;
    const draft = store.inputText;
    store.discardRequest(notice || draft.trim() ? 'editing' : 'idle', draft);
    store.setState({ notice });
  }

  private _isStopped = false;
}
