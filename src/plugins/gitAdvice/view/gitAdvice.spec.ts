import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';

import type { GitChoice } from '../../../api/types';
import { askAboutGit } from './gitAdvice';

describe('askAboutGit', () => {
  const decided: GitChoice[] = [];

  const ask = (repository: string | null = '/work') => {
    const decide = async (choice: GitChoice) => void decided.push(choice);
    askAboutGit(repository, decide, nullTranslator.load('aiserver'));
    return Notification.manager.notifications;
  };

  beforeEach(() => {
    Notification.manager.dismiss();
    window.localStorage.clear();
    decided.length = 0;
  });

  it('asks once per repository, and decides nothing without a click', () => {
    const [notification] = ask();
    expect(notification.message).toContain('.aiserver_sessions');
    expect(notification.options.actions?.map(action => action.label)).toEqual([
      'Ignore in git',
      'Keep in git',
      'Not now'
    ]);
    Notification.manager.dismiss();
    expect(ask()).toEqual([]);
    expect(decided).toEqual([]);
    expect(ask('/other')).toHaveLength(1);
  });

  it('does not ask after a decision or without git', () => {
    expect(ask(null)).toEqual([]);
    expect(ask()).toHaveLength(1);
  });

  it.each(['ignore', 'keep'] as const)(
    'decides on a click: %s',
    async choice => {
      const [notification] = ask();
      const action =
        notification.options.actions?.[choice === 'ignore' ? 0 : 1];
      action?.callback(new MouseEvent('click'));
      await Promise.resolve();
      expect(decided).toEqual([choice]);
    }
  );
});
