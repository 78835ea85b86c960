import { streamView } from './streamView';

const CODE = 'import pandas\ndf = read()\n\ndf.plot()\nprint(df)';

/** What is shown after each line of an answer. */
function after(original: string, answer: string[]): string[] {
  return answer.map(
    (_, n) => streamView(original, answer.slice(0, n + 1).join('\n') + '\n').doc
  );
}

describe('streamView', () => {
  it('keeps the lines that the answer has not reached', () => {
    expect(streamView(CODE, '')).toEqual({ doc: CODE, written: 0 });
    expect(streamView(CODE, 'import pan')).toEqual({
      doc: 'import pan\ndf = read()\n\ndf.plot()\nprint(df)',
      written: 10
    });
    expect(streamView(CODE, 'import pandas\n').doc).toBe(CODE);
  });

  it('takes a changed line for a line of the code', () => {
    expect(streamView(CODE, 'import polars\n').doc).toBe(
      'import polars\ndf = read()\n\ndf.plot()\nprint(df)'
    );
  });

  it('finds the place again after lines that are new', () => {
    const shown = after('a\nb\nc', ['a', 'new 1', 'b', 'c']);
    expect(shown).toEqual([
      'a\nb\nc',
      'a\nnew 1\nc',
      'a\nnew 1\nb\nc',
      'a\nnew 1\nb\nc\n'
    ]);
  });

  it('ends with the answer alone where that is as long as the code', () => {
    const answer = 'x\ny\nz\nu\nv\nw\n';
    expect(streamView('a\nb', answer)).toEqual({
      doc: answer,
      written: answer.length
    });
    expect(streamView('', 'x = 1').doc).toBe('x = 1');
  });

  it('does not leap to the same line far below', () => {
    const far = ['a', ...Array.from({ length: 60 }, (_, i) => `l${i}`), ')'];
    expect(streamView(far.join('\n'), 'q\n)\n').doc).toContain('l5\n');
  });
});
