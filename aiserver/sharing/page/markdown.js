// Markdown, as the exporter took it apart: a list of texts and of [tag, child, …].

const MARKDOWN_TAGS = new Set(
  'p ul ol li blockquote pre code em strong s hr br table thead tbody tr th td'.split(' ')
);

/** The elements of a Markdown text. Other tags than those above are drawn as a span. */
function markdownBlock(nodes) {
  return el('div', { class: 'markdown' }, nodes.map(markdownNode));
}

function markdownNode(node) {
  if (!Array.isArray(node)) {
    return String(node);
  }
  const [tag, number] = String(node[0]).split(':');
  const children = node.slice(1).map(markdownNode);
  if (tag === 'h') {
    // No heading of the page itself, so it has no place among the page's.
    return el('p', { class: `heading level-${Number(number)}` }, children);
  }
  const name = MARKDOWN_TAGS.has(tag) ? tag : 'span';
  return el(name, tag === 'ol' && number ? { start: Number(number) } : null, children);
}
