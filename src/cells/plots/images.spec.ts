import type { IOutput } from '@jupyterlab/nbformat';

import { imagesOf } from './images';

const display = (data: object) =>
  ({ output_type: 'display_data', data, metadata: {} }) as IOutput;

describe('imagesOf', () => {
  it('returns the first supported image of each output', () => {
    expect(
      imagesOf([
        { output_type: 'stream', name: 'stdout', text: 'x' } as IOutput,
        display({ 'image/svg+xml': '<svg/>' }),
        display({ 'image/png': 'CC', 'image/jpeg': 'DD' }),
        display({ 'image/jpeg': ['AA', 'BB'] })
      ])
    ).toEqual([
      { mime: 'image/png', base64: 'CC' },
      { mime: 'image/jpeg', base64: 'AABB' }
    ]);
    const large = display({ 'image/png': 'A'.repeat(30_000_000) });
    expect(imagesOf([large])).toEqual([]);
  });
});
