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
import type { IAgainRow } from './table';
import { normalizeLineBreaks } from '../../../diff/lineBreaks';

export interface IAgainCell {
  /** Whether the cell waits for an answer, or its row runs accepted code. */
  readonly isBusy: boolean;
  readonly isInNotebook: boolean;
  readonly canRun: boolean;
  readonly codeAbove: readonly string[];
  repeat(
    request: IRepeatedRequest,
    signal: AbortSignal
  ): Promise<IRepeatedAnswer>;
  countProblems(code: string): Promise<number | null>;
  startKernel(): Promise<IFreshKernel>;
}

/** `failed` and `stopped`: some requests aren't answered, and it can proceed. */
type RunPhase = 'running' | 'failed' | 'stopped' | 'done';

/** The reason why nothing is sent, or why answers don't run, or not as in the notebook. */
type RunNotice = 'busy' | 'no_kernel' | 'cells_failed' | 'too_slow' | null;

interface IRunOptions {
  readonly key: ICellKey;
  /** Changes if the notebook was closed and opened again. */
  cell: IAgainCell;
  readonly model: ModelInfo;
  readonly runsCode: boolean;
  readonly onChanged: () => void;
}

export class AgainRun {
  constructor(
    readonly options: IRunOptions,
    requests: readonly IEarlierRequest[]
  ) {
    this.rows = requests.map(request => ({
      request,
      turnId: null,
      isEdited: false
    }));
  }

  phase: RunPhase = 'stopped';
  failure: ErrorBody | null = null;
  notice: RunNotice = null;
  rows: readonly IAgainRow[];
  readonly findings = {
    problems: new Map<number, number>(),
    runs: new Map<number, IRunResult>()
  };

  async proceed(): Promise<void> {
    const { cell, runsCode } = this.options;
    if (this.phase === 'running' || this.phase === 'done') {
      return;
    }
    if (cell.isBusy) {
      this._setNotice('busy');
      return;
    }
    const abort = (this._abort = new AbortController());
    const previous = this._loop;
    this.failure = this.notice = null;
    this._setPhase('running');
    this._loop = previous.then(async () => {
      const { signal } = abort;
      let kernel: IFreshKernel | null = null;
      try {
        kernel = runsCode ? await this._startKernel(signal) : null;
        await this._askAll(kernel, signal);
      } catch {
        // The notebook was closed.
        this.failure = { code: 'cell_deleted', message: '' };
        this._setPhase('failed');
      } finally {
        void kernel?.shutdown();
      }
    });
    await this._loop;
  }

  stop(): void {
    if (this.phase === 'running') {
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
    for (const [index, { request }] of this.rows.entries()) {
      if (signal.aborted) {
        return;
      }
      const { source, isEdited } = sources.sourceOf(request);
      let { turnId } = this.rows[index];
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
        const answered = { request, turnId, isEdited };
        this.rows = this.rows.map((row, at) => (at === index ? answered : row));
        this.options.onChanged();
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
      this.failure = answer.failure;
      this._setPhase(answer.failure ? 'failed' : 'stopped');
    }
    return answer.turn;
  }

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
      this.findings.runs.set(turnId, result);
      this._setNotice(kernel?.isShutDown ? 'too_slow' : this.notice);
    }
  }

  private async _check(turnId: number, code: string | null): Promise<void> {
    const { cell, onChanged } = this.options;
    await addProblems(this.findings.problems, cell, turnId, code, onChanged);
  }

  private async _startKernel(
    signal: AbortSignal
  ): Promise<IFreshKernel | null> {
    const { cell } = this.options;
    const { codeAbove } = cell; // Before the kernel starts: the notebook may be closed meanwhile.
    const kernel = await cell.startKernel().catch(() => null);
    if (!kernel) {
      this._setNotice('no_kernel');
      return null;
    }
    for (const code of codeAbove) {
      const result = await kernel.run(code, signal);
      if (result && result.status !== 'ok') {
        this._setNotice(kernel.isShutDown ? 'too_slow' : 'cells_failed');
      }
      if (result?.status !== 'ok' && result?.status !== 'error') {
        break;
      }
    }
    return kernel;
  }

  private _setNotice(notice: RunNotice): void {
    this.notice = notice;
    this.options.onChanged();
  }

  private _setPhase(phase: RunPhase): void {
    this.phase = phase;
    this.options.onChanged();
  }

  private _abort = new AbortController();
  private readonly _codes = new Map<number, string | null>();
  /** Resolves when the requests that were asked last have ended. */
  private _loop: Promise<void> = Promise.resolve();
}

/** Count the problems of an answer's code, unless it has none or the kernel can't check it. */
export async function addProblems(
  problems: Map<number, number>,
  cell: IAgainCell,
  turnId: number,
  code: string | null,
  onChanged: () => void
): Promise<void> {
  const count = code === null ? null : await cell.countProblems(code);
  if (count !== null) {
    problems.set(turnId, count);
    onChanged();
  }
}

function codeOf({ ai_response: { suggestion } }: Interaction): string | null {
  return suggestion.trim() ? normalizeLineBreaks(suggestion) : null;
}
