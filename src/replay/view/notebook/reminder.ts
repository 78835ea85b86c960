import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { roughDuration } from '../../../labels/formats';
import type { IReminder } from '../../model/notebook/briefingModel';
import { CommandIDs } from '../../../tokens';

const DAY_MS = 24 * 60 * 60_000;

export function showReminder(
  reminder: IReminder,
  { commands, shell }: JupyterFrontEnd,
  trans: TranslationBundle
): void {
  const settingEditor = 'settingeditor:open';
  Notification.info(reminderText(reminder, trans), {
    autoClose: 10_000,
    actions: [
      {
        label: trans.__('Show'),
        callback: () => {
          shell.activateById(reminder.panel.id);
          void commands.execute(CommandIDs.showLastTime);
        }
      },
      ...(commands.hasCommand(settingEditor)
        ? [
            {
              label: trans.__('Settings…'),
              caption: trans.__('Choose when to be reminded, or never'),
              callback: () =>
                void commands.execute(settingEditor, {
                  query: trans.__('AI Server: Replay')
                })
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
