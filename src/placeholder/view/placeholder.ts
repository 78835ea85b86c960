/**
 * "Write code, or press … to ask for it", in cells without code.
 *
 * It is drawn in every inline editor; the style sheet shows it in a notebook's code cells
 * alone. So nothing has to follow the cells, which come and go by the thousand.
 */
import type { Extension } from '@codemirror/state';
import { placeholder } from '@codemirror/view';

/** An extension that shows a text while the editor is empty. */
export function askPlaceholder(text: () => string): Extension {
  return placeholder(() => {
    const node = document.createElement('span');
    node.className = 'jp-AIServer-Placeholder';
    node.setAttribute('aria-hidden', 'true');
    node.textContent = text();
    return node;
  });
}
