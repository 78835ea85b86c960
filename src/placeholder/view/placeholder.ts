/**
 * The placeholder, the text “Write code, or press … to ask for it” in empty code cells.
 *
 * The extension is added to the editor of every cell, including Markdown cells and the cells of
 * consoles. The style sheet (`style/ask/modes.css`) shows the text only in a notebook's code cells.
 * So no code has to observe the cells' types, which can change.
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
