import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';
import { act } from 'react';
import { createRoot } from 'react-dom/client';

import type { Preview } from '../../api/types';
import { PreviewView } from './preview';

describe('PreviewView', () => {
  it('labels the origin of each message: a built-in example is not from the person (P15)', async () => {
    const preview: Preview = {
      model: {
        id: 'local:qwen',
        provider: 'local',
        label: 'Qwen',
        onThisMachine: true,
        ready: true
      },
      messages: (
        [
          { role: 'system', text: 'rules', example: false },
          { role: 'user', text: '显示 用户.json', example: true },
          { role: 'assistant', text: 'print(users)', example: true },
          { role: 'assistant', text: 'x = 1', example: false },
          { role: 'user', text: '画图', example: false }
        ] as const
      ).map(message => ({ ...message, images: [] })),
      hidden: 0
    };
    const host = document.createElement('div');
    const root = createRoot(host);
    const trans = nullTranslator.load('aiserver');
    await act(async () =>
      root.render(
        <PreviewView
          preview={preview}
          cellNumber={() => null}
          requestNumber={() => null}
          trans={trans}
        />
      )
    );
    const titles = [...host.querySelectorAll('h3')].map(
      ({ textContent }) => textContent
    );
    expect(titles).toEqual([
      'Instructions',
      'Example included with AI Server',
      'Example included with AI Server',
      'Earlier answers and code from the notebook',
      'From you and your notebook'
    ]);
    await act(async () => root.unmount());
  });
});
