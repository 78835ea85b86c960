/** The export button, and the menu of formats below it. */
import { downloadIcon, MenuSvg } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import React from 'react';

import { CommandIDs } from '../../tokens';
import { useReplay } from './context';
import { IconButton } from '../../ui/iconButton';

export function ExportButton(): React.JSX.Element | null {
  const { commands, trans } = useReplay();
  const [isOpen, setOpen] = React.useState(false);
  // A press outside an open menu closes it, including one on its own button.
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

/** Open the menu below a button; closing it moves the focus back to the button. */
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
  menu.contentNode.setAttribute('aria-label', button.title);
  menu.aboutToClose.connect(() => {
    button.focus();
    // The chosen command runs after this signal, and the closing press may be on the button.
    window.setTimeout(() => {
      menu.dispose();
      onClosed();
    });
  });
  const { left, bottom } = button.getBoundingClientRect();
  menu.open(left, bottom);
  menu.activeIndex = 0;
}
