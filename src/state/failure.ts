/**
 * Converts any thrown value into a failure with a code, for which `labels/failureText.ts` has a
 * sentence.
 *
 * Invariant: people see only AI Server's messages, never one of a browser, proxy or parser.
 */
import { ApiError } from '../api/request';
import type { ErrorBody } from '../api/types';

/**
 * Most codes come from the server. The page sets a few: `not_sent`, `unknown` and others, such as
 * `interrupted` if the stream ended before the answer. Then `message` may be empty.
 */
export type IFailure = ErrorBody & {
  /** The URL of the login page, if the code is `unauthenticated`. */
  readonly signIn?: string;
};

/** Thrown if the notebook could not be prepared for a request. */
export class NotSentError extends Error {}

/** `unknownCode` is the code of a value that is neither an `ApiError` nor a `NotSentError`. */
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

/** Return whether the answer is empty, repeats itself or was cut off. */
export function isUnusableAnswer({ code }: IFailure): boolean {
  return code === 'bad_answer' || code === 'answer_cut';
}

/**
 * Return whether the same request may succeed later: the server is unreachable (the error then has
 * no HTTP status), the person must sign in, or the server has failed, for example because its disk
 * is full.
 */
export function isTransient(reason: unknown): boolean {
  const { status = 0, code } = reason as Partial<ApiError>;
  return status === 0 || status >= 500 || code === 'unauthenticated';
}

/**
 * Return whether all requests fail at present: the server is unreachable, or the person must sign
 * in.
 */
export function isUnreachable(reason: unknown): boolean {
  const { status = 0, code } = reason as Partial<ApiError>;
  return status === 0 || code === 'unauthenticated';
}
