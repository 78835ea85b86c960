/** The button that exports the replay, and the menu of formats that opens below the button. */
import { downloadIcon, MenuSvg } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import React from 'react';

import { CommandIDs } from '../../tokens';
import { useReplay } from './context';
import { IconButton } from '../../ui/iconButton';

export function ExportButton(): React.JSX.Element | null {
  const { commands, trans } = useReplay();
  const [isOpen, setOpen] = React.useState(false);
  // Whether the menu was open when the pointer was pressed on the button. Any press outside the
  // menu closes it, and so does this press. The click that follows must not open the menu again.
  const wasOpen = React.useRef(false);
  if (!commands.isEnabled(CommandIDs.exportReplay)) {
    return null;
  }
  return (
    <IconButton
      icon={downloadIcon}
      label={trans.__('Export replay')}
      className="jp-AIServer-Replay-toggle"
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onPointerDown={() => {
        wasOpen.current = isOpen;
      }}
      onClick={event => {
        if (!wasOpen.current) {
          setOpen(true);
          openMenu(commands, event.currentTarget, () => setOpen(false));
        }
        wasOpen.current = false;
      }}
    />
  );
}

/** Open the menu below `button`. When the menu closes, the button gets the focus. */
function openMenu(
  commands: CommandRegistry,
  button: HTMLElement,
  onClosed: () => void
): void {
  const menu = new MenuSvg({ commands });
  for (const format of ['html', 'md', 'ipynb']) {
    const args = { format, isMenu: true };
    menu.addItem({ command: CommandIDs.exportReplay, args });
  }
  menu.addItem({ type: 'separator' });
  menu.addItem({ command: CommandIDs.exportUsage, args: { isMenu: true } });
  menu.contentNode.setAttribute('aria-label', button.title);
  menu.aboutToClose.connect(() => {
    button.focus();
    // After this signal, the chosen command runs, or the button handles the press that closed the
    // menu. Wait until this has happened.
    window.setTimeout(() => {
      menu.dispose();
      onClosed();
    });
  });
  const { left, bottom } = button.getBoundingClientRect();
  menu.open(left, bottom);
  menu.activeIndex = 0;
}
