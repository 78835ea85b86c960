/**
 * Accepts a suggestion and runs its cell. If the code fails, the person decides what to do next.
 *
 * Invariants (P13, P42, P49):
 * - No code runs unless the person has seen it and starts the run, and the administrator allows it.
 * - Stopping takes effect at once: it interrupts the kernel.
 */
import { isForbidden } from '../../state/features';
import type { Decision } from './decision';
import type { GenerationStore } from './store';

export class AcceptAndRun {
  constructor(
    private readonly _store: GenerationStore,
    private readonly _decision: Decision
  ) {}

  /** Whether the administrator allows “Accept and run”. */
  get isAllowed(): boolean {
    return !isForbidden('running');
  }

  /**
   * Accept the open suggestion and run the cell. Do nothing if the administrator doesn't allow it,
   * or while the suggestion may still be corrected.
   */
  async start(): Promise<void> {
    const { target, state } = this._store;
    if (!this.isAllowed || state.isChecking) {
      return;
    }
    this._isStopped = false;
    const isAccepted = await this._decision.accept('running');
    if (!isAccepted || this._isStopped) {
      return;
    }
    this._store.setState({ intent: state.intent });
    const hasSucceeded = await target.run().catch(() => false);
    if (!this._isStopped && !this._store.isDisposed) {
      const notice = target.error() ? 'run_failed' : 'not_run';
      this._end(hasSucceeded ? null : notice);
    }
  }

  /** Interrupt the kernel if the cell is running. */
  stop(): void {
    this._isStopped = true;
    if (this._store.state.phase === 'running') {
      this._end('run_stopped');
      void this._store.target.interrupt();
    }
  }

  /** Leave the phase `running`. The row stays open if it has a draft, or a notice to show. */
  private _end(notice: 'run_failed' | 'run_stopped' | 'not_run' | null): void {
    const store = this._store;
    const draft = store.inputText;
    store.discardRequest(notice || draft.trim() ? 'editing' : 'idle', draft);
    store.setState({ notice });
  }

  private _isStopped = false;
}
