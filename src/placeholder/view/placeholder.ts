/**
 * The text "Write code, or press … to ask for it" that empty code cells show.
 *
 * The extension is added to every inline editor, also in Markdown cells and in consoles. The style
 * sheet then hides the text everywhere but in a notebook's code cells, so that no code has to find
 * out and track what kind of cell each editor belongs to.
 */
import type { Extension } from '@codemirror/state';
import { placeholder } from '@codemirror/view';

/** Create an editor extension that shows the text while the editor is empty. */
export function askPlaceholder(text: () => string): Extension {
  return placeholder(() => {
    const node = document.createElement('span');
    node.className = 'jp-AIServer-Placeholder';
    node.setAttribute('aria-hidden', 'true');
    node.textContent = text();
    return node;
  });
}
