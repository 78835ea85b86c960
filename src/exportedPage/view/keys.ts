/** The dialog that lists the keyboard shortcuts. */
import type { TranslationBundle } from '@jupyterlab/translation';

import { button, el } from './dom';

export function createKeysDialog(trans: TranslationBundle): HTMLDialogElement {
  const title = trans.__('Keyboard shortcuts');
  const keys: [string, string][] = [
    ['← →', trans.__('previous or next change')],
    ['Shift ← →', trans.__('previous or next step of the cell')],
    ['Home End', trans.__('first or last change')],
    [trans.__('Space'), trans.__('play or pause')],
    ['B', trans.__('show authorship')],
    ['1 2 3', trans.__('switch views')],
    ['?', trans.__('show this list')]
  ];
  const dialog: HTMLDialogElement = el(
    'dialog',
    { 'aria-label': title },
    el('h2', title),
    el(
      'dl',
      keys.map(([key, action]) => [el('dt', el('kbd', key)), el('dd', action)])
    ),
    button(trans.__('Close'), () => dialog.close())
  );
  return dialog;
}
