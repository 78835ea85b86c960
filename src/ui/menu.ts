/** Opens a menu that is used once, and returns the focus. */
import type { Menu } from '@lumino/widgets';

/**
 * Open a menu at a position in the window. When the menu closes, `previousFocus` gets the focus
 * back, unless the chosen command gave it to another element, such as a dialog; then the menu is
 * disposed of.
 */
export function openMenu(
  menu: Menu,
  { x, y }: { x: number; y: number },
  previousFocus: Element | null = document.activeElement
): void {
  menu.aboutToClose.connect(() => {
    // In the next frame, because the chosen command runs after this signal.
    requestAnimationFrame(() => {
      const { activeElement } = document;
      const isFree = !activeElement || activeElement === document.body;
      if (isFree && previousFocus instanceof HTMLElement) {
        previousFocus.focus();
      }
      menu.dispose();
    });
  });
  menu.open(x, y);
}
