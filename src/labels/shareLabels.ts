/**
 * Texts that say how many lines of a cell or notebook each kind of contributor wrote, as a number
 * or as a percentage.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Report } from '../api/types';

export type Shares = Omit<Report['total'], 'turns'>;

/**
 * The kinds of shares, in the order in which they are shown. `existing` is the share of the lines
 * that the notebook contained before its changes were recorded.
 */
export const SHARE_KINDS = [
  'byModel',
  'byPerson',
  'byAgent',
  'byProgram',
  'byUnknown',
  'existing'
] as const;
export type ShareKind = (typeof SHARE_KINDS)[number];

/** Describe a share, given as a percentage or a number of lines: "38% by AI". */
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

/** Return the names in `counts`, sorted by their numbers of lines, the largest number first. */
export function namesByLineCount(counts: Record<string, number>): string[] {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
}
