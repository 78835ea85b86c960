/**
 * All answers to the open request. The person can ask for another one, also of another model, and
 * accept the best.
 *
 * Invariants:
 * - The answer with the turn of the store's `suggestion` is the shown one. Each other answer is
 *   stored with the code that was shown last, so edits aren't lost.
 * - All answers are answers to the cell's current code. If the code changes, the other answers
 *   change, too, or are removed if they change the same lines.
 */
import type { ModelInfo } from '../../../api/types';
import { mergeSources } from '../../../diff/hunks';
import type { IRequest } from '../requestBody';
import type { IGenerationState } from '../state';
import type { ISuggestion } from '../suggestion';

export const MAX_ANSWERS = 5;

/** The fields of the state that belong to one answer. */
type ShownState = Pick<
  IGenerationState,
  'code' | 'corrections' | 'correctedCode'
>;

/** One answer. `shown` is null until another answer is shown instead. */
export interface IAnswer {
  readonly suggestion: ISuggestion;
  readonly request: IRequest;
  /** The model that answered. */
  readonly model: ModelInfo | null;
  readonly shown: ShownState | null;
}

/** Return the fields of the state that belong to the shown answer. */
export function shownState({
  code,
  corrections,
  correctedCode
}: IGenerationState): ShownState {
  return { code, corrections, correctedCode };
}

/** Store what is shown of one of the answers. */
export function withShown(
  answers: readonly IAnswer[],
  turnId: number | undefined,
  shown: ShownState
): IAnswer[] {
  return answers.map(answer =>
    answer.suggestion.turnId === turnId ? { ...answer, shown } : answer
  );
}

/**
 * Add an answer. An answer to another request replaces all, and so does one that wasn't saved.
 * `isChange` means that the answer changes another one.
 */
export function withAnswer(
  answers: readonly IAnswer[],
  answer: IAnswer,
  isChange = false
): IAnswer[] {
  const last = answers[answers.length - 1];
  const isAnother =
    last &&
    (isChange ||
      (answer.request.isRetry &&
        isSameRequest(last.request, answer.request))) &&
    // The turns of answers that weren't saved can have the same id.
    !answer.suggestion.saveError &&
    !last.suggestion.saveError;
  return isAnother ? [...answers, answer].slice(-MAX_ANSWERS) : [answer];
}

function isSameRequest(a: IRequest, b: IRequest): boolean {
  return (
    a.intent === b.intent &&
    a.source === b.source &&
    a.parentTurnId === b.parentTurnId
  );
}

/**
 * Change the answers that aren't shown like the cell, whose code was `base` and now is `source`.
 * Answers that change the same lines are removed.
 */
export function followCell(
  answers: readonly IAnswer[],
  shownTurnId: number,
  base: string,
  source: string
): IAnswer[] {
  return answers.flatMap(answer => {
    const { suggestion, request, model, shown } = answer;
    if (suggestion.turnId === shownTurnId) {
      return [answer];
    }
    const code = mergeSources(base, shown?.code ?? suggestion.source, source);
    if (code === null) {
      return [];
    }
    const original = mergeSources(base, suggestion.source, source) ?? code;
    return [
      {
        suggestion: { ...suggestion, source: original },
        request: request.source === base ? { ...request, source } : request,
        model,
        shown: shown && { ...shown, code }
      }
    ];
  });
}
