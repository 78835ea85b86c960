import { nullTranslator } from '@jupyterlab/translation';
import { act } from 'react';
import * as React from 'react';
import { createRoot } from 'react-dom/client';

import type { MemoryEntry } from '../api/types';
import type { IMemory } from '../tokens';
import { MemoryItem } from './memoryItem';

const ENTRY: MemoryEntry = {
  id: '0123456789ab',
  scope: 'project',
  text: `<b>${'中'.repeat(100)}`,
  date: '',
  section: '',
  source: null,
  review: 'used',
  digest: ''
};

describe('MemoryItem', () => {
  it('shows the beginning of the entry, and leads to it (P15)', async () => {
    const show = jest.fn();
    const memory = { usedEntries: [ENTRY], show } as unknown as IMemory;
    const node = document.createElement('div');
    const trans = nullTranslator.load('aiserver');
    const root = createRoot(node);
    const draw = (name: string, count = 1) =>
      act(async () =>
        root.render(
          <MemoryItem item={{ name, count }} {...{ memory, trans }} />
        )
      );
    await draw('project:0123456789ab');
    expect(node.textContent).toBe(`<b>${'中'.repeat(77)}…`);
    node.querySelector('button')!.click();
    expect(show).toHaveBeenCalledWith('project:0123456789ab');
    await draw('person:0123456789ab');
    expect(node.textContent).toBe('1 memory entry');
    await draw('', 7);
    expect(node.innerHTML).toBe('7 memory entries');
  });
});
