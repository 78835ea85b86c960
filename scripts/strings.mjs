/**
 * Print what the interface says, as JSON: {"messages": […], "bare": […]}.
 *
 * A message is a call of JupyterLab's TranslationBundle in src: {context, id, plural, at, comments},
 * where comments are those above it that begin with "Translators:". Bare is whatever no translator
 * ever sees: words between tags or in an attribute that people read, and calls whose text is not
 * written out where they are.
 *
 * What must hold: the TypeScript compiler reads the sources, so nothing that is a call is missed
 * and nothing that only looks like one is taken.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** How many texts come first, and whether the first of them is the context. */
const CALLS = {
  __: { texts: 1 },
  gettext: { texts: 1 },
  _n: { texts: 2 },
  ngettext: { texts: 2 },
  _p: { texts: 2, inContext: true },
  pgettext: { texts: 2, inContext: true },
  _np: { texts: 3, inContext: true },
  npgettext: { texts: 3, inContext: true }
};

/** Attributes that a person sees or hears. */
const READ = new Set([
  'alt',
  'aria-description',
  'aria-label',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
  'label',
  'placeholder',
  'title'
]);

/** The properties of a DOM node that a person reads, where they are set by hand. */
const SHOWN = new Set([
  'ariaLabel',
  'caption',
  'innerText',
  'placeholder',
  'textContent',
  'title'
]);

const messages = [];
const bare = [];

for (const file of sources(path.join(ROOT, 'src')).sort()) {
  const text = readFileSync(file, 'utf8');
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const tree = ts.createSourceFile(
    file,
    text,
    ts.ScriptTarget.Latest,
    true,
    kind
  );
  visit(tree, {
    tree,
    text,
    name: path.relative(ROOT, file).replaceAll('\\', '/')
  });
}
process.stdout.write(JSON.stringify({ messages, bare }, null, 1) + '\n');

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      return sources(file);
    }
    return /\.tsx?$/.test(file) && !/\.(spec|fakes|d)\.tsx?$/.test(file)
      ? [file]
      : [];
  });
}

function visit(node, source) {
  if (ts.isCallExpression(node)) {
    call(node, source);
  } else if (ts.isJsxText(node)) {
    words(node.text, node, source);
  } else if (ts.isJsxAttribute(node)) {
    attribute(node, source);
  } else if (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
    ts.isPropertyAccessExpression(node.left) &&
    SHOWN.has(node.left.name.text)
  ) {
    shown(node.right, source);
  }
  ts.forEachChild(node, child => visit(child, source));
}

function call(node, source) {
  const callee = node.expression;
  if (!ts.isPropertyAccessExpression(callee)) {
    return;
  }
  const name = callee.name.text;
  if (name === 'setAttribute') {
    const [of, value] = node.arguments;
    if (of && value && READ.has(written(of))) {
      shown(value, source);
    }
    return;
  }
  const shape = Object.hasOwn(CALLS, name) ? CALLS[name] : null;
  if (!shape || !/trans/i.test(callee.expression.getText())) {
    return;
  }
  const texts = node.arguments.slice(0, shape.texts).map(written);
  if (texts.length < shape.texts || texts.includes(null)) {
    // By its full name a text of the server is looked up (src/labels/serverText.ts).
    if (name === 'gettext') {
      return;
    }
    bare.push(`${at(node, source)}: ${node.getText()}`);
    return;
  }
  const context = shape.inContext ? texts.shift() : null;
  const [id, plural = null] = texts;
  const comments = commentsAbove(node, source);
  messages.push({ context, id, plural, at: at(node, source), comments });
}

function attribute(node, source) {
  if (!READ.has(node.name.getText()) || !node.initializer) {
    return;
  }
  const value = ts.isJsxExpression(node.initializer)
    ? node.initializer.expression
    : node.initializer;
  if (value) {
    shown(value, source);
  }
}

/** Whether the value is written out, whole or on some way. */
function shown(value, source) {
  if (ts.isConditionalExpression(value)) {
    shown(value.whenTrue, source);
    shown(value.whenFalse, source);
  } else if (ts.isTemplateExpression(value)) {
    const parts = [
      value.head,
      ...value.templateSpans.map(span => span.literal)
    ];
    words(parts.map(part => part.text).join(' '), value, source);
  } else {
    words(written(value) ?? '', value, source);
  }
}

function words(text, node, source) {
  if (/\p{L}{2}/u.test(text) && !/^https?:\S+$/.test(text)) {
    bare.push(`${at(node, source)}: ${text.trim()}`);
  }
}

/** A text that is written out, also in pieces; else null. */
function written(node) {
  if (ts.isStringLiteralLike(node)) {
    return node.text;
  }
  if (ts.isParenthesizedExpression(node)) {
    return written(node.expression);
  }
  if (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.PlusToken
  ) {
    const [left, right] = [written(node.left), written(node.right)];
    return left === null || right === null ? null : left + right;
  }
  return null;
}

function at(node, { tree, name }) {
  const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
  return `${name}:${line + 1}`;
}

function commentsAbove(node, { text }) {
  // The comment stands above the statement, or right above the call inside it.
  const found = [];
  for (
    let up = node;
    up && !ts.isBlock(up) && !ts.isSourceFile(up);
    up = up.parent
  ) {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, up.pos) ?? []) {
      const said = /^(?:\/\/|\/\*+)\s*Translators:\s*([\s\S]*?)(?:\*\/)?$/.exec(
        text.slice(pos, end)
      );
      if (said && !found.includes(said[1].trim())) {
        found.push(said[1].trim());
      }
    }
  }
  return found;
}
