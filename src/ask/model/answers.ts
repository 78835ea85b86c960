/**
 * The answers to the open request, of which the person accepts one.
 *
 * Invariant: all are answers to the cell's current code. When it changes, they change with it;
 * answers that change the same lines are removed.
 */
import type { Interaction, ModelInfo, TurnReceipt } from '../../api/types';
import { mergeSources } from '../../diff/hunks';
import { normalizeLineBreaks } from '../../diff/lineBreaks';
import type { IAnswerOfStep } from '../../records/answers';
import type { IRequest } from './request';

const MAX_ANSWERS = 5;

export const NO_TURN = 0;

/** Whether nobody asked for a suggestion here: an agent's proposal, or a conflict of an undo. */
export function isProposal(suggestion: ISuggestion | null): boolean {
  return suggestion?.agent !== undefined || suggestion?.mode === 'undo';
}

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
  /** The agent that proposes it; empty for one without a name, undefined for a model. */
  readonly agent?: string;
}

/** A suggestion's code after automatic corrections and the person's changes. */
export interface IShownCode {
  readonly code: string;
  /** Corrections without a model, such as `prise → price`. */
  readonly corrections: readonly string[];
  /** The suggestion's code after these corrections and those that the person has chosen. */
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

/** An answer to another request, or one that wasn't saved, replaces all. */
export function withAnswer(
  answers: readonly IAnswer[],
  answer: IAnswer,
  isChange = false
): IAnswer[] {
  const last = answers[answers.length - 1];
  const isAnother =
    isChange ||
    (answer.request?.isRetry && isSameRequest(last?.request, answer.request));
  // Answers that weren't saved can have the same turn id.
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

/** Make the cell's change in all answers but that of `exceptTurnId`. Remove those in conflict. */
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
