/** A button “⋯”, and the menu that opens below it. */
import { ellipsesIcon, MenuSvg } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import type { Menu } from '@lumino/widgets';
import React from 'react';

import { IconButton } from './iconButton';
import { openMenu } from './focus';

/** An entry that isn't a command of JupyterLab. Values that are no objects are left out. */
export type MenuEntry =
  | {
      label: string;
      /** If false, the entry is shown, but can't be chosen. */
      isEnabled?: boolean;
      run: () => void;
    }
  | false
  | null
  | undefined;

/** A line separates the groups of entries. */
export function createMenu(groups: readonly (readonly MenuEntry[])[]): Menu {
  const commands = new CommandRegistry();
  const menu = new MenuSvg({ commands });
  for (const group of groups) {
    menu.addItem({ type: 'separator' }); // The menu hides those at its ends.
    for (const entry of group) {
      if (entry) {
        const { label, isEnabled = true, run } = entry;
        const command = `${menu.items.length}`;
        commands.addCommand(command, {
          label,
          isEnabled: () => isEnabled,
          execute: run
        });
        menu.addItem({ command });
      }
    }
  }
  return menu;
}

export function MenuButton(props: {
  label: string;
  className?: string;
  createMenu: () => Menu;
}): React.JSX.Element {
  const { label, className } = props;
  const [isOpen, setOpen] = React.useState(false);
  // Whether the menu was open when the pointer was pressed on the button. Like any press outside the
  // menu, this closes it. The click that follows must not open it again.
  const wasOpen = React.useRef(false);
  return (
    <IconButton
      icon={ellipsesIcon}
      label={label}
      className={className}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onPointerDown={() => {
        wasOpen.current = isOpen;
      }}
      onClick={event => {
        if (!wasOpen.current) {
          setOpen(true);
          const menu = props.createMenu();
          openBelow(menu, event.currentTarget, () => setOpen(false));
        }
        wasOpen.current = false;
      }}
    />
  );
}

/** The button gets the focus when the menu closes. */
function openBelow(
  menu: Menu,
  button: HTMLElement,
  onClosed: () => void
): void {
  menu.contentNode.setAttribute('aria-label', button.title);
  const { left, bottom } = button.getBoundingClientRect();
  openMenu(menu, { x: left, y: bottom }, button, onClosed);
  menu.activeIndex = menu.items.findIndex(
    ({ type, isEnabled }) => type !== 'separator' && isEnabled
  );
}
