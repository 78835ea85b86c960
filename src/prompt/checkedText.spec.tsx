import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';
import { createRoot } from 'react-dom/client';
import { act } from 'react';

import {
  CheckedText,
  handedIn,
  IHandedOutput,
  unsupportedNote
} from './checkedText';

const trans = nullTranslator.load('aiserver');

async function show(text: string, handed: IHandedOutput | null) {
  await import('marked'); // The parser is loaded when it is needed.
  const node = document.createElement('div');
  await act(async () => {
    createRoot(node).render(
      <CheckedText text={text} handed={handed} trans={trans} />
    );
  });
  return node;
}

const marked = (node: HTMLElement) =>
  [...node.querySelectorAll('mark')].map(mark => mark.textContent);

const asText = (text: string) => ({ text, hasImages: false });

describe('CheckedText', () => {
  it('marks the numbers that the handed output doesn’t support', async () => {
    const node = await show(
      'The mean is **42.5**.\n\n| city | sum |\n|---|---|\n| 北京 | 1,301 |\n\n- 上海为 77',
      asText('mean 42.51\n北京 1300')
    );
    expect(marked(node)).toEqual(['1,301', '77']);
    expect(node.querySelector('strong')?.textContent).toBe('42.5');
    expect(node.textContent).toContain('Check them.');
  });

  it('says that a number may come from a plot', async () => {
    const node = await show('It is 77.', { text: '', hasImages: true });
    expect(marked(node)).toEqual(['77']);
    expect(node.textContent).toContain('read them from the plot');
  });

  it('marks nothing if all are supported, or if no output was handed', async () => {
    const supported = await show('It is 42.5.', asText('42.5'));
    expect(marked(supported)).toEqual([]);
    expect(supported.textContent).not.toContain('Check them.');
    expect(marked(await show('It is 77.', null))).toEqual([]);
  });
});

describe('handedIn', () => {
  it('returns the mentions of a stored prompt, and whether it has images', () => {
    const message = (text: string, images: object[] = []) =>
      ({ role: 'user', text, example: false, images }) as never;
    const text =
      'cell 44\n<mentions 0a1b2c>\n@output:\nmean 42\n</mentions 0a1b2c>\nis it 45?';
    expect(handedIn([message('77'), message(text)])).toEqual({
      text: '@output:\nmean 42',
      hasImages: false
    });
    expect(handedIn([message('no marks 42', [{}])])).toEqual({
      text: 'no marks 42',
      hasImages: true
    });
  });
});

describe('unsupportedNote', () => {
  it('lists the numbers once, for the inserted cell', () => {
    const note = (text: string, handed: IHandedOutput | null) =>
      unsupportedNote(text, handed, trans);
    const text = 'It is 42.5, not 44 or 17 %. 44!';
    expect(note(text, asText('42.5'))).toBe(
      '*Not in the output that the model got: 44, 17 %*'
    );
    expect(note(text, { text: '', hasImages: true })).toBe(
      '*Not in the text that the model got: 42.5, 44, 17 %*'
    );
    expect(note('It is 42.5', asText('42.5'))).toBe('');
    expect(note(text, null)).toBe('');
    const many = Array.from({ length: 90 }, (_, i) => `${i + 100}`).join(' ');
    expect(note(many, asText('1'))).toMatch(/119, …\*$/);
  });
});
