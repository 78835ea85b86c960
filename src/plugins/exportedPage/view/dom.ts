/**
 * Creates HTML elements.
 *
 * Invariant: texts become text nodes and are never parsed as HTML, because stored sessions may
 * contain anything.
 */

type Attributes = Readonly<
  Record<
    string,
    string | number | boolean | null | undefined | ((event: Event) => void)
  >
>;
export type Child =
  Node | string | number | false | null | undefined | readonly Child[];

/**
 * Create an element. `selector` is its tag and classes, such as `p.big`. A function listens to the event with the
 * attribute's name. Children without content are left out.
 */
export function el<K extends keyof HTMLElementTagNameMap>(
  selector: K | `${K}.${string}`,
  ...content: [Attributes, ...Child[]] | Child[]
): HTMLElementTagNameMap[K] {
  const [tag, ...classes] = selector.split('.');
  const node = document.createElement(tag) as HTMLElementTagNameMap[K];
  node.classList.add(...classes);
  const [first, ...following] = content;
  const [attributes, children] = isAttributes(first)
    ? [first, following]
    : [{}, content];
  for (const [name, value] of Object.entries<Attributes[string]>(attributes)) {
    if (typeof value === 'function') {
      node.addEventListener(name, value);
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? '' : String(value));
    }
  }
  replaceChildren(node, ...(children as Child[]));
  return node;
}

function isAttributes(value: Attributes | Child): value is Attributes {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Node)
  );
}

export function replaceChildren(node: Element, ...children: Child[]): void {
  const shown = (children as unknown[])
    .flat(Infinity)
    .filter(child => child || child === 0)
    .map(child => (child instanceof Node ? child : String(child)));
  node.replaceChildren(...shown);
}

export function button(
  content: Child,
  click: () => void,
  attributes: Attributes = {}
): HTMLButtonElement {
  return el('button', { type: 'button', click, ...attributes }, content);
}

export function chip(text: string, tone: string): HTMLElement {
  return el('span', { class: `chip ${tone}` }, text);
}

/** The SVG path of each icon. */
const ICONS = {
  first: 'M3 3h2v10H3zM13 3v10L6 8z',
  back: 'M12 3v10L4 8z',
  play: 'M4 2.5v11L13 8z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  forward: 'M4 3v10l8-5z',
  last: 'M11 3h2v10h-2zM3 3v10l7-5z'
};

/** Replace a button's content; `label` is its tooltip and accessible name. */
export function setIcon(
  button: HTMLElement,
  name: keyof typeof ICONS,
  label: string
): void {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  const path = document.createElementNS(namespace, 'path');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  button.replaceChildren(svg);
  button.title = label;
  button.setAttribute('aria-label', label);
}

export function iconButton(
  name: keyof typeof ICONS,
  label: string,
  click: () => void
): HTMLButtonElement {
  const node = button(null, click, { class: 'icon' });
  setIcon(node, name, label);
  return node;
}
