import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { act } from 'react';
import * as React from 'react';
import { createRoot } from 'react-dom/client';

import type { MemoryEntry } from '../../../api/types';
import type { IMemory } from '../../../tokens';
import { MemoryUse } from '../../model/context/memoryUse';
import type { RowMemory } from '../../model/remember/rowMemory';
import type { IRow } from '../row';
import { MemoryChip } from './chips';

const entry = (text: string): MemoryEntry => ({
  id: '0123456789ab',
  scope: 'project',
  text,
  date: '',
  section: '',
  source: null,
  review: 'used',
  digest: ''
});

async function setup(texts: string[]) {
  const changed = new Signal<unknown, void>({});
  const memory = { usedEntries: texts.map(entry), changed };
  window.localStorage.clear();
  const use = new MemoryUse(() => 'a.ipynb');
  const focus = jest.fn();
  const node = document.createElement('div');
  const trans = nullTranslator.load('aiserver');
  const model = {
    memory: { memory: memory as unknown as IMemory } as RowMemory
  };
  const row = { model, trans, focus, services: { memoryUse: use } };
  await act(async () =>
    createRoot(node).render(<MemoryChip row={row as unknown as IRow} />)
  );
  const press = () => act(async () => node.querySelector('button')!.click());
  return { node, memory, changed, use, focus, press };
}

describe('MemoryChip', () => {
  it('lists the first entries, as text', async () => {
    const texts = ['<img src=x>', ...'abcdefghi'].map(text => `${text}\nmore`);
    const { node } = await setup(texts);
    const chip = node.querySelector('.jp-AIServer-Ask-chip')!;
    expect(chip.textContent).toContain('Memory: 10 entries');
    expect(chip.getAttribute('title')!.split('\n')).toEqual([
      'What matters for the request is sent:',
      '• <img src=x>',
      ...[...'abcdefg'].map(text => `• ${text}`),
      '… and 2 more'
    ]);
    expect(node.querySelector('img')).toBeNull();
  });

  it('turns the memory off and on, and focuses the field', async () => {
    const { node, use, focus, press } = await setup(['Use polars']);
    expect(use.isOn).toBe(true);
    await press();
    expect(use.isOn).toBe(false);
    expect(node.textContent).toBe('Use the memory again');
    expect(new MemoryUse(() => 'a.ipynb').isOn).toBe(false); // after a reload
    expect(new MemoryUse(() => 'b.ipynb').isOn).toBe(true);
    await press();
    expect(use.isOn).toBe(true);
    expect(node.textContent).toContain('Memory: 1 entry');
    expect(focus).toHaveBeenCalledTimes(2);
  });

  it('appears with the first entry', async () => {
    const { node, memory, changed } = await setup([]);
    expect(node.textContent).toBe('');
    memory.usedEntries = [entry('Use polars')];
    await act(async () => changed.emit());
    expect(node.textContent).toContain('Memory: 1 entry');
  });
});
