/**
 * The answers to the open request, of which the person accepts one.
 *
 * Invariant: all are answers to the cell's current code. If it changes, they change with it; those
 * that change the same lines are removed.
 */
import type { Interaction, ModelInfo, TurnReceipt } from '../../api/types';
import { mergeSources } from '../../diff/hunks';
import { normalizeLineBreaks } from '../../diff/lineBreaks';
import type { IAnswerOfStep } from '../../records/answers';
import type { IRequest } from './request';

const MAX_ANSWERS = 5;

export const NO_TURN = 0;

export interface ISuggestion {
  readonly turnId: number;
  readonly intent: string;
  readonly source: string;
  readonly explanation: string;
  readonly replacedCharacters?: readonly string[];
  readonly saveError: string | null;
  readonly model?: string | null;
  readonly mode?: string;
  readonly receipt?: TurnReceipt;
  /** The name of the agent that proposes it; empty if it has none, undefined for a model. */
  readonly agent?: string;
}

/** The shown code of a suggestion, after automatic corrections and the person's changes. */
export interface IShownCode {
  readonly code: string;
  /** The corrections that were made without a model, such as `prise → price`. */
  readonly corrections: readonly string[];
  /** The suggestion's code after these corrections, and after those that the person has chosen. */
  readonly correctedCode: string;
}

export interface IAnswer {
  readonly suggestion: ISuggestion;
  readonly request: IRequest | null;
  readonly model: ModelInfo | null;
  /** The code that was shown last; null for the suggestion as it is. */
  readonly shown: IShownCode | null;
}

export function toSuggestion(
  turn: Interaction,
  saveError: string | null
): ISuggestion {
  const { suggestion, explanation, replaced_characters } = turn.ai_response;
  type Numbers = Record<string, number | undefined>;
  const usage = (turn.usage ?? {}) as Numbers;
  const timing = (turn.timing ?? {}) as Numbers;
  return {
    turnId: turn.turn_id,
    intent: turn.user_request.intent,
    source: normalizeLineBreaks(suggestion),
    explanation: explanation ?? '',
    replacedCharacters: replaced_characters ?? undefined,
    saveError,
    model: turn.model,
    mode: turn.mode ?? undefined,
    receipt: {
      inputTokens: usage.input_tokens,
      cachedTokens: usage.cached_tokens,
      outputTokens: usage.output_tokens,
      firstTokenMs: timing.first_token,
      totalMs: timing.total,
      cost: turn.cost as number | undefined
    }
  };
}

export function fromAnswer(
  answer: IAnswerOfStep,
  intent: string,
  agent?: string
): ISuggestion {
  const { turnId = NO_TURN, code, explanation = '' } = answer;
  const { model, mode, receipt } = answer;
  return {
    ...{ turnId, intent, explanation, model, mode, receipt },
    source: normalizeLineBreaks(code),
    replacedCharacters: receipt?.replacedCharacters,
    saveError: null,
    agent
  };
}

/** Add an answer. An answer to another request replaces all, and so does one that wasn't saved. */
export function withAnswer(
  answers: readonly IAnswer[],
  answer: IAnswer,
  isChange = false
): IAnswer[] {
  const last = answers[answers.length - 1];
  const isAnother =
    isChange ||
    (answer.request?.isRetry && isSameRequest(last?.request, answer.request));
  // The turns of answers that weren't saved can have the same id.
  const areSaved = !answer.suggestion.saveError && !last?.suggestion.saveError;
  return last && isAnother && areSaved
    ? [...answers, answer].slice(-MAX_ANSWERS)
    : [answer];
}

function isSameRequest(a: IRequest | null | undefined, b: IRequest): boolean {
  return (
    a?.intent === b.intent &&
    a.source === b.source &&
    a.parentTurnId === b.parentTurnId
  );
}

/** Change the answers like the cell; remove those that change the same lines, but `exceptTurnId`. */
export function followCell(
  answers: readonly IAnswer[],
  base: string,
  source: string,
  exceptTurnId?: number
): IAnswer[] {
  return answers.flatMap(answer =>
    answer.suggestion.turnId === exceptTurnId
      ? answer
      : (withChange(answer, base, source) ?? [])
  );
}

/** Make the change from `base` to `source` in an answer; null if it changes the same lines. */
function withChange(
  answer: IAnswer,
  base: string,
  source: string
): IAnswer | null {
  const { suggestion, request, shown } = answer;
  const merge = (code: string) => mergeSources(base, code, source);
  const code = merge(shown?.code ?? suggestion.source);
  if (code === null) {
    return null;
  }
  const corrected = shown?.correctedCode ?? '';
  const correctedCode = corrected && (merge(corrected) ?? corrected);
  return {
    ...answer,
    // “Restore the original suggestion” and “Regenerate” must not remove the other change.
    suggestion: { ...suggestion, source: merge(suggestion.source) ?? code },
    request: request?.source === base ? { ...request, source } : request,
    shown: shown && { ...shown, code, correctedCode }
  };
}
