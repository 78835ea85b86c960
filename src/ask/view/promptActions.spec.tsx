import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import type { GenerationModel } from '../model/generation';
import { INITIAL } from '../model/state';

/** The row's actions with a suggestion and a further wish, on that system. */
async function drawn(platform: string): Promise<string> {
  let html = '';
  await jest.isolateModulesAsync(async () => {
    jest.spyOn(navigator, 'platform', 'get').mockReturnValue(platform);
    const { Actions } = await import('./promptActions');
    // With the same React as the part has that is loaded anew.
    const { renderToStaticMarkup } = await import('react-dom/server');
    const model = { target: {} } as GenerationModel;
    html = renderToStaticMarkup(
      <Actions
        model={model}
        state={{ ...INITIAL, phase: 'suggested' }}
        trans={nullTranslator.load('aiserver')}
        text="and shorter"
        send={() => undefined}
        ask={() => undefined}
        copy={() => undefined}
      />
    );
  });
  return html;
}

describe('the keys on the buttons', () => {
  afterEach(() => jest.restoreAllMocks());

  it('are those of a Mac on a Mac, and of others elsewhere', async () => {
    expect(await drawn('MacIntel')).toContain('⌘');
    expect(await drawn('MacIntel')).not.toContain('Ctrl');
    expect(await drawn('Linux x86_64')).toContain('Ctrl');
  });
});
