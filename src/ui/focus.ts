/** Opens menus and copies texts, and returns the focus. */
import { Clipboard } from '@jupyterlab/apputils';
import type { Menu } from '@lumino/widgets';

/**
 * Open a menu. When it closes, `previousFocus` gets the focus, from which the chosen command may
 * move it; then the menu is disposed of, and `onClosed` is called.
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

/** JupyterLab selects something else for a moment, which may focus a cell's editor. */
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
 * Disable JupyterLab's shortcuts in a view, for both Lumino and the notebook's command mode, whose
 * selector matches the focused element itself.
 */
export function suppressShortcuts(node: HTMLElement): void {
  const suppress = (element: HTMLElement) =>
    (element.dataset.lmSuppressShortcuts = 'true');
  suppress(node);
  node.addEventListener('focusin', event =>
    suppress(event.target as HTMLElement)
  );
}
