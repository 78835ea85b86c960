/** Texts that say how many lines of a cell or notebook each kind of contributor wrote. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Report } from '../api/types';

export type Shares = Omit<Report['total'], 'turns'>;

/** In the order in which the shares are shown. */
export const SHARE_AUTHORS = {
  byModel: 'model',
  byPerson: 'person',
  byAgent: 'agent',
  byProgram: 'program',
  byUnknown: 'unknown',
  existing: 'existing'
} as const;
export type ShareKind = keyof typeof SHARE_AUTHORS;
export const SHARE_KINDS = Object.keys(SHARE_AUTHORS) as ShareKind[];

/** A share is a percentage or a number of lines: "38% by AI". */
export function shareText(
  kind: ShareKind,
  share: string | number,
  trans: TranslationBundle
): string {
  const texts: Record<ShareKind, string> = {
    byModel: trans.__('%1 by AI', share),
    byPerson: trans.__('%1 by hand', share),
    byAgent: trans.__('%1 by agents', share),
    byProgram: trans.__('%1 by programs', share),
    byUnknown: trans.__('%1 of unknown origin', share),
    existing: trans.__('%1 existing', share)
  };
  return texts[kind];
}

/** The names with the most lines first. */
export function namesByLineCount(counts: Record<string, number>): string[] {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
}
