/**
 * Asks whether git should ignore or track the histories that AI Server stores in a repository.
 *
 * Invariants:
 * - The repository is changed only if the person clicks a button.
 * - A browser asks about a repository only once, even if the person doesn't answer.
 */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { GitChoice } from '../../../api/types';
import { toFailure } from '../../../state/failure';
import { failureText } from '../../../labels/failureText';

/**
 * The browser's local storage has one key for each repository about which this browser has asked:
 * this prefix, followed by `repository`.
 */
const STORAGE_PREFIX = 'aiserver:git-advice:';

/**
 * Show the question, unless this browser has already asked about the repository. `repository` is
 * null if there is nothing to ask. `decide` sends the person's choice to the server.
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
