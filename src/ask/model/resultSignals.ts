/**
 * Looks for signals after an accepted suggestion has run for the first time, however it was started.
 *
 * Invariants: nothing runs because of it, and no model is asked. A signal is shown only as long as
 * the result that it is about.
 */
import type { ITarget } from '../../cells/notebookCell';
import type { ICodeRun, ISignal } from '../../kernel/signals';

type Target = Pick<
  ITarget,
  'kernelState' | 'resultSignals' | 'runCount' | 'source'
>;

interface IResult {
  readonly runCount: number | null;
  readonly signals: readonly ISignal[];
}

const NONE: IResult = { runCount: null, signals: [] };

export class ResultSignals {
  constructor(private readonly _target: Target) {}

  /** Called before the code of a suggestion is written into the cell, and so before it runs. */
  expect(run: ICodeRun): void {
    const state = this._target.kernelState(run.code);
    this._expected = { run, state };
  }

  /** Resolves when the kernel isn't busy any more because of `expect`. */
  async ready(): Promise<void> {
    await this._expected?.state;
  }

  /** The signals of the cell's current result; undefined if there are none. */
  get current(): readonly ISignal[] | undefined {
    const { runCount, signals } = this._last;
    const isCurrent = runCount !== null && runCount === this._target.runCount();
    return isCurrent && signals.length ? signals : undefined;
  }

  /** Look at the result if the expected code has run. */
  async look(): Promise<void> {
    const { _expected: expected, _target: target } = this;
    const runCount = target.runCount();
    if (runCount === null) {
      this._last = NONE;
    }
    if (!expected || runCount === null) {
      return;
    }
    const { run } = expected;
    const state = await expected.state;
    const hasRun = target.source() === run.code && state !== null;
    const signals = hasRun ? await target.resultSignals(run, state) : [];
    if (signals && this._expected === expected) {
      this._expected = null;
      this._last = { runCount, signals };
    }
  }

  private _expected: {
    readonly run: ICodeRun;
    readonly state: Promise<string | null>;
  } | null = null;
  private _last = NONE;
}
