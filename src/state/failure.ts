/**
 * Converts anything that was thrown into a failure with one of a fixed set of codes. The views have
 * a message for each code.
 *
 * Invariant: people see only AI Server's messages, never a message of a browser, proxy or parser.
 */
import { ApiError } from '../api/request';
import type { ErrorBody } from '../api/types';

/**
 * A failed request. `code` comes from the server or is one of `interrupted` (the stream broke
 * off), `not_sent` and `unknown`. `message` is empty if the failure comes from the client.
 */
export type IFailure = ErrorBody & {
  /** With `unauthenticated`: the URL of the login page. */
  readonly signIn?: string;
};

/** The request was not sent because the notebook could not be prepared. */
export class NotSentError extends Error {}

/** @param unknownCode The code for everything that is neither an `ApiError` nor a known error. */
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

/** Whether the model failed, so that the same request may succeed with another model. */
export function isModelFailure({ code, provider }: IFailure): boolean {
  return (
    provider !== undefined ||
    /^(no_model|model_|prompt_too_long|bad_answer|answer_)/.test(code)
  );
}

/**
 * Whether the same request may succeed later: the server was unreachable, the person was signed
 * out, or the disk was full.
 */
export function isTransient(reason: unknown): boolean {
  const { status = 0, code } = reason as Partial<ApiError>;
  return status === 0 || status >= 500 || code === 'unauthenticated';
}

/** Whether all requests fail now: the server is unreachable, or the person must sign in. */
export function isUnreachable(reason: unknown): boolean {
  const { status = 0, code } = reason as Partial<ApiError>;
  return status === 0 || code === 'unauthenticated';
}
