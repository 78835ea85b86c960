import { nullTranslator } from '@jupyterlab/translation';
import { act } from 'react';
import * as React from 'react';
import { createRoot } from 'react-dom/client';

import type { RulesFile } from '../../../api/types';
import { RulesFiles } from '../../model/context/rulesFiles';
import { RulesChips } from './rules';
import { RulesFilesView } from './rules';

const HOSTILE: RulesFile = {
  path: 'project/<img src=x>/AGENTS.md',
  size: 40_000,
  sha256: 'a'.repeat(64),
  text: '<img src=x onerror=alert(1)>\n![](https://evil.example/x.png)'
};
const trans = nullTranslator.load('aiserver');

async function setup(files = [HOSTILE]) {
  window.localStorage.clear();
  const rulesFiles = jest.fn(async () => files);
  const rules = new RulesFiles(
    { rulesFiles },
    () => 'project/<img src=x>/n.ipynb'
  );
  const node = document.createElement('div');
  const root = createRoot(node);
  const focus = jest.fn();
  const draw = (requestTime: number) =>
    act(async () =>
      root.render(
        <>
          <RulesChips {...{ rules, requestTime, trans, focus }} />
          <section className="dialog">
            <RulesFilesView rules={rules} trans={trans} />
          </section>
        </>
      )
    );
  await draw(0);
  const press = async (name: string) => {
    const button = [...node.querySelectorAll('button')].find(
      ({ textContent, title }) => textContent === name || title === name
    );
    await act(async () => button?.click());
  };
  const text = (selector: string) =>
    [...node.querySelectorAll(selector)].map(({ textContent }) => textContent);
  return { draw, files, focus, node, press, rules, rulesFiles, text };
}

describe('RulesChips', () => {
  it('asks about a new file, and shows a used one as a chip (P46)', async () => {
    const { focus, press, rules, text } = await setup();
    expect(text('.jp-AIServer-Ask-rules span')).toEqual([
      `${HOSTILE.path} has rules for models. Use them in your requests?`
    ]);
    await press('Use');
    expect(rules.used).toHaveLength(1);
    expect(focus).toHaveBeenCalled();
    expect(text('.jp-AIServer-Ask-rules')).toEqual([]);
    expect(text('.jp-AIServer-Ask-chip')).toEqual(['AGENTS.md×']);
    await press(`Ignore ${HOSTILE.path}`);
    expect(rules.used).toEqual([]);
    expect(text('.jp-AIServer-Ask-rules, .jp-AIServer-Ask-chip')).toEqual([]);
  });

  it('asks again about a file that has changed, after the next request', async () => {
    const { draw, files, press, rules, rulesFiles, text } = await setup();
    await press('Use');
    files[0] = { ...HOSTILE, sha256: 'b'.repeat(64) };
    await draw(0);
    expect(rulesFiles).toHaveBeenCalledTimes(1);
    await draw(1);
    expect(text('.jp-AIServer-Ask-rules span')).toEqual([
      `${HOSTILE.path} has changed. Use it in your requests?`
    ]);
    await press('Ignore');
    expect(rules.used).toEqual([]);
  });

  it('shows nothing without rules files', async () => {
    const { text } = await setup([]);
    expect(text('.jp-AIServer-Ask-rules, .jp-AIServer-Ask-chips')).toEqual([]);
  });
});

describe('RulesFilesView', () => {
  it('shows the texts as text, and changes the choices (P12)', async () => {
    const { node, rules, text } = await setup();
    expect(node.querySelector('img')).toBeNull();
    expect(text('pre')).toEqual([HOSTILE.text]);
    expect(text('.dialog')[0]).toContain('Only the first 32 KB are used.');
    const box = node.querySelector<HTMLInputElement>('.dialog input');
    await act(async () => box?.click());
    expect(box?.checked).toBe(true);
    expect(rules.list[0].choice).toBe('used');
    await act(async () => box?.click());
    expect(rules.list[0].choice).toBe('ignored');
  });
});
