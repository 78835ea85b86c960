/** The texts that a person is editing or deciding about, by the keys of their rows. */
import type { IFailure } from '../../state/failure';

export interface IDraft {
  /** The typed text; null if the text isn't being edited. */
  readonly text: string | null;
  /** Whether a request about the text is running. */
  readonly isSending: boolean;
  /** The reason why the last request failed; null if none did. */
  readonly failure: IFailure | null;
  /** A newer text that somebody else has stored while the person was typing; null if none. */
  readonly newerText: string | null;
  /** Whether the entry was forgotten while the person was typing, so that saving adds it again. */
  readonly isForgotten: boolean;
}

export const NO_DRAFT: IDraft = {
  text: null,
  isSending: false,
  failure: null,
  newerText: null,
  isForgotten: false
};
