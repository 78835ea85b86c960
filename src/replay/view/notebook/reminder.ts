import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { roughDuration } from '../../../labels/formats';
import type { IReminder } from '../../model/notebook/briefingModel';

const DAY_MS = 24 * 60 * 60_000;

/** @param actions - Called by the two buttons. */
export function showReminder(
  reminder: IReminder,
  actions: { show: () => void; openSettings: (() => void) | null },
  trans: TranslationBundle
): void {
  const { show, openSettings } = actions;
  Notification.info(reminderText(reminder, trans), {
    autoClose: 10_000,
    actions: [
      { label: trans.__('Show'), callback: show },
      ...(openSettings
        ? [
            {
              label: trans.__('Settings…'),
              caption: trans.__('Choose when to be reminded, or never'),
              callback: openSettings
            }
          ]
        : [])
    ]
  });
}

/** Return the sentence: “The last work on a.ipynb was 5 days ago: 3 requests, 1 not finished.” */
export function reminderText(
  { name, days, briefing }: Omit<IReminder, 'panel'>,
  trans: TranslationBundle
): string {
  const duration = roughDuration(days * DAY_MS, trans);
  const { requestCount = 0, unfinishedCount = 0 } = briefing ?? {};
  const requests = trans._n('%1 request', '%1 requests', requestCount);
  const unfinished = trans.__('%1 not finished', unfinishedCount);
  if (requestCount && unfinishedCount) {
    return trans.__(
      'The last work on %1 was %2 ago: %3, %4.',
      name,
      duration,
      requests,
      unfinished
    );
  }
  return requestCount || unfinishedCount
    ? trans.__(
        'The last work on %1 was %2 ago: %3.',
        name,
        duration,
        requestCount ? requests : unfinished
      )
    : trans.__('The last work on %1 was %2 ago.', name, duration);
}
