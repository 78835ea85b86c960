/** The dialog that says what forgetting an entry does. */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { MemoryEntry } from '../../api/types';
import { quotedText } from './memoryLabels';

/** Ask whether an entry is removed. Return whether the person agreed. */
export async function confirmForget(
  { scope, text }: MemoryEntry,
  trans: TranslationBundle
): Promise<boolean> {
  const consequence =
    scope === 'project'
      ? trans.__(
          'It is removed from the project’s MEMORY.md, for everyone who works on the project, and models no longer get it. Stored prompts that contain it are deleted; your requests and their answers stay.'
        )
      : trans.__(
          'It is removed from your MEMORY.md, and models no longer get it. Stored prompts that contain it are deleted; your requests and their answers stay.'
        );
  const { button } = await showDialog({
    title: trans.__('Forget this entry?'),
    body: `${quotedText(text, trans)} ${consequence}`,
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.warnButton({ label: trans.__('Forget') })
    ],
    defaultButton: 0
  });
  return button.accept;
}
