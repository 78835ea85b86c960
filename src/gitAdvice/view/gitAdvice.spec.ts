import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';

import type { GitChoice } from '../../api/types';
import { askAboutGit } from './gitAdvice';

describe('askAboutGit', () => {
  const decided: GitChoice[] = [];
  let repository: string | null = '/work';

  const ask = async () => {
    await askAboutGit({
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

  it('asks once per repository, and decides nothing without a click', async () => {
    const [notification] = await ask();
    expect(notification.message).toContain('.aiserver_sessions');
    expect(notification.options.actions?.map(action => action.label)).toEqual([
      'Ignore in git',
      'Keep in git',
      'Not now'
    ]);
    Notification.manager.dismiss();
    expect(await ask()).toEqual([]);
    expect(decided).toEqual([]);
    repository = '/other';
    expect(await ask()).toHaveLength(1);
  });

  it('does not ask after a decision or without git', async () => {
    repository = null;
    expect(await ask()).toEqual([]);
    repository = '/work';
    expect(await ask()).toHaveLength(1);
  });

  it.each(['ignore', 'keep'] as const)(
    'decides on a click: %s',
    async choice => {
      const [notification] = await ask();
      const action =
        notification.options.actions?.[choice === 'ignore' ? 0 : 1];
      action?.callback(new MouseEvent('click'));
      await Promise.resolve();
      expect(decided).toEqual([choice]);
    }
  );
});
