import type { TranslationBundle } from '@jupyterlab/translation';

import type { Moment } from '../api/types';
import { contributorTone } from './contributorLabels';
import { type DotKind, stepTitle } from './stepLabels';
import { showDayAndClock } from './time';

/** Return a moment's title. It mentions the cell, unlike that of a step: "Moved a cell". */
export function momentTitle(
  moment: Moment,
  trans: TranslationBundle,
  now: Date,
  locale?: string
): string {
  if (moment.restoredTo !== undefined) {
    const time = showDayAndClock(moment.restoredTo, now, locale);
    return trans.__('Restored the notebook as of %1', time);
  }
  const titles: Partial<Record<Moment['kind'], string>> = {
    split: trans.__('Split a cell'),
    merge: trans.__('Merged cells'),
    copy: trans.__('Pasted a copy of a cell'),
    delete: trans.__('Deleted a cell'),
    undelete: trans.__('Restored a deleted cell'),
    type: trans.__('Changed a cell’s type'),
    move: trans.__('Moved a cell'),
    order: orderTitle(trans),
    other: moment.title.trim() || trans.__('Other change')
  };
  return titles[moment.kind] ?? stepTitle(moment, trans);
}

export function orderTitle(trans: TranslationBundle): string {
  return trans.__('Added, removed or moved cells');
}

export function momentDot(moment: Moment): DotKind {
  return moment.outcome === 'error' ? 'bad' : contributorTone(moment);
}
