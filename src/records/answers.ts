/** The answers to a request. They are one step, which shows one of them. */
import type { Step } from '../api/types';

export type IAnswerOfStep = Pick<
  Step,
  'turnId' | 'code' | 'outcome' | 'model' | 'mode' | 'explanation' | 'receipt'
>;

/** Return all answers to the request of a turn's step, oldest first. */
export function answersOf(step: Step): readonly IAnswerOfStep[] {
  return step.attempts ?? [step];
}

export function turnIdsOf(step: Step): number[] {
  return answersOf(step).map(({ turnId = 0 }) => turnId);
}

export function isRequestOf(step: Step, turnId: number | null): boolean {
  const isTurn = step.kind === 'turn' && turnId !== null;
  return isTurn && turnIdsOf(step).includes(turnId);
}
