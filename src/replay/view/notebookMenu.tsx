/** The menu at the top of the sidebar: what concerns the whole cell or the whole notebook. */
import { MenuSvg } from '@jupyterlab/ui-components';
import React from 'react';

import { CommandIDs } from '../../tokens';
import { MenuButton } from '../../ui/menuButton';
import { useReplay } from './context';

export function NotebookMenu(): React.JSX.Element | null {
  const { commands, trans } = useReplay();
  const has = (command: string) => commands.hasCommand(command);
  if (!has(CommandIDs.blame) && !has(CommandIDs.exportReplay)) {
    return null;
  }
  return (
    <MenuButton
      label={trans.__('More about this notebook')}
      className="jp-AIServer-Replay-toggle"
      createMenu={() => {
        const menu = new MenuSvg({ commands });
        const args = { isMenu: true };
        for (const command of [CommandIDs.blame, CommandIDs.restoreClean]) {
          if (has(command)) {
            menu.addItem({ command, args });
          }
        }
        if (has(CommandIDs.exportReplay)) {
          menu.addItem({ type: 'separator' });
          for (const format of ['html', 'md', 'ipynb']) {
            const command = CommandIDs.exportReplay;
            menu.addItem({ command, args: { format } });
          }
          menu.addItem({ command: CommandIDs.exportUsage });
        }
        return menu;
      }}
    />
  );
}
