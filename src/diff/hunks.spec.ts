import {
  applyHunk,
  countHunks,
  hunkIndexAt,
  hunkRange,
  mergeSources,
  revertHunk
} from './hunks';

/** Return a source whose lines are these characters. */
const lines = (text: string) => [...text].join('\n');

describe('countHunks', () => {
  it('counts the separate changes of the diff', () => {
    expect(countHunks('a\nb\nc', 'a\nb\nc')).toBe(0);
    expect(countHunks('a\nb\nc\nd\ne', 'A\nb\nc\nd\nE')).toBe(2);
    expect(countHunks('a', 'a\nb')).toBe(1);
    expect(countHunks('', 'x\ny')).toBe(1);
  });
});

describe('applyHunk and revertHunk', () => {
  const CASES: [string, string][] = [
    ['abcde', 'AbcdE'],
    ['abcdef', 'bcdefg'],
    ['abcdef', 'abXcdefY'],
    ['', 'abc'],
    ['abc', ''],
    ['abcabc', 'abXabYc']
  ];

  it.each(CASES)('apply or revert one hunk after the other: %s, %s', (a, b) => {
    const [from, to] = [lines(a), lines(b)];
    const count = countHunks(from, to);
    let [applied, reverted] = [from, to];
    for (let n = 0; n < count; n++) {
      applied = applyHunk(applied, to, 0);
      reverted = revertHunk(from, reverted, 0);
      expect(countHunks(applied, to)).toBe(count - n - 1);
      expect(countHunks(from, reverted)).toBe(count - n - 1);
    }
    expect([applied, reverted]).toEqual([to, from]);
  });

  it('change nothing if there is no such hunk', () => {
    expect(applyHunk('a', 'b', 1)).toBe('a');
    expect(revertHunk('a', 'b', 1)).toBe('b');
  });

  it('change only their hunk', () => {
    expect(applyHunk(lines('abcde'), lines('AbcdE'), 1)).toBe(lines('abcdE'));
    expect(revertHunk(lines('abcde'), lines('AbcdE'), 1)).toBe(lines('Abcde'));
  });
});

describe('hunkRange', () => {
  it('returns the changed lines', () => {
    const to = lines('abXYe');
    const range = hunkRange(lines('abcde'), to, 0)!;
    expect(to.slice(range.from, range.to)).toBe('X\nY');
    expect(hunkRange(lines('abc'), lines('abcd'), 0)).toEqual({
      from: 6,
      to: 7
    });
    expect(hunkRange(lines('abcde'), lines('abde'), 0)).toEqual({
      from: 4,
      to: 4
    });
    expect(hunkRange('a', 'a', 0)).toBeNull();
  });
});

describe('hunkIndexAt', () => {
  it('returns the hunk with the line at an offset', () => {
    const [from, to] = [lines('abcdef'), lines('AbcXYf')];
    expect([0, 1, 2, 6, 8, 9].map(at => hunkIndexAt(from, to, at))).toEqual([
      0, 0, -1, 1, 1, 1
    ]);
  });
});

describe('mergeSources', () => {
  it('joins changes of different lines', () => {
    const base = lines('abcdefgh');
    expect(mergeSources(base, lines('abcdefgHI'), lines('Abcdefgh'))).toBe(
      lines('AbcdefgHI')
    );
    expect(mergeSources(base, lines('XabcdefgY'), lines('abcddefgh'))).toBe(
      lines('XabcddefgY')
    );
    expect(mergeSources(base, lines('XYabcefgh'), lines('abcdefgg'))).toBe(
      lines('XYabcefgg')
    );
    expect(mergeSources(base, base, lines('xyz'))).toBe(lines('xyz'));
    expect(mergeSources(base, lines('xyz'), base)).toBe(lines('xyz'));
  });

  it('joins no changes of the same lines, and no insertion at the same place', () => {
    const base = lines('abcd');
    expect(mergeSources(base, lines('abYd'), lines('aXcd'))).toBe(
      lines('aXYd')
    );
    for (const other of ['abXd', 'abcXd', 'abXcd', '']) {
      expect(mergeSources(base, lines('abYd'), lines(other))).toBeNull();
    }
  });
});
