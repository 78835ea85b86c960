/**
 * Focuses what a command of the palette has opened: afterwards, JupyterLab focuses the active cell.
 */

/** Call `focus` now; if the palette is running a command, call it again afterwards. */
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
