import * as fc from 'fast-check';

import { aroundChanges, changedLines } from './changedLines';

const drawn = (before: string, code: string) =>
  changedLines(before, code).map(({ kind, from, to }) => {
    const text = kind === 'removed' ? before : code;
    return `${{ same: ' ', removed: '-', added: '+' }[kind]}${text.slice(from, to)}`;
  });

describe('the lines of a change', () => {
  it('says what stayed, went and came', () => {
    expect(drawn('a\nb\nc', 'a\nB\nc\nd')).toEqual([
      ' a',
      '-b',
      '+B',
      ' c',
      '+d'
    ]);
    expect(drawn('a', 'a\n\nb')).toEqual([' a', '+', '+b']);
    expect(drawn('a\nb', '')).toEqual(['-a', '-b', '+']);
  });

  it('marks the words that changed, in both, where the lines are alike', () => {
    const before = 'sales.groupby("month").sum()';
    const code = 'sales.groupby("week").sum()';
    const [went, came] = changedLines(before, code);
    const marked = (text: string, { words }: typeof went) =>
      words.map(({ from, to }) => text.slice(from, to));
    expect(marked(before, went)).toEqual(['month']);
    expect(marked(code, came)).toEqual(['week']);
    // Of what was written anew every word would be.
    expect(changedLines('abc def', 'xyz').flatMap(one => one.words)).toEqual(
      []
    );
  });

  it('loses nothing of either text', () => {
    const text = fc
      .array(fc.constantFrom('', 'a', 'b', 'x = 1', '年'), { maxLength: 12 })
      .map(lines => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, code) => {
        const lines = drawn(before, code);
        const of = (sign: string) =>
          lines
            .filter(line => line[0] === ' ' || line[0] === sign)
            .map(line => line.slice(1))
            .join('\n');
        expect(of('+')).toBe(code);
        expect(of('-')).toBe(before);
      }),
      {
        numRuns: 500,
        // Empty lines beside empty lines.
        examples: [
          ['\n\nb', '\nb'],
          ['\nb', '\n\n\nb']
        ]
      }
    );
  });

  it('shows of a long cell what is around the changes', () => {
    const before = Array.from({ length: 20 }, (_, i) => `x${i}`);
    const code = before.map((line, i) => (i === 10 ? 'new' : line));
    const shown = aroundChanges(
      changedLines(before.join('\n'), code.join('\n'))
    );
    expect(shown).toHaveLength(21);
    expect(shown.indexOf(true)).toBe(8);
    expect(shown.lastIndexOf(true)).toBe(13);
  });
});
