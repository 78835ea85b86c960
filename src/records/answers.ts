/** The answers to a request. They are one step, which shows one of them. */
import type { Step } from '../api/types';

/** One of the answers to a request. */
export type IAnswerOfStep = Pick<
  Step,
  'turnId' | 'code' | 'outcome' | 'model' | 'mode' | 'explanation' | 'receipt'
>;

/** Return all answers to the request of a step that is a turn, oldest first. */
export function answersOf(step: Step): readonly IAnswerOfStep[] {
  return step.attempts ?? [step];
}

/** Return the ids of the turns of a request's step, oldest first. */
export function turnIdsOf(step: Step): number[] {
  return answersOf(step).map(({ turnId = 0 }) => turnId);
}

/** Return whether the step is the request that a turn answered. */
export function isRequestOf(step: Step, turnId: number | null): boolean {
  const isTurn = step.kind === 'turn' && turnId !== null;
  return isTurn && turnIdsOf(step).includes(turnId);
}
