/**
 * The placeholder "Write code, or press … to ask for it" of empty cells.
 *
 * It is added to every inline editor, and the style sheet shows it only in a notebook's code cells.
 * So no code has to track thousands of cells.
 */
import type { Extension } from '@codemirror/state';
import { placeholder } from '@codemirror/view';

/** Create an extension that shows a text while the editor is empty. */
export function askPlaceholder(text: () => string): Extension {
  return placeholder(() => {
    const node = document.createElement('span');
    node.className = 'jp-AIServer-Placeholder';
    node.setAttribute('aria-hidden', 'true');
    node.textContent = text();
    return node;
  });
}
