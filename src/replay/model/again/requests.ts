/**
 * The requests that led to a version of a cell, and the code from which each of them starts when it
 * is asked again. Pure.
 *
 * Invariants:
 * - Requests that failed or were stopped are left out, since no version came from them.
 * - Further answers to a request, and corrections of its answer, aren't requests of the person: they
 *   are the request's attempts.
 * - If a person took an answer unchanged, the next request starts from the new answer. Otherwise, it
 *   starts from the code that the person had then.
 */
import type { LineRange, Step } from '../../../api/types';
import { baseCode, isCorrection } from '../../../labels/stepLabels';
import { selectedLines } from '../../../labels/requestTitle';
import { answersOf, type IAnswerOfStep } from '../../../records/answers';
import type { IShownStep } from '../../../records/fold';
import { parentOf } from '../cell/graph';

export interface IEarlierRequest {
  readonly turnId: number;
  readonly intent: string;
  readonly mode: string;
  readonly source: string;
  readonly selection: LineRange | null;
  /** The answers: the first one, further ones, and corrections by the model. */
  readonly attempts: readonly IAnswerOfStep[];
  /** The code of the accepted answer, or else of the last one; null if it is in words. */
  readonly code: string | null;
  readonly codes: readonly string[];
}

/** Return the requests on the path to the step at `position`, since the last new conversation. */
export function requestsTo(
  steps: readonly IShownStep[],
  position: number
): IEarlierRequest[] {
  const path: number[] = [];
  let current: number | null = position;
  while (current !== null && steps[current]?.kind !== 'context_reset') {
    const step: Step | undefined = steps[current];
    path.unshift(current);
    current = step ? parentOf({ ...step, index: current }) : null;
  }
  const attempted = new Set<number | undefined>();
  return path.flatMap(index => {
    const step = steps[index];
    if (!isRequest(step) || attempted.has(step.turnId)) {
      return [];
    }
    const request = requestAt(steps, index);
    request.attempts.forEach(({ turnId }) => attempted.add(turnId));
    return [request];
  });
}

export function requestAt(
  steps: readonly IShownStep[],
  index: number
): IEarlierRequest {
  const first = steps[index];
  const ownSteps = [first, ...stepsAfter(steps, index)];
  const attemptSteps = ownSteps.filter(({ kind }) => kind === 'turn');
  const attempts = attemptSteps.flatMap(ownAnswersOf).filter(isAnswered);
  const isAccepted = (attempt: Step) =>
    attempt.outcome === 'accepted' ||
    steps.some(
      ({ kind, turnId }) => kind === 'accept' && turnId === attempt.turnId
    );
  const coded = attemptSteps.filter(step => step.outcome !== 'done').reverse();
  const answer = coded.find(isAccepted) ?? coded[0];
  return {
    turnId: attempts[0]?.turnId ?? 0,
    intent: first.title,
    mode: first.mode ?? '',
    source: baseCode(first),
    selection: selectedLines(first.data),
    attempts,
    code: (answer?.parts?.[0] ?? answer)?.code ?? null,
    codes: ownSteps.flatMap(step =>
      step.kind === 'turn' ? codesOf(step) : correctedCodes(step)
    )
  };
}

/** Return the further attempts at a request, and its accepted answers, until another request. */
function stepsAfter(
  steps: readonly IShownStep[],
  index: number
): readonly IShownStep[] {
  const first = steps[index];
  if (isRepeated(first)) {
    return []; // A request that was asked again has no attempts of its own.
  }
  const later = steps.slice(index + 1);
  const isOther = (step: IShownStep) =>
    step.kind === 'context_reset' ||
    (isOwnTurn(step) && !isAttempt(step, first));
  const end = later.findIndex(isOther);
  return later
    .slice(0, end < 0 ? undefined : end)
    .filter(step => step.kind === 'accept' || isOwnTurn(step));
}

function isOwnTurn(step: Step): boolean {
  return step.kind === 'turn' && isAnswered(step) && !isRepeated(step);
}

export function isRepeated({ repeatsTurnId }: Step): boolean {
  return repeatsTurnId !== undefined;
}

export function isAnswered({ outcome }: Pick<Step, 'outcome'>): boolean {
  return outcome !== 'error' && outcome !== 'cancelled';
}

function isRequest(step: IShownStep | undefined): step is IShownStep {
  return (
    step?.kind === 'turn' &&
    step.turnId !== undefined &&
    isAnswered(step) &&
    step.mode !== 'repair' &&
    step.title.trim() !== ''
  );
}

/** Return whether a turn is another answer to a request, or corrects its answer. */
function isAttempt(step: Step, first: Step): boolean {
  const isSame =
    step.title === first.title && baseCode(step) === baseCode(first);
  return step.mode === 'repair' || isSame;
}

function codesOf(step: IShownStep): string[] {
  return [
    ...ownAnswersOf(step)
      .filter(answer => isAnswered(answer) && answer.outcome !== 'done')
      .map(({ code }) => code),
    ...correctedCodes(step)
  ];
}

function ownAnswersOf(step: IShownStep): readonly IAnswerOfStep[] {
  return answersOf(step.parts?.[0] ?? step);
}

function correctedCodes({ parts = [] }: IShownStep): string[] {
  return parts.filter(isCorrection).map(({ code }) => code);
}

/** Finds the code from which each request starts when all of them are asked again in their order. */
export class NewSources {
  sourceOf({ source }: IEarlierRequest): { source: string; isEdited: boolean } {
    const newSource = this._newBySource.get(source);
    return newSource === undefined
      ? { source, isEdited: this._newBySource.size > 0 }
      : { source: newSource, isEdited: false };
  }

  /** Add an answered request. `code` is the code of the new answer; null if it is in words. */
  add(request: IEarlierRequest, code: string | null): void {
    const { source } = this.sourceOf(request);
    this._newBySource.set(request.source, source);
    for (const old of request.codes) {
      this._newBySource.set(old, code ?? source);
    }
  }

  /** Maps each code of the original requests and answers to the code that takes its place. */
  private readonly _newBySource = new Map<string, string>();
}
