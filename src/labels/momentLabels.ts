/** The titles and colours of a notebook's moments. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Moment } from '../api/types';
import { contributorTone } from './contributorLabels';
import { type DotKind, stepTitle } from './stepLabels';

/**
 * Return a moment's title, in one line. A step's title, such as "Moved", is shown where the cell is
 * known; a moment's title says "Moved a cell".
 */
export function momentTitle(moment: Moment, trans: TranslationBundle): string {
  switch (moment.kind) {
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
      return orderTitle(trans);
    case 'other':
      return moment.title.trim() || trans.__('Other change');
    default:
      return stepTitle(moment, trans);
  }
}

/** Return the title of a moment that changed the order of cells. */
export function orderTitle(trans: TranslationBundle): string {
  return trans.__('Added, removed or moved cells');
}

/** Return the colour of a moment's dot. */
export function momentDot(moment: Moment): DotKind {
  return moment.outcome === 'error' ? 'bad' : contributorTone(moment);
}
