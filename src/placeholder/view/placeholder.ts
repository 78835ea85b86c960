/**
 * The placeholder, the text “Write code, or ask for it” in empty code cells.
 *
 * The extension is added to the editor of every cell, including Markdown cells and the cells of
 * consoles. The style sheet (`style/ask/modes.css`) shows the text only in a notebook's code cells.
 * So no code has to observe the cells' types, which can change.
 */
import type { Extension } from '@codemirror/state';
import { placeholder } from '@codemirror/view';

export interface IPlaceholderTexts {
  readonly text: string;
  /** The part of the text that is a link. */
  readonly link: string;
}

/**
 * Create an editor extension that shows the text while the editor is empty.
 *
 * The link is for the mouse only, since the keyboard has a shortcut. So the text is hidden from
 * screen readers, which find the button in the cell's toolbar.
 *
 * @param ask - Called when the link is clicked. The click has made its cell the active cell.
 */
export function askPlaceholder(
  texts: () => IPlaceholderTexts,
  ask: () => void
): Extension {
  return placeholder(() => {
    const { text, link } = texts();
    const node = document.createElement('span');
    node.className = 'jp-AIServer-Placeholder';
    node.setAttribute('aria-hidden', 'true');
    const linkNode = document.createElement('span');
    linkNode.className = 'jp-AIServer-Placeholder-link';
    linkNode.textContent = link;
    linkNode.addEventListener('click', ask);
    const [before, after] = text.split(link, 2);
    node.append(before, linkNode, after);
    return node;
  });
}
