import * as fc from 'fast-check';

import { areNearChanges, changedLines } from './changedLines';

const formatted = (before: string, code: string) =>
  changedLines(before, code).map(({ kind, from, to }) => {
    const text = kind === 'removed' ? before : code;
    return `${{ same: ' ', removed: '-', added: '+' }[kind]}${text.slice(from, to)}`;
  });

describe('changedLines', () => {
  it('lists unchanged, removed and added lines', () => {
    expect(formatted('a\nb\nc', 'a\nB\nc\nd')).toEqual([
      ' a',
      '-b',
      '+B',
      ' c',
      '+d'
    ]);
    expect(formatted('a', 'a\n\nb')).toEqual([' a', '+', '+b']);
    expect(formatted('a\nb', '')).toEqual(['-a', '-b', '+']);
  });

  it('marks the changed ranges in similar lines', () => {
    const before = 'sales.groupby("month").sum()';
    const code = 'sales.groupby("week").sum()';
    const [removed, added] = changedLines(before, code);
    const marked = (text: string, { ranges }: typeof removed) =>
      ranges.map(({ from, to }) => text.slice(from, to));
    expect(marked(before, removed)).toEqual(['month']);
    expect(marked(code, added)).toEqual(['week']);
    // In rewritten lines every word would be marked.
    expect(changedLines('abc def', 'xyz').flatMap(line => line.ranges)).toEqual(
      []
    );
  });

  it('preserves both texts', () => {
    const text = fc
      .array(fc.constantFrom('', 'a', 'b', 'x = 1', '年'), { maxLength: 12 })
      .map(lines => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, code) => {
        const lines = formatted(before, code);
        const textOf = (sign: string) =>
          lines
            .filter(line => line[0] === ' ' || line[0] === sign)
            .map(line => line.slice(1))
            .join('\n');
        expect(textOf('+')).toBe(code);
        expect(textOf('-')).toBe(before);
      }),
      {
        numRuns: 500,
        // Adjacent empty lines.
        examples: [
          ['\n\nb', '\nb'],
          ['\nb', '\n\n\nb']
        ]
      }
    );
  });

  it('shows the lines around the changes of a long cell', () => {
    const before = Array.from({ length: 20 }, (_, i) => `x${i}`);
    const code = before.map((line, i) => (i === 10 ? 'new' : line));
    const shown = areNearChanges(
      changedLines(before.join('\n'), code.join('\n'))
    );
    expect(shown).toHaveLength(21);
    expect(shown.indexOf(true)).toBe(8);
    expect(shown.lastIndexOf(true)).toBe(13);
  });
});
