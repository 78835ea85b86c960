import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';

import type { GitChoice } from '../../api/types';
import { adviseOnGit } from './gitAdvice';

describe('what git does with histories', () => {
  const decided: GitChoice[] = [];
  let repository: string | null = '/work';

  const advise = async () => {
    await adviseOnGit({
      repository: async () => repository,
      decide: async choice => void decided.push(choice),
      storage: window.localStorage,
      trans: nullTranslator.load('aiserver')
    });
    return Notification.manager.notifications;
  };

  beforeEach(() => {
    Notification.manager.dismiss();
    window.localStorage.clear();
    decided.length = 0;
    repository = '/work';
  });

  it('is asked once in a repository, and nothing is decided without a click', async () => {
    const [asked] = await advise();
    expect(asked.message).toContain('.aiserver_sessions');
    expect(asked.options.actions?.map(action => action.label)).toEqual([
      'Ignore in git',
      'Keep in git',
      'Not now'
    ]);
    Notification.manager.dismiss();
    expect(await advise()).toEqual([]);
    expect(decided).toEqual([]);
    repository = '/other';
    expect(await advise()).toHaveLength(1);
  });

  it('is not asked where it is decided, or without git', async () => {
    repository = null;
    expect(await advise()).toEqual([]);
    repository = '/work';
    expect(await advise()).toHaveLength(1);
  });

  it.each(['ignore', 'keep'] as const)(
    'is done by a click: %s',
    async choice => {
      const [asked] = await advise();
      const action = asked.options.actions?.[choice === 'ignore' ? 0 : 1];
      action?.callback(new MouseEvent('click'));
      await Promise.resolve();
      expect(decided).toEqual([choice]);
    }
  );
});
