import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

/** Ask whether the step at `index` may replace edits that no step contains. */
export async function confirmReplace(
  index: number,
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans.__('The cell has changed since its last step'),
    body: trans.__(
      'Restore step %1? The current code is saved in the history, and you can undo the restore.',
      index + 1
    ),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Restore') })
    ],
    defaultButton: 1
  });
  return button.accept;
}
