/** Tests for replacing the content of an editor. */
import { EditorView } from '@codemirror/view';

import { contentExtensions, replaceContent } from './replaceContent';

const LINES = Array.from({ length: 40 }, (_, i) => `line_${i} = ${i}`);

function replace(before: string, after: string) {
  const view = new EditorView({
    doc: before,
    extensions: contentExtensions.of([])
  });
  const [text] = replaceContent(view, after, []);
  return { view, text };
}

it('keeps the position of unchanged lines, so that the editor stays scrolled to them', () => {
  const after = LINES.map((line, i) =>
    i === 3 ? '改了 = 33\nmore = 3' : line
  );
  const { view, text } = replace(LINES.join('\n'), after.join('\n'));
  const top = text.changes.mapPos(view.state.doc.line(30).from, -1);
  expect(text.newDoc.lineAt(top).text).toBe(LINES[29]);
  expect(text.newDoc.toString()).toBe(after.join('\n'));
});

it('changes nothing for an equal text', () => {
  const { text } = replace('a\n\nb', 'a\n\nb');
  expect(text.docChanged).toBe(false);
});

it('normalizes line breaks', () => {
  const { text } = replace('a\nb\nc', 'a\r\nb\rc\r\n\rd');
  expect(text.newDoc.toString()).toBe('a\nb\nc\n\nd');
});
