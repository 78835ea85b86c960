/** Texts for the share of the lines of a cell or notebook that each kind of contributor wrote. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Report } from '../api/types';

export type Shares = Omit<Report['total'], 'turns'>;

/** The kinds of shares, in the order in which they are shown. `existing`: from before recording. */
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
  switch (kind) {
    case 'byModel':
      return trans.__('%1 by AI', share);
    case 'byPerson':
      return trans.__('%1 by hand', share);
    case 'byAgent':
      return trans.__('%1 by agents', share);
    case 'byProgram':
      return trans.__('%1 by programs', share);
    case 'byUnknown':
      return trans.__('%1 of unknown origin', share);
    case 'existing':
      return trans.__('%1 existing', share);
  }
}

/** Return the names that `counts` maps to numbers of lines, the largest number first. */
export function byLines(counts: Record<string, number>): string[] {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
}
