import { streamView } from './streamView';

const CODE = 'import pandas\ndf = read()\n\ndf.plot()\nprint(df)';

function shownAfter(original: string, answer: string[]): string[] {
  return answer.map(
    (_, n) => streamView(original, answer.slice(0, n + 1).join('\n') + '\n').doc
  );
}

describe('streamView', () => {
  it('keeps the lines that the answer has not reached', () => {
    expect(streamView(CODE, '')).toEqual({ doc: CODE, writtenEnd: 0 });
    expect(streamView(CODE, 'import pan')).toEqual({
      doc: 'import pan\ndf = read()\n\ndf.plot()\nprint(df)',
      writtenEnd: 10
    });
    expect(streamView(CODE, 'import pandas\n').doc).toBe(CODE);
  });

  it('replaces one line of the code with a changed line', () => {
    expect(streamView(CODE, 'import polars\n').doc).toBe(
      'import polars\ndf = read()\n\ndf.plot()\nprint(df)'
    );
  });

  it('finds its position again after new lines', () => {
    const shown = shownAfter('a\nb\nc', ['a', 'new 1', 'b', 'c']);
    expect(shown).toEqual([
      'a\nb\nc',
      'a\nnew 1\nc',
      'a\nnew 1\nb\nc',
      'a\nnew 1\nb\nc\n'
    ]);
  });

  it('shows only the answer once it is as long as the code', () => {
    const answer = 'x\ny\nz\nu\nv\nw\n';
    expect(streamView('a\nb', answer)).toEqual({
      doc: answer,
      writtenEnd: answer.length
    });
    expect(streamView('', 'x = 1').doc).toBe('x = 1');
  });

  it('does not jump to an equal line far below', () => {
    const far = ['a', ...Array.from({ length: 60 }, (_, i) => `l${i}`), ')'];
    expect(streamView(far.join('\n'), 'q\n)\n').doc).toContain('l5\n');
  });
});
