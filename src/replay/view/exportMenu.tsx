/** The export button, and the menu of formats below it. */
import { downloadIcon, MenuSvg } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import type { Menu } from '@lumino/widgets';
import React from 'react';

import { useReplay } from './context';
import { IconButton } from '../../ui/iconButton';

/** Open the menu below a button, and call `onClosed` when it is closed. */
export type OpenMenu = (button: HTMLElement, onClosed: () => void) => void;

export function ExportButton(props: { open: OpenMenu }): React.JSX.Element {
  const { trans } = useReplay();
  const [isOpen, setOpen] = React.useState(false);
  // A press outside an open menu closes it, including one on its own button.
  const wasOpen = React.useRef(false);
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
          props.open(event.currentTarget, () => setOpen(false));
        }
        wasOpen.current = false;
      }}
    />
  );
}

/** Open a menu below a button; closing it moves the focus back to the button. */
export function openMenu(
  commands: CommandRegistry,
  items: readonly Menu.IItemOptions[],
  ...[button, onClosed]: Parameters<OpenMenu>
): void {
  const menu = new MenuSvg({ commands });
  items.forEach(item => menu.addItem(item));
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
