/** Functions that render Markdown, which `aiserver/sharing/markdown.py` has already parsed. */
import type { MarkdownNode } from '../model/data';
import { el } from './dom';

/** The tags that become HTML elements of the same name. Other tags, except `h`, become `span`. */
const TAGS = [
  ...(['p', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'em'] as const),
  ...(['strong', 's', 'hr', 'br'] as const),
  ...(['table', 'thead', 'tbody', 'tr', 'th', 'td'] as const)
];

export function markdownBlock(nodes: readonly MarkdownNode[]): HTMLElement {
  return el('div.markdown', nodes.map(render));
}

function render(node: MarkdownNode): Node | string {
  if (typeof node === 'string') {
    return node;
  }
  // A number may follow the tag: the level of a heading (`h:2`), or the number of the first item of
  // a list (`ol:5`).
  const [tag, number] = node[0].split(':');
  const children = (node.slice(1) as MarkdownNode[]).map(render);
  if (tag === 'h') {
    // Don't create a heading element, because it would look like a heading of the page itself.
    return el('p', { class: `heading level-${Number(number)}` }, children);
  }
  const name = TAGS.find(allowed => allowed === tag) ?? 'span';
  const start = tag === 'ol' && number ? Number(number) : null;
  return el(name, { start }, children);
}
