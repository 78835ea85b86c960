import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import type { GenerationModel } from '../models/generation';
import { INITIAL } from '../models/generationstate';

/** The row's actions with a suggestion and a further wish, on that system. */
function drawn(platform: string): string {
  let html = '';
  jest.isolateModules(() => {
    jest.spyOn(navigator, 'platform', 'get').mockReturnValue(platform);
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { Actions } = require('./promptactions');
    // With the same React as the part has that is loaded anew.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { renderToStaticMarkup } = require('react-dom/server');
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

  it('are those of a Mac on a Mac, and of others elsewhere', () => {
    expect(drawn('MacIntel')).toContain('⌘');
    expect(drawn('MacIntel')).not.toContain('Ctrl');
    expect(drawn('Linux x86_64')).toContain('Ctrl');
  });
});
