/**
 * How failures become sentences' material: a fixed code, and what helps to mend it.
 *
 * What must hold: whatever was thrown, a person gets a sentence of ours, never the words of a
 * browser, a proxy or a parser.
 */
import { ApiError } from '../api/request';

/** What went wrong. `code` is the server's, or one of ours: `interrupted`, `not_sent`. */
export interface IFailure {
  readonly code: string;
  /** Empty where the client words it by its code. */
  readonly message: string;
  /** The command that mends it. */
  readonly install?: string;
  /** Seconds that the provider asks to wait. */
  readonly retryAfter?: number;
  /** With `generation_running`: the one that runs. */
  readonly generationId?: string;
  /** With `unauthenticated`: where to sign in. */
  readonly signIn?: string;
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
  // The body of the answer broke off: the browser's own words help nobody.
  return { code: 'interrupted', message: '' };
}

/** What of an error is for the person. */
export function failureOf(error: IFailure): IFailure {
  const { code, message, install, retryAfter, generationId, signIn } = error;
  return { code, message, install, retryAfter, generationId, signIn };
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
