import type { IOutput } from '@jupyterlab/nbformat';

import { MOST_TEXT, cut, pictureOf, textOf } from './outputs';

const stream = (text: string | string[]): IOutput => ({
  output_type: 'stream',
  name: 'stdout',
  text
});
const shown = (data: Record<string, unknown>): IOutput =>
  ({ output_type: 'display_data', metadata: {}, data }) as IOutput;
const bytes = (text: string) => new TextEncoder().encode(text).length;

describe('cut', () => {
  it('counts bytes, and cuts no character in two', () => {
    for (const letter of ['a', 'é', '中', '📈']) {
      const text = letter.repeat(5000);
      const kept = cut(text);
      expect(bytes(kept)).toBeLessThanOrEqual(MOST_TEXT);
      expect(bytes(kept)).toBeGreaterThan(MOST_TEXT - 4);
      expect(text.startsWith(kept)).toBe(true);
      expect(kept).not.toMatch(/\p{Surrogate}/u);
    }
    expect(cut('short')).toBe('short');
  });
});

describe('textOf', () => {
  it('joins what was printed, shown and raised', () => {
    const outputs = [
      stream(['one\n', 'two']),
      shown({ 'text/plain': '3', 'text/html': '<b>3</b>' }),
      {
        output_type: 'error',
        ename: 'ValueError',
        evalue: '\u001b[31mno\u001b[0m',
        traceback: []
      } as IOutput
    ];
    expect(textOf(outputs)).toEqual({ text: 'one\ntwo\n3\nValueError: no' });
  });

  it('says that it was cut', () => {
    for (const outputs of [
      [stream('中'.repeat(100_000))],
      Array.from({ length: 1000 }, () => stream('x'.repeat(50)))
    ]) {
      const found = textOf(outputs)!;
      expect(found.truncated).toBe(true);
      expect(bytes(found.text)).toBeLessThanOrEqual(MOST_TEXT);
    }
  });

  it('is nothing where nothing was put out, or a picture', () => {
    expect(textOf([])).toBeNull();
    expect(textOf([stream('')])).toBeNull();
    const figure = { 'image/png': 'AAAA', 'text/plain': '<Figure>' };
    expect(textOf([shown(figure)])).toBeNull();
  });

  it('bears whatever a file holds', () => {
    expect(
      textOf([{ output_type: 'stream', text: 3 } as unknown as IOutput])
    ).toBeNull();
    expect(
      textOf([{ output_type: 'display_data' } as unknown as IOutput])
    ).toBeNull();
  });
});

describe('pictureOf', () => {
  it('finds the first that can be made small', () => {
    expect(
      pictureOf([
        stream('x'),
        shown({ 'image/svg+xml': '<svg/>' }),
        shown({ 'image/jpeg': ['AA', 'BB'] })
      ])
    ).toEqual({ mime: 'image/jpeg', base64: 'AABB' });
    expect(pictureOf([shown({ 'image/png': 'A'.repeat(30_000_000) })])).toBe(
      null
    );
  });
});
