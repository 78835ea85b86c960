/** Announces cells that vanished, and lets the person bring them back. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { isReadOnly } from '../../../cells/readOnly';
import { contributorName } from '../../../labels/contributorLabels';
import { removeChineseSpaces } from '../../../labels/serverText';
import { FILE_ON_DISK } from '../../../records/contributor';
import { CommandIDs } from '../../../tokens';
import type { ILoss } from '../model/lossDetector';
import { bringBack } from '../model/losses';

/**
 * Announce a loss until the person decides, and return a function that removes the announcement.
 * `settle` is called with true if the cells needn't come back.
 */
export function announceLoss(
  loss: ILoss,
  settle: (isAccepted: boolean) => void,
  { commands, shell }: JupyterFrontEnd,
  trans: TranslationBundle
): () => void {
  const { panel, cells, before, time } = loss;
  const restore = {
    label: trans.__('Bring all back'),
    displayType: 'accent' as const,
    callback: () => {
      bringBack(panel, cells, before);
      settle(false);
    }
  };
  const show = {
    label: trans.__('Show'),
    caption: trans.__('Show the notebook before they disappeared'),
    callback: (event: Event) => {
      event.preventDefault(); // so that the notification stays
      shell.activateById(panel.id);
      const args = { tab: 'notebook', time: time.toISOString() };
      void commands.execute(CommandIDs.showReplay, args);
    }
  };
  const id = Notification.warning(lossText(loss, trans), {
    autoClose: false,
    actions: [
      ...(isReadOnly(panel) ? [] : [restore]),
      ...(commands.hasCommand(CommandIDs.showReplay) ? [show] : []),
      { label: trans.__('Ignore'), callback: () => settle(true) }
    ]
  });
  const dismiss = () => Notification.dismiss(id);
  panel.disposed.connect(dismiss);
  return dismiss;
}

/** Return the sentence: “5 cells have disappeared from a.ipynb: they were removed in its file.” */
function lossText(
  { panel, cells, contributor: { kind, name } }: ILoss,
  trans: TranslationBundle
): string {
  const file = PathExt.basename(panel.context.path);
  if (name === FILE_ON_DISK) {
    return trans._n(
      '%1 cell has disappeared from %2: it was removed in its file.',
      '%1 cells have disappeared from %2: they were removed in its file.',
      ...([cells.size, file] as const)
    );
  }
  const author = kind === 'unknown' ? 'program' : kind;
  const text = trans._n(
    '%1 cell has disappeared from %2: removed by %3.',
    '%1 cells have disappeared from %2: removed by %3.',
    ...([cells.size, file] as const),
    contributorName({ author, name: name ?? undefined }, trans)
  );
  return removeChineseSpaces(text);
}
