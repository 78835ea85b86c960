/** One editor that shows one difference after the other. */
import { StyleModule } from 'style-mod';

import { DiffEditor, IDiffContent } from './diffEditor';

const LONG = Array.from({ length: 24 }, (_, i) => `line_${i} = ${i}`);
const WITH = (at: number, line: string) =>
  LONG.map((old, i) => (i === at ? line : old)).join('\n');

/** What the steps of a cell may be: the first, a change, none, a fold, other ends, other words. */
const STEPS: readonly (readonly [before: string, code: string])[] = [
  ['', 'x = 1'],
  ['x = 1', 'x = 2\ny = 3'],
  ['x = 2\ny = 3', 'x = 2\ny = 3'],
  [LONG.join('\n'), WITH(16, '改了 = 1')],
  [WITH(16, '改了 = 1'), WITH(3, 'three = 3')],
  ['', LONG.join('\n')],
  ['a\n\nb', 'a\nb\n'],
  ['全部不同', 'nothing = "alike"'],
  ['x', ''],
  ['a\rb\r\nc', 'a\rb\r\nc\rd'],
  ['', 'a\rb']
];

const contents = (split: boolean): IDiffContent[] =>
  STEPS.map(([before, code], step) => ({
    before,
    code,
    mimeType: 'text/x-python',
    split,
    label: `Step ${step}`,
    labelBefore: 'Before',
    folded: '$ lines stayed'
  }));

function shown(...steps: IDiffContent[]): string {
  const host = document.createElement('div');
  document.body.append(host);
  const editor = new DiffEditor(host, null);
  steps.forEach(content => editor.show(content));
  // Heights are guessed where nothing is laid out, and another time is another guess.
  const drawn = host.innerHTML.replace(/ style="[^"]*"/g, '');
  editor.dispose();
  host.remove();
  return drawn;
}

describe.each([
  ['in one text', false],
  ['beside each other', true]
])('%s', (_, split) => {
  it('draws each step as an editor does that was made for it', () => {
    const all = contents(split);
    all.forEach((content, index) => {
      expect(shown(...all.slice(0, index + 1))).toBe(shown(content));
    });
    expect(shown(...contents(!split), all[3])).toBe(shown(all[3]));
  });

  it('writes its styles into the page once: all cells would be computed anew', () => {
    const host = document.createElement('div');
    document.body.append(host);
    const editor = new DiffEditor(host, null);
    // What is the same as before, or new, is shown in one text: by an editor of another kind.
    const all = contents(split).filter(
      ({ before, code }) => !split || (before && before !== code)
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
