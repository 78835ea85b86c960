/**
 * Print the texts of the interface as JSON: {"messages": […], "untranslatable": […]}.
 *
 * A message is a text that the code in src passes to JupyterLab's TranslationBundle, as {context,
 * id, plural, at, comments}. `at` is the file and line of the call, and `comments` are the comments
 * above the call that begin with "Translators:".
 *
 * A text is untranslatable if it doesn't go through a TranslationBundle although people read it, or
 * if it is computed, so that it can't be put into a catalogue. Each is reported as a problem.
 *
 * Invariant: exactly the calls in the code are found, because the TypeScript compiler parses it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/**
 * The methods of a TranslationBundle: how many of the first arguments are texts, and whether the
 * first one is the context of the message.
 */
const METHODS = {
  __: { textCount: 1 },
  gettext: { textCount: 1 },
  _n: { textCount: 2 },
  ngettext: { textCount: 2 },
  _p: { textCount: 2, hasContext: true },
  pgettext: { textCount: 2, hasContext: true },
  _np: { textCount: 3, hasContext: true },
  npgettext: { textCount: 3, hasContext: true }
};

/** The attributes of elements whose values people see or hear. */
const READABLE_ATTRIBUTES = new Set([
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

/** The properties of objects, such as DOM nodes, whose values people see or hear. */
const READABLE_PROPERTIES = new Set([
  'ariaLabel',
  'caption',
  'innerText',
  'placeholder',
  'textContent',
  'title'
]);

const messages = [];
const untranslatable = [];

for (const file of sourceFiles(path.join(ROOT, 'src')).sort()) {
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
process.stdout.write(
  JSON.stringify({ messages, untranslatable }, null, 1) + '\n'
);

/** Return the source files in a folder and its subfolders, without tests. */
function sourceFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      return sourceFiles(file);
    }
    return /\.tsx?$/.test(file) && !/\.(spec|fakes|d)\.tsx?$/.test(file)
      ? [file]
      : [];
  });
}

/** Collect the texts in a node of the syntax tree and in the nodes below it. */
function visit(node, source) {
  if (ts.isCallExpression(node)) {
    visitCall(node, source);
  } else if (ts.isJsxText(node)) {
    reportIfText(node.text, node, source);
  } else if (ts.isJsxAttribute(node)) {
    visitAttribute(node, source);
  } else if (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
    ts.isPropertyAccessExpression(node.left) &&
    READABLE_PROPERTIES.has(node.left.name.text)
  ) {
    reportLiterals(node.right, source);
  }
  ts.forEachChild(node, child => visit(child, source));
}

/** Add the message of a call, or report the call if its text is computed. */
function visitCall(node, source) {
  const callee = node.expression;
  if (!ts.isPropertyAccessExpression(callee)) {
    return;
  }
  const name = callee.name.text;
  if (name === 'setAttribute') {
    const [attribute, value] = node.arguments;
    const isReadable =
      attribute && READABLE_ATTRIBUTES.has(literalText(attribute));
    if (isReadable && value) {
      reportLiterals(value, source);
    }
    return;
  }
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : null;
  // By convention, the names of TranslationBundles contain "trans".
  if (!method || !/trans/i.test(callee.expression.getText())) {
    return;
  }
  const texts = node.arguments.slice(0, method.textCount).map(literalText);
  if (texts.length < method.textCount || texts.includes(null)) {
    // `gettext` is called with computed texts only to translate those of the server
    // (src/labels/serverText.ts) and of the first-steps notebook. translations.py collects them.
    if (name === 'gettext') {
      return;
    }
    untranslatable.push(`${location(node, source)}: ${node.getText()}`);
    return;
  }
  const context = method.hasContext ? texts.shift() : null;
  const [id, plural = null] = texts;
  const comments = translatorComments(node, source);
  messages.push({ context, id, plural, at: location(node, source), comments });
}

function visitAttribute(node, source) {
  const name = node.name.getText();
  if (!READABLE_ATTRIBUTES.has(name) || !node.initializer) {
    return;
  }
  const value = ts.isJsxExpression(node.initializer)
    ? node.initializer.expression
    : node.initializer;
  if (value) {
    reportLiterals(value, source);
  }
}

/** Report the texts that are literals in an expression whose value people read. */
function reportLiterals(value, source) {
  if (ts.isConditionalExpression(value)) {
    reportLiterals(value.whenTrue, source);
    reportLiterals(value.whenFalse, source);
  } else if (ts.isTemplateExpression(value)) {
    const literals = [
      value.head,
      ...value.templateSpans.map(span => span.literal)
    ];
    const text = literals.map(literal => literal.text).join(' ');
    reportIfText(text, value, source);
  } else {
    reportIfText(literalText(value) ?? '', value, source);
  }
}

/** Report a text that isn't translated, unless it has no words or is a URL. */
function reportIfText(text, node, source) {
  if (/\p{L}{2}/u.test(text) && !/^https?:\S+$/.test(text)) {
    untranslatable.push(`${location(node, source)}: ${text.trim()}`);
  }
}

/**
 * Return the text of a string literal or of several that are added; null for another expression.
 */
function literalText(node) {
  if (ts.isStringLiteralLike(node)) {
    return node.text;
  }
  if (ts.isParenthesizedExpression(node)) {
    return literalText(node.expression);
  }
  if (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.PlusToken
  ) {
    const [left, right] = [literalText(node.left), literalText(node.right)];
    return left === null || right === null ? null : left + right;
  }
  return null;
}

/** Return the file and the line of a node. */
function location(node, { tree, name }) {
  const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
  return `${name}:${line + 1}`;
}

/** Return the comments for translators above a call, or above the statement with the call. */
function translatorComments(node, { text }) {
  const comments = [];
  for (
    let ancestor = node;
    ancestor && !ts.isBlock(ancestor) && !ts.isSourceFile(ancestor);
    ancestor = ancestor.parent
  ) {
    const ranges = ts.getLeadingCommentRanges(text, ancestor.pos) ?? [];
    for (const { pos, end } of ranges) {
      const match =
        /^(?:\/\/|\/\*+)\s*Translators:\s*([\s\S]*?)(?:\*\/)?$/.exec(
          text.slice(pos, end)
        );
      if (match && !comments.includes(match[1].trim())) {
        comments.push(match[1].trim());
      }
    }
  }
  return comments;
}
