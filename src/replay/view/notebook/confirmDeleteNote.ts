import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

export async function confirmDeleteNote(
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans.__('Delete this note?'),
    body: trans.__(
      'Models no longer get it, and it isn’t made again unless you ask for it. Stored prompts that contain it are deleted; your requests and their answers stay.'
    ),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.warnButton({ label: trans.__('Delete') })
    ],
    defaultButton: 0
  });
  return button.accept;
}
