/**
 * How failures become sentences' material: a fixed code, and what helps to mend it.
 *
 * What must hold: whatever was thrown, a person gets a sentence of ours, never the words of a
 * browser, a proxy or a parser.
 */
import { ApiError } from '../api/request';
import type { ErrorBody } from '../api/types';

/**
 * What went wrong. `code` is the server's, or one of ours: `interrupted` (a stream broke off),
 * `not_sent`, `unknown`.
 */
export interface IFailure {
  readonly code: string;
  /** In the server's English; empty where the client alone words it. */
  readonly message: string;
  /** The command that mends it. */
  readonly install?: string;
  /** Seconds that the provider asks to wait. */
  readonly retryAfter?: number;
  /** With `generation_running`: the one that runs. */
  readonly generationId?: string;
  /** With `unauthenticated`: where to sign in. */
  readonly signIn?: string;
  /** Whose model it was, where that can be mended in the provider's form. */
  readonly provider?: ErrorBody['provider'];
}

/** The request did not leave: the notebook could not be made ready. */
export class NotSent extends Error {}

export function asFailure(reason: unknown): IFailure {
  if (reason instanceof ApiError) {
    const { code, message } = reason;
    return failureOf({ ...reason.body, code, message });
  }
  if (reason instanceof NotSent) {
    return { code: 'not_sent', message: reason.message };
  }
  return { code: 'unknown', message: '' };
}

/** What ended the reading of a stream: anything that is no answer means that it broke off. */
export function asCutOff(reason: unknown): IFailure {
  const failure = asFailure(reason);
  return failure.code === 'unknown'
    ? { code: 'interrupted', message: '' }
    : failure;
}

/** What of an error is for the person. */
export function failureOf(error: IFailure): IFailure {
  const { code, message, install, retryAfter, generationId, signIn, provider } =
    error;
  return {
    code,
    message,
    install,
    retryAfter,
    generationId,
    signIn,
    provider
  };
}

/** Whether it was the model that failed: with another one the same request may succeed. */
export function isOfModel({ code, provider }: IFailure): boolean {
  return (
    provider !== undefined ||
    /^(no_model|model_|prompt_too_long|bad_answer|answer_)/.test(code)
  );
}

/**
 * Whether the same request may succeed later without a change: the server or the network was
 * away, the person was signed out, or the disk was full.
 */
export function mayPass(reason: unknown): boolean {
  const { status = 0, code } = reason as Partial<ApiError>;
  return status === 0 || status >= 500 || code === 'unauthenticated';
}

/** Whether it is so for all requests: nobody answers, or the person must sign in. */
export function isAway(reason: unknown): boolean {
  const { status = 0, code } = reason as Partial<ApiError>;
  return status === 0 || code === 'unauthenticated';
}
