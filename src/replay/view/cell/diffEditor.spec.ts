/** A `DiffEditor` draws several diffs, one after the other. */
import { EditorLanguageRegistry } from '@jupyterlab/codemirror';
import { StyleModule } from 'style-mod';

import { DiffEditor, IDiffContent } from './diffEditor';

const LONG_LINES = Array.from({ length: 24 }, (_, i) => `line_${i} = ${i}`);
const withLine = (index: number, line: string) =>
  LONG_LINES.map((old, i) => (i === index ? line : old)).join('\n');

/** Typical steps: a first step, a change, no change, folded lines, line endings, Chinese text. */
const STEPS: readonly (readonly [before: string, code: string])[] = [
  ['', 'x = 1'],
  ['x = 1', 'x = 2\ny = 3'],
  ['x = 2\ny = 3', 'x = 2\ny = 3'],
  [LONG_LINES.join('\n'), withLine(16, '改了 = 1')],
  [withLine(16, '改了 = 1'), withLine(3, 'three = 3')],
  ['', LONG_LINES.join('\n')],
  ['a\n\nb', 'a\nb\n'],
  ['全部不同', 'nothing = "alike"'],
  ['x', ''],
  ['a\rb\r\nc', 'a\rb\r\nc\rd'],
  ['', 'a\rb']
];

const contents = (isSplit: boolean): IDiffContent[] =>
  STEPS.map(([before, code], step) => ({
    before,
    code,
    mimeType: 'text/x-python',
    isSplit,
    label: `Step ${step}`,
    labelBefore: 'Before'
  }));

function drawnHtml(...steps: IDiffContent[]): string {
  const host = document.createElement('div');
  document.body.append(host);
  const editor = new DiffEditor(
    host,
    new EditorLanguageRegistry(),
    '$ lines stayed'
  );
  steps.forEach(content => editor.show(content));
  // Without a layout, CodeMirror guesses the heights, and differently each time.
  const drawn = host.innerHTML.replace(/ style="[^"]*"/g, '');
  editor.dispose();
  host.remove();
  return drawn;
}

describe.each([
  ['in one column', false],
  ['side by side', true]
])('%s', (_, isSplit) => {
  it('draws each step as a new editor would', () => {
    const all = contents(isSplit);
    all.forEach((content, index) => {
      expect(drawnHtml(...all.slice(0, index + 1))).toBe(drawnHtml(content));
    });
    expect(drawnHtml(...contents(!isSplit), all[3])).toBe(drawnHtml(all[3]));
  });

  it('adds its styles to the page once, since new styles restyle all cells', () => {
    const host = document.createElement('div');
    document.body.append(host);
    const editor = new DiffEditor(
      host,
      new EditorLanguageRegistry(),
      '$ lines stayed'
    );
    // Leave out steps without a difference if the others are drawn side by side: these steps are
    // drawn in one column, by another kind of editor.
    const all = contents(isSplit).filter(
      ({ before, code }) => !isSplit || (before && before !== code)
    );
    editor.show(all[0]);
    const mount = jest.spyOn(StyleModule, 'mount');
    [...all, ...all].forEach(content => editor.show(content));
    const times = mount.mock.calls.length;
    mount.mockRestore();
    expect(times).toBe(0);
    editor.dispose();
    host.remove();
  });
});
