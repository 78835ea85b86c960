/** Opens menus and copies texts, and returns the focus. */
import { Clipboard } from '@jupyterlab/apputils';
import type { Menu } from '@lumino/widgets';

/**
 * Open a menu at a position in the window. When the menu closes, `previousFocus` gets the focus
 * back, from which the chosen command may move it, for example to a dialog. Then the menu is
 * disposed of, and `onClosed` is called.
 */
export function openMenu(
  menu: Menu,
  { x, y }: { x: number; y: number },
  previousFocus: Element | null = document.activeElement,
  onClosed?: () => void
): void {
  const returnFocus = () => {
    if (previousFocus instanceof HTMLElement) {
      previousFocus.focus();
    }
  };
  menu.aboutToClose.connect(() => {
    returnFocus();
    // The chosen command runs after this signal, and a press that closed the menu is handled.
    requestAnimationFrame(() => {
      const { activeElement } = document;
      if (!activeElement || activeElement === document.body) {
        returnFocus();
      }
      menu.dispose();
      onClosed?.();
    });
  });
  menu.open(x, y);
}

/**
 * Copy a text to the clipboard. For this, JupyterLab selects something else for a moment. When the
 * text in a cell's editor is selected again, the editor gets the focus, and the next key would change
 * the cell.
 */
export function copyText(text: string): void {
  const { activeElement } = document;
  Clipboard.copyToSystem(text);
  if (
    activeElement instanceof HTMLElement &&
    document.activeElement !== activeElement
  ) {
    activeElement.focus();
  }
}

/**
 * Disable JupyterLab's shortcuts in a view. Lumino looks for the attribute on its way up from the
 * focused element, but the selector of the notebook's command mode already matches that element.
 */
export function suppressShortcuts(node: HTMLElement): void {
  const suppress = (element: HTMLElement) =>
    (element.dataset.lmSuppressShortcuts = 'true');
  suppress(node);
  node.addEventListener('focusin', event =>
    suppress(event.target as HTMLElement)
  );
}
