/**
 * The table that compares the answers to requests with those of the model that was asked again.
 *
 * Invariant (P47): a number that isn't known is left out. A sum with unknown numbers says so.
 */
import type { Step, TurnReceipt } from '../../../api/types';
import type { IRunResult } from '../../../kernel/freshKernel';
import type { IShownStep } from '../../../records/fold';
import { isRequestOf } from '../../../records/answers';
import { lastRunOf } from '../../../records/runs';
import { parentOf } from '../cell/graph';
import {
  IEarlierRequest,
  isAnswered,
  isRepeated,
  NewSources,
  requestAt
} from './requests';

const NUMBERS = ['inputTokens', 'outputTokens', 'totalMs', 'cost'] as const;
type Numbers = Readonly<
  Partial<Record<(typeof NUMBERS)[number] | 'problems', number>>
>;

/** The figures of one answer, or of all answers of a model. */
export interface IFigures extends Numbers {
  readonly run?: IRunResult;
  /** The numbers that are at least this large, because a part of them isn't known. */
  readonly partial?: readonly (keyof Numbers)[];
}

/** The original answer to one request, and the new one; null until there is a new answer. */
export interface IAgainRow {
  readonly request: IEarlierRequest;
  readonly turnId: number | null;
  readonly isEdited: boolean;
}

export interface IFindings {
  /** The number of problems of an answer's code; missing if the kernel couldn't check it. */
  readonly problems: ReadonlyMap<number, number>;
  readonly runs: ReadonlyMap<number, IRunResult>;
}

/**
 * Return the rows for the branch of the repeated turn at `position`; none if the step is no such
 * turn.
 */
export function storedRows(
  steps: readonly Step[],
  position: number
): IAgainRow[] {
  const chain: number[] = [];
  const isInBranch = (index: number | null): index is number =>
    index !== null && steps[index]?.kind === 'turn' && isRepeated(steps[index]);
  let current: number | null = position;
  while (isInBranch(current)) {
    chain.unshift(current);
    current = parentOf({ ...steps[current], index: current });
  }
  const answered = chain.filter(index => isAnswered(steps[index]));
  for (let last = answered[answered.length - 1]; last !== undefined;) {
    const next = steps
      .map((_, index) => index)
      .filter(
        index =>
          isInBranch(index) &&
          isAnswered(steps[index]) &&
          parentOf({ ...steps[index], index }) === last &&
          steps[index].model === steps[last].model
      );
    answered.push(...next.slice(-1));
    last = next[next.length - 1];
  }
  const sources = new NewSources();
  return answered.flatMap(index => {
    const step = steps[index];
    const original = steps.findIndex(other =>
      isRequestOf(other, step.repeatsTurnId ?? null)
    );
    if (original < 0) {
      return [];
    }
    const request = requestAt(steps, original);
    const { isEdited } = sources.sourceOf(request);
    sources.add(request, step.outcome === 'done' ? null : step.code);
    return [{ request, turnId: step.turnId ?? null, isEdited }];
  });
}

/**
 * Return the figures of a row's original answer, with those of its further attempts. The run is its
 * last one.
 */
export function originalFigures(
  { request }: IAgainRow,
  steps: readonly IShownStep[],
  { problems }: IFindings
): IFigures {
  const { attempts, turnId } = request;
  const turnIds = attempts.map(attempt => attempt.turnId);
  const runs = steps.flatMap(step => {
    const isAnswer = step.kind === 'turn' || step.kind === 'accept';
    const run = isAnswer && turnIds.includes(step.turnId) && lastRunOf(step);
    return run ? [run] : [];
  });
  return {
    ...total(attempts.map(({ receipt }) => numbersOf(receipt))),
    problems: problems.get(turnId),
    run: recordedResult(runs[runs.length - 1])
  };
}

function recordedResult(run: Step | undefined): IRunResult | undefined {
  switch (run?.outcome) {
    case 'done':
      return { status: 'ok' };
    case 'error':
      return { status: 'error', error: /^\w*/.exec(run.error ?? '')![0] };
    default:
      return undefined;
  }
}

export function newFigures(
  { turnId }: IAgainRow,
  steps: readonly Step[],
  { problems, runs }: IFindings
): IFigures | null {
  const step = findTurn(steps, turnId);
  return turnId === null || !step
    ? null
    : {
        ...numbersOf(step.receipt),
        problems: problems.get(turnId),
        run: runs.get(turnId)
      };
}

export function findTurn(
  steps: readonly Step[],
  turnId: number | null
): Step | undefined {
  return steps.find(step => isRequestOf(step, turnId));
}

export function total(figures: readonly Numbers[]): IFigures {
  const sums: Partial<Record<keyof Numbers, number>> = {};
  const partial: (keyof Numbers)[] = [];
  for (const name of [...NUMBERS, 'problems'] as const) {
    const values = figures.flatMap(answer => answer[name] ?? []);
    if (values.length) {
      sums[name] = values.reduce((sum, value) => sum + value, 0);
      partial.push(...(values.length < figures.length ? [name] : []));
    }
  }
  return { ...sums, ...(partial.length && { partial }) };
}

function numbersOf(receipt: TurnReceipt | undefined): Numbers {
  return Object.fromEntries(
    NUMBERS.map(name => [name, receipt?.[name]])
  ) as Numbers;
}
