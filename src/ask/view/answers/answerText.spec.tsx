import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';
import { createRoot } from 'react-dom/client';
import { act } from 'react';

import type { GenerationModel } from '../../model/generation';
import { AnswerText } from './answerText';

async function show(explanation: string, handedOutput: string) {
  await import('marked'); // The parser is loaded when it is needed.
  const node = document.createElement('div');
  const model = { state: { explanation }, handedOutput };
  await act(async () => {
    createRoot(node).render(
      <AnswerText
        model={model as unknown as GenerationModel}
        trans={nullTranslator.load('aiserver')}
      />
    );
  });
  return node;
}

const marked = (node: HTMLElement) =>
  [...node.querySelectorAll('mark')].map(mark => mark.textContent);

describe('AnswerText', () => {
  it('marks the numbers that the handed output doesn’t support', async () => {
    const node = await show(
      'The mean is **42.5**.\n\n| city | sum |\n|---|---|\n| 北京 | 1,301 |\n\n- 上海为 77',
      'mean 42.51\n北京 1300'
    );
    expect(marked(node)).toEqual(['1,301', '77']);
    expect(node.querySelector('strong')?.textContent).toBe('42.5');
    expect(node.textContent).toContain('Check them.');
  });

  it('marks nothing if all are supported, or if no output was handed', async () => {
    const supported = await show('It is 42.5.', '42.5');
    expect(marked(supported)).toEqual([]);
    expect(supported.textContent).not.toContain('Check them.');
    expect(marked(await show('It is 77.', ''))).toEqual([]);
  });
});
