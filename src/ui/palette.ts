/**
 * Focuses what a command of the command palette has opened.
 *
 * After a command of its own, JupyterLab's palette activates the current notebook, which focuses the
 * active cell. So the command must focus its part of the page afterwards.
 */

/** Call `focus` now; if the palette runs a command at the moment, call it again afterwards. */
export function focusAfterPalette(focus: () => void): void {
  const isPalette = !!document.activeElement?.closest(
    '.jp-ModalCommandPalette, .lm-CommandPalette'
  );
  focus();
  if (isPalette) {
    // By then, the notebook has handled the message that activates it.
    window.setTimeout(focus);
  }
}
