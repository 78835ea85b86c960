/**
 * The question what git does with the histories, once in each repository.
 *
 * - It is asked when the first history is written, never before; nothing is written into the
 *   repository without a click.
 * - It is never asked twice in one browser, whether it was answered or not.
 */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { GitChoice } from '../../api/types';
import { toFailure } from '../../state/failure';
import { failureText } from '../../labels/failureText';

const ASKED = 'aiserver:git-advice:';

export interface IGitAdvice {
  /** The repository in which nothing is decided, or null. */
  repository(): Promise<string | null>;
  decide(choice: GitChoice): Promise<void>;
  storage: Pick<Storage, 'getItem' | 'setItem'>;
  trans: TranslationBundle;
}

/** Ask, if there is anything to ask. */
export async function adviseOnGit(options: IGitAdvice): Promise<void> {
  const { storage, trans } = options;
  const repository = await options.repository();
  if (repository === null || storage.getItem(ASKED + repository)) {
    return;
  }
  storage.setItem(ASKED + repository, 'true');
  const choose = async (choice: GitChoice, done: string) => {
    try {
      await options.decide(choice);
      Notification.success(done, { autoClose: 5000 });
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
