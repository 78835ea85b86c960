/**
 * Converts any thrown value into a failure with a code. `labels/failureText.ts` returns the
 * sentence that people read about the failure.
 *
 * Invariant: people see only AI Server's messages, never a message of a browser, proxy or parser.
 */
import { ApiError } from '../api/request';
import type { ErrorBody } from '../api/types';

/**
 * The failure of a request. Most codes come from the server. The page itself sets a few codes:
 * `not_sent`, `unknown` and others, such as `interrupted` if the stream ended before the answer. If
 * the page set the code, `message` may be empty.
 */
export type IFailure = ErrorBody & {
  /** The URL of the login page, if the code is `unauthenticated`. */
  readonly signIn?: string;
};

/** Thrown if a request is not sent because the notebook could not be prepared for it. */
export class NotSentError extends Error {}

/**
 * Convert a thrown value into a failure. `unknownCode` is the code of the failure if the value is
 * neither an `ApiError` nor a `NotSentError`.
 */
export function toFailure(reason: unknown, unknownCode = 'unknown'): IFailure {
  if (reason instanceof ApiError) {
    const { code, message } = reason;
    return { ...reason.body, code, message };
  }
  if (reason instanceof NotSentError) {
    return { code: 'not_sent', message: reason.message };
  }
  return { code: unknownCode, message: '' };
}

/** Return whether the model or its provider failed. If so, another model may still answer. */
export function isModelFailure({ code, provider }: IFailure): boolean {
  return (
    provider !== undefined ||
    /^(no_model|model_|prompt_too_long|bad_answer|answer_)/.test(code)
  );
}

/** Return whether the connection, or the model's answer, broke off in the middle. */
export function isInterrupted({ code }: IFailure): boolean {
  return code === 'interrupted' || code === 'answer_broken_off';
}

/** Return whether the model answered, but its answer is empty, repeats itself or was cut off. */
export function isUnusableAnswer({ code }: IFailure): boolean {
  return code === 'bad_answer' || code === 'answer_cut';
}

/**
 * Return whether the same request may succeed later: the server is unreachable, the person must
 * sign in, or the server has failed (for example, because its disk is full). An error without an
 * HTTP status counts as an unreachable server.
 */
export function isTransient(reason: unknown): boolean {
  const { status = 0, code } = reason as Partial<ApiError>;
  return status === 0 || status >= 500 || code === 'unauthenticated';
}

/**
 * Return whether all requests fail at present: the server is unreachable, or the person must sign
 * in. An error without an HTTP status counts as an unreachable server.
 */
export function isUnreachable(reason: unknown): boolean {
  const { status = 0, code } = reason as Partial<ApiError>;
  return status === 0 || code === 'unauthenticated';
}
