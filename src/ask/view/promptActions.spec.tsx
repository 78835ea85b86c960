import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import type { GenerationModel } from '../model/generation';
import { INITIAL_STATE } from '../model/state';

// Loading all of it in each isolated registry takes seconds.
jest.mock('@jupyterlab/apputils', () => ({}));

/** Render the buttons with a suggestion and typed text, on the given platform. */
async function renderOn(platform: string): Promise<string> {
  let html = '';
  await jest.isolateModulesAsync(async () => {
    jest.spyOn(navigator, 'platform', 'get').mockReturnValue(platform);
    const { Actions } = await import('./promptActions');
    // Use the React instance of the isolated module.
    const { renderToStaticMarkup } = await import('react-dom/server');
    const state = { ...INITIAL_STATE, phase: 'suggested' };
    const model = {
      isOffered: true,
      target: {},
      decision: {},
      state
    } as GenerationModel;
    const trans = nullTranslator.load('aiserver');
    html = renderToStaticMarkup(
      <Actions
        row={{ model, trans, text: 'and shorter', focus: () => undefined }}
        send={() => undefined}
      />
    );
  });
  return html;
}

describe('the keys on the buttons', () => {
  afterEach(() => jest.restoreAllMocks());

  it('follow the platform', async () => {
    expect(await renderOn('MacIntel')).toContain('⌘');
    expect(await renderOn('MacIntel')).not.toContain('Ctrl');
    expect(await renderOn('Linux x86_64')).toContain('Ctrl');
  });
});
