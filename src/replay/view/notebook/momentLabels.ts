/** The labels of a notebook's moments. Text only. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Moment } from '../../../api/types';
import { contributorTone, editedBy } from '../../../labels/contributorLabels';
import type { DotKind, Tone } from '../stepLabels';

/** A moment's title, in one line. */
export function momentTitle(moment: Moment, trans: TranslationBundle): string {
  switch (moment.kind) {
    case 'turn':
      return moment.title.trim() || trans.__('Request without text');
    case 'start':
      return trans.__('Existing content');
    case 'edit':
      return editedBy(moment, trans);
    case 'accept':
      return trans.__('Accepted an answer');
    case 'run':
      return trans.__('Run');
    case 'restore':
      return trans.__('Restored an earlier version');
    case 'context_reset':
      return trans.__('New conversation');
    case 'split':
      return trans.__('Split a cell');
    case 'merge':
      return trans.__('Merged cells');
    case 'copy':
      return trans.__('Pasted a copy of a cell');
    case 'delete':
      return trans.__('Deleted a cell');
    case 'undelete':
      return trans.__('Restored a deleted cell');
    case 'type':
      return trans.__('Changed a cell’s type');
    case 'move':
      return trans.__('Moved a cell');
    case 'order':
      return trans.__('Added, removed or moved cells');
    default:
      return moment.title.trim() || trans.__('Other change');
  }
}

export function momentDot(moment: Moment): DotKind {
  if (moment.outcome === 'error') {
    return 'bad';
  }
  return contributorTone(moment);
}

/** A moment's outcome, for a chip; null if it has none. */
export function momentOutcome(
  moment: Moment,
  trans: TranslationBundle
): { text: string; tone: Tone } | null {
  switch (moment.outcome) {
    case 'accepted':
      return { text: trans.__('accepted'), tone: 'good' };
    case 'refined':
      return { text: trans.__('superseded'), tone: 'quiet' };
    case 'rejected':
      return { text: trans.__('rejected'), tone: 'quiet' };
    case 'error':
      return { text: trans.__('failed'), tone: 'bad' };
    case 'cancelled':
      return { text: trans.__('stopped'), tone: 'quiet' };
    case 'open':
      return { text: trans.__('not used'), tone: 'quiet' };
    default:
      return moment.kind === 'run'
        ? { text: trans.__('ran'), tone: 'good' }
        : null;
  }
}
