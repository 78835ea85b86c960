import * as redrawn from '../../../cells/plots/images';
import { withImages } from './mentions';

const plot = (base64: string) => ({ mime: 'image/png', base64 });

describe('withImages', () => {
  beforeEach(() => {
    jest.spyOn(redrawn, 'redrawImage').mockImplementation(async ({ base64 }) =>
      base64 === 'huge'
        ? null
        : {
            blob: {
              arrayBuffer: async () => new TextEncoder().encode(base64).buffer
            } as Blob,
            width: 1,
            height: 1
          }
    );
  });
  afterEach(() => jest.restoreAllMocks());

  it('sends the first two images, and says how many it left out', async () => {
    const mentions = [
      {
        kind: 'cell' as const,
        name: '@cell1',
        plots: [plot('a'), plot('huge')]
      },
      { kind: 'cell' as const, name: '@cell2', plots: [plot('b'), plot('c')] },
      { kind: 'cell' as const, name: '@cell3', plots: [plot('d')] },
      { kind: 'error' as const, name: '@error', source: 'x' }
    ];
    expect(await withImages(mentions)).toEqual([
      {
        kind: 'cell',
        name: '@cell1',
        images: [{ data: btoa('a') }],
        omittedImages: 1
      },
      {
        kind: 'cell',
        name: '@cell2',
        images: [{ data: btoa('b') }],
        omittedImages: 1
      },
      { kind: 'cell', name: '@cell3', omittedImages: 1 },
      { kind: 'error', name: '@error', source: 'x' }
    ]);
  });

  it('sends no image with a choice for a model that doesn’t see images (P15)', async () => {
    const plots = Array<ReturnType<typeof plot>>(1003).fill(plot('a'));
    const mention = { kind: 'cell' as const, name: '@cell1', plots };
    const [sent] = await withImages([{ ...mention, shared: true }]);
    expect(sent).toEqual({
      kind: 'cell',
      name: '@cell1',
      shared: true,
      omittedImages: 1000
    });
    const chosen = { ...mention, shared: true, sharesPlots: true };
    const [shared] = await withImages([chosen]);
    expect(shared.images).toHaveLength(2);
    expect(shared).not.toHaveProperty('sharesPlots');
  });
});
