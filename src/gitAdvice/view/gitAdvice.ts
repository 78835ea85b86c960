/**
 * Asks once for each git repository whether git should ignore or track the histories, which are
 * stored in a folder of the repository.
 *
 * Invariants:
 * - The question appears when the first history is written, never before. Nothing is written into
 *   the repository without a click.
 * - A browser shows the question for a repository at most once, even if the person doesn't answer.
 */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { GitChoice } from '../../api/types';
import { toFailure } from '../../state/failure';
import { failureText } from '../../labels/failureText';

const STORAGE_PREFIX = 'aiserver:git-advice:';

/**
 * Ask about the repository, unless this browser has already shown the question. `repository` is
 * null if there is no repository, or if the choice was already made.
 */
export function askAboutGit(
  repository: string | null,
  decide: (choice: GitChoice) => Promise<void>,
  trans: TranslationBundle
): void {
  const { localStorage } = window;
  if (
    repository === null ||
    localStorage.getItem(STORAGE_PREFIX + repository)
  ) {
    return;
  }
  localStorage.setItem(STORAGE_PREFIX + repository, 'true');
  const choose = async (choice: GitChoice, confirmation: string) => {
    try {
      await decide(choice);
      Notification.success(confirmation, { autoClose: 5000 });
    } catch (reason) {
      const text = failureText(toFailure(reason), trans);
      Notification.error(text, { autoClose: 8000 });
    }
  };
  Notification.info(
    trans.__(
      'AI Server keeps its histories in this git repository, in .aiserver_sessions. Should git ignore them, or keep them with your code?'
    ),
    {
      autoClose: false,
      actions: [
        {
          label: trans.__('Ignore in git'),
          caption: trans.__('Add .aiserver_sessions to .gitignore'),
          callback: () =>
            void choose(
              'ignore',
              trans.__('.gitignore now lists .aiserver_sessions.')
            )
        },
        {
          label: trans.__('Keep in git'),
          caption: trans.__(
            'Commit them with your code; git merges those of branches'
          ),
          callback: () =>
            void choose(
              'keep',
              trans.__(
                'git merges histories from now on. Commit .gitattributes and .aiserver_sessions.'
              )
            )
        },
        { label: trans.__('Not now'), callback: () => undefined }
      ]
    }
  );
}
