import type { IOutput } from '@jupyterlab/nbformat';

import { MAX_TEXT_BYTES, truncate, textOf } from './outputs';

const stream = (text: string | string[]): IOutput => ({
  output_type: 'stream',
  name: 'stdout',
  text
});
const display = (data: Record<string, unknown>): IOutput =>
  ({ output_type: 'display_data', metadata: {}, data }) as IOutput;
const bytes = (text: string) => new TextEncoder().encode(text).length;

describe('truncate', () => {
  it('counts bytes and splits no character', () => {
    for (const letter of ['a', 'é', '中', '📈']) {
      const text = letter.repeat(5000);
      const result = truncate(text);
      expect(bytes(result)).toBeLessThanOrEqual(MAX_TEXT_BYTES);
      expect(bytes(result)).toBeGreaterThan(MAX_TEXT_BYTES - 4);
      expect(text.startsWith(result)).toBe(true);
      expect(result).not.toMatch(/\p{Surrogate}/u);
    }
    expect(truncate('short')).toBe('short');
  });
});

describe('textOf', () => {
  it.each([
    [
      'a whole table',
      '<table class="dataframe"><thead><tr><th></th><th>a</th><th>b</th></tr></thead><tbody><tr><th>0</th><td>1</td><td>2</td></tr></tbody></table>',
      [1, 2]
    ],
    [
      'a shortened one',
      '<table class="dataframe"><tbody><tr><td>1</td></tr></tbody></table><p>400 rows × 7 columns</p>',
      [400, 7]
    ],
    [
      'one of Polars',
      '<small>shape: (4, 3)</small><table class="dataframe"><tbody><tr><td>1</td></tr></tbody></table>',
      [4, 3]
    ],
    ['another table', '<table><tr><td>1</td></tr></table>', undefined]
  ])('says how large a result is: %s', (_, html, shape) => {
    const output = display({ 'text/plain': 'a  b', 'text/html': html });
    expect(textOf([stream('x'), output])?.shape).toEqual(shape);
  });

  it('joins printed text, displayed data and errors', () => {
    const outputs = [
      stream(['one\n', 'two']),
      display({ 'text/plain': '3', 'text/html': '<b>3</b>' }),
      {
        output_type: 'error',
        ename: 'ValueError',
        evalue: '\u001b[31mno\u001b[0m',
        traceback: []
      } as IOutput
    ];
    expect(textOf(outputs)).toEqual({ text: 'one\ntwo\n3\nValueError: no' });
  });

  it('reports truncation', () => {
    for (const outputs of [
      [stream('中'.repeat(100_000))],
      Array.from({ length: 1000 }, () => stream('x'.repeat(50)))
    ]) {
      const preview = textOf(outputs)!;
      expect(preview.truncated).toBe(true);
      expect(bytes(preview.text)).toBeLessThanOrEqual(MAX_TEXT_BYTES);
    }
  });

  it('is null without text or with only an image', () => {
    expect(textOf([])).toBeNull();
    expect(textOf([stream('')])).toBeNull();
    const figure = { 'image/png': 'AAAA', 'text/plain': '<Figure>' };
    expect(textOf([display(figure)])).toBeNull();
  });

  it('tolerates malformed outputs', () => {
    expect(
      textOf([{ output_type: 'stream', text: 3 } as unknown as IOutput])
    ).toBeNull();
    expect(
      textOf([{ output_type: 'display_data' } as unknown as IOutput])
    ).toBeNull();
  });
});
