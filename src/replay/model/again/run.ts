/**
 * Asks requests of a cell again, one after the other, and examines the answers.
 *
 * Invariants:
 * - The cell and the notebook's kernel stay unchanged. Only `proceed`, which a person calls, sends
 *   requests or runs code.
 * - `stop` takes effect at once, and the answered turns stay. The first failure ends it, too.
 * - Answers run only in a fresh kernel, and only if the person has chosen so. The kernel is shut
 *   down in any case.
 */
import type { ErrorBody, Interaction, ModelInfo } from '../../../api/types';
import type { IFreshKernel, IRunResult } from '../../../kernel/freshKernel';
import type {
  ICellKey,
  IRepeatedAnswer,
  IRepeatedRequest
} from '../../../tokens';
import { IEarlierRequest, NewSources } from './requests';
import type { IAgainRow, IFindings } from './table';
import { normalizeLineBreaks } from '../../../diff/lineBreaks';

export interface IAgainCell {
  /** Whether the cell waits for an answer, or its row runs accepted code. */
  readonly isBusy: boolean;
  readonly isInNotebook: boolean;
  /** Whether answers can be run: the cell contains code, and the administrator allows running. */
  readonly canRun: boolean;
  /** The sources of the code cells above the cell, from top to bottom. */
  readonly codeAbove: readonly string[];
  repeat(
    request: IRepeatedRequest,
    signal: AbortSignal
  ): Promise<IRepeatedAnswer>;
  /** Return the number of problems of code; null if the kernel can't check it. */
  countProblems(code: string): Promise<number | null>;
  startKernel(): Promise<IFreshKernel>;
}

/** `failed` and `stopped`: some requests aren't answered, and it can proceed. */
export type RunPhase = 'running' | 'failed' | 'stopped' | 'done';

/** The reason why nothing is sent, or why answers don't run, or not as in the notebook. */
export type RunNotice =
  'busy' | 'no_kernel' | 'cells_failed' | 'too_slow' | null;

export interface IRunOptions {
  readonly key: ICellKey;
  /** Changes if the notebook was closed and opened again. */
  cell: IAgainCell;
  readonly model: ModelInfo;
  /** Whether each answer is run in a fresh kernel. */
  readonly runsCode: boolean;
  readonly onChanged: () => void;
}

export class AgainRun {
  constructor(
    readonly options: IRunOptions,
    requests: readonly IEarlierRequest[]
  ) {
    this._rows = requests.map(request => ({
      request,
      turnId: null,
      isEdited: false
    }));
  }

  get phase(): RunPhase {
    return this._phase;
  }

  /** The failure of the last request; null if it didn't fail. */
  get failure(): ErrorBody | null {
    return this._failure;
  }

  get notice(): RunNotice {
    return this._notice;
  }

  get rows(): readonly IAgainRow[] {
    return this._rows;
  }

  get findings(): IFindings {
    return { problems: this._problems, runs: this._results };
  }

  async proceed(): Promise<void> {
    const { cell, runsCode } = this.options;
    if (this._phase === 'running' || this._phase === 'done') {
      return;
    }
    if (cell.isBusy) {
      this._notice = 'busy';
      this.options.onChanged();
      return;
    }
    const abort = (this._abort = new AbortController());
    const previous = this._loop;
    this._failure = this._notice = null;
    this._setPhase('running');
    this._loop = previous.then(async () => {
      const { signal } = abort;
      let kernel: IFreshKernel | null = null;
      try {
        kernel = runsCode ? await this._startKernel(signal) : null;
        await this._askAll(kernel, signal);
      } catch {
        // The notebook was closed.
        this._failure = { code: 'cell_deleted', message: '' };
        this._setPhase('failed');
      } finally {
        void kernel?.shutdown();
      }
    });
    await this._loop;
  }

  stop(): void {
    if (this._phase === 'running') {
      this._abort.abort();
      this._setPhase('stopped');
    }
  }

