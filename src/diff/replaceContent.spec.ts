/** What stays of a text that is exchanged for another one. */
import { EditorView } from '@codemirror/view';

import { all, exchanged } from './replaceContent';

const LINES = Array.from({ length: 40 }, (_, i) => `line_${i} = ${i}`);

function exchange(before: string, after: string) {
  const view = new EditorView({ doc: before, extensions: all.of([]) });
  const [text] = exchanged(view, after, []);
  return { view, text };
}

it('stays where it is: CodeMirror scrolls to where the line on top has gone', () => {
  const after = LINES.map((line, i) =>
    i === 3 ? '改了 = 33\nmore = 3' : line
  );
  const { view, text } = exchange(LINES.join('\n'), after.join('\n'));
  const top = text.changes.mapPos(view.state.doc.line(30).from, -1);
  expect(text.newDoc.lineAt(top).text).toBe(LINES[29]);
  expect(text.newDoc.toString()).toBe(after.join('\n'));
});

it('is not touched where it is the same', () => {
  const { text } = exchange('a\n\nb', 'a\n\nb');
  expect(text.docChanged).toBe(false);
});

it('has the lines that an editor makes of it', () => {
  const { text } = exchange('a\nb\nc', 'a\r\nb\rc\r\n\rd');
  expect(text.newDoc.toString()).toBe('a\nb\nc\n\nd');
});
