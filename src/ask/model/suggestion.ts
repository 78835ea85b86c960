/** A model's complete answer. */
import type { Interaction, TurnReceipt } from '../../api/types';
import { normalizeLineBreaks } from '../../diff/lineBreaks';
import type { IAnswerOfStep } from '../../records/answers';

/** The turn of a suggestion that no model made. */
export const NO_TURN = 0;

/** A complete answer that can be accepted. */
export interface ISuggestion {
  /** The id of the answer's turn, or `NO_TURN`. */
  readonly turnId: number;
  /** The text of the request. */
  readonly intent: string;
  readonly source: string;
  readonly explanation: string;
  /** The kinds of characters that the server replaced in the code, such as `quotes`. */
  readonly replacedCharacters?: readonly string[];
  /** The error code, such as `storage_full`, if the turn could not be saved; otherwise null. */
  readonly saveError: string | null;
  /** The model that answered, as `provider:name`. */
  readonly model?: string | null;
  /** The mode of the request, such as `explain`. */
  readonly mode?: string;
  /** The tokens, times and cost of the turn. */
  readonly receipt?: TurnReceipt;
}

export function toSuggestion(
  turn: Interaction,
  saveError: string | null
): ISuggestion {
  const { suggestion, explanation, replaced_characters } = turn.ai_response;
  return {
    turnId: turn.turn_id,
    intent: turn.user_request.intent,
    source: normalizeLineBreaks(suggestion),
    explanation: explanation ?? '',
    replacedCharacters: replaced_characters,
    saveError,
    model: turn.model,
    mode: turn.mode,
    receipt: receiptOf(turn)
  };
}

/** Return what a turn used. What isn't stored is left out. */
function receiptOf(turn: Interaction): TurnReceipt {
  type Numbers = Record<string, number | undefined>;
  const usage = (turn.usage ?? {}) as Numbers;
  const timing = (turn.timing ?? {}) as Numbers;
  return {
    inputTokens: usage.input_tokens,
    cachedTokens: usage.cached_tokens,
    outputTokens: usage.output_tokens,
    firstTokenMs: timing.first_token,
    totalMs: timing.total,
    cost: turn.cost as number | undefined
  };
}

/** Return the suggestion that a stored answer contains. */
export function fromAnswer(answer: IAnswerOfStep): Omit<ISuggestion, 'intent'> {
  return {
    turnId: answer.turnId ?? 0,
    source: normalizeLineBreaks(answer.code),
    explanation: answer.explanation ?? '',
    replacedCharacters: answer.receipt?.replacedCharacters,
    saveError: null,
    model: answer.model,
    mode: answer.mode,
    receipt: answer.receipt
  };
}