  private async _askAll(
    kernel: IFreshKernel | null,
    signal: AbortSignal
  ): Promise<void> {
    const { model } = this.options;
    const sources = new NewSources();
    let parentTurnId: number | null = null;
    for (const [index, { request }] of this._rows.entries()) {
      if (signal.aborted) {
        return;
      }
      const { source, isEdited } = sources.sourceOf(request);
      let { turnId } = this._rows[index];
      if (turnId === null) {
        const turn = await this._ask(signal, {
          intent: request.intent,
          mode: request.mode,
          source,
          // In other code, the same lines would be other ones.
          selection: source === request.source ? request.selection : null,
          model,
          repeatsTurnId: request.turnId,
          parentTurnId
        });
        if (!turn) {
          return;
        }
        turnId = turn.turn_id;
        this._codes.set(turnId, codeOf(turn));
        this._setRow(index, { request, turnId, isEdited });
      }
      const code = this._codes.get(turnId) ?? null;
      sources.add(request, code);
      parentTurnId = turnId;
      await this._examine(request, turnId, code, kernel, signal);
    }
    if (!signal.aborted) {
      this._setPhase('done');
    }
  }

  /** Send a request, and return its turn. If it fails, end and return null. */
  private async _ask(
    signal: AbortSignal,
    request: IRepeatedRequest
  ): Promise<Interaction | null> {
    const { cell } = this.options;
    const answer: IRepeatedAnswer = cell.isInNotebook
      ? await cell.repeat(request, signal)
      : { turn: null, failure: { code: 'cell_deleted', message: '' } };
    if (!answer.turn && !signal.aborted) {
      this._failure = answer.failure;
      this._setPhase(answer.failure ? 'failed' : 'stopped');
    }
    return answer.turn;
  }

  /** Check an original answer and the new one, and run the new one. */
  private async _examine(
    request: IEarlierRequest,
    turnId: number,
    code: string | null,
    kernel: IFreshKernel | null,
    signal: AbortSignal
  ): Promise<void> {
    await this._check(request.turnId, request.code);
    await this._check(turnId, code);
    const canRun = code !== null && kernel && !kernel.isShutDown;
    const result = canRun ? await kernel.run(code, signal) : null;
    if (result) {
      this._results.set(turnId, result);
      this._notice = kernel?.isShutDown ? 'too_slow' : this._notice;
      this.options.onChanged();
    }
  }

  private async _check(turnId: number, code: string | null): Promise<void> {
    const { cell, onChanged } = this.options;
    const count = code === null ? null : await cell.countProblems(code);
    if (count !== null) {
      this._problems.set(turnId, count);
      onChanged();
    }
  }

  /** Start a fresh kernel and run the code cells above in it; null if no kernel starts. */
  private async _startKernel(
    signal: AbortSignal
  ): Promise<IFreshKernel | null> {
    const { cell, onChanged } = this.options;
    const { codeAbove } = cell; // Before the kernel starts: the notebook may be closed meanwhile.
    const kernel = await cell.startKernel().catch(() => null);
    if (!kernel) {
      this._notice = 'no_kernel';
      onChanged();
      return null;
    }
    for (const code of codeAbove) {
      const result = await kernel.run(code, signal);
      if (result && result.status !== 'ok') {
        this._notice = kernel.isShutDown ? 'too_slow' : 'cells_failed';
        onChanged();
      }
      if (result?.status !== 'ok' && result?.status !== 'error') {
        break;
      }
    }
    return kernel;
  }

  private _setRow(index: number, row: IAgainRow): void {
    this._rows = this._rows.map((old, at) => (at === index ? row : old));
    this.options.onChanged();
  }

  private _setPhase(phase: RunPhase): void {
    this._phase = phase;
    this.options.onChanged();
  }

  private _abort = new AbortController();
  /** The codes of the new answers by their turns; null for an answer in words. */
  private readonly _codes = new Map<number, string | null>();
  private _failure: ErrorBody | null = null;
  /** Resolves when the requests that were asked last have ended. */
  private _loop: Promise<void> = Promise.resolve();
  private _notice: RunNotice = null;
  private _phase: RunPhase = 'stopped';
  private readonly _problems = new Map<number, number>();
  private readonly _results = new Map<number, IRunResult>();
  private _rows: readonly IAgainRow[];
}

function codeOf({ ai_response: { suggestion } }: Interaction): string | null {
  return suggestion.trim() ? normalizeLineBreaks(suggestion) : null;
}
