import type { IImage } from '../../../cells/plots/images';
import { setup } from '../promptRow.fakes';

afterEach(() => document.body.replaceChildren());

const PLOT: IImage = { mime: 'image/png', base64: 'iV' };
const UNSEEN = 'This model can’t see images.';
const model = { id: 'a:b', provider: 'a', label: 'b', ready: true };

async function chips(options: {
  seesImages: boolean;
  onThisMachine?: boolean;
  output?: string;
  intent?: string;
}) {
  const { seesImages, onThisMachine = false, output = '' } = options;
  const t = await setup({ models: [{ ...model, seesImages, onThisMachine }] });
  t.model.target.output = () => output;
  t.model.target.images = () => [PLOT];
  t.model.target.cellAt = () => ({
    cellId: 'c3',
    source: 'plot()',
    error: '',
    output,
    images: [PLOT]
  });
  await t.type(options.intent ?? '/explain @output');
  const all = [...t.row.node.querySelectorAll('.jp-AIServer-Ask-chip')];
  const boxes = t.row.node.querySelectorAll<HTMLInputElement>(
    'input[type="checkbox"]'
  );
  return {
    ...t,
    texts: all.map(({ textContent }) => textContent),
    boxes: [...boxes],
    isUnseen: !!t.row.node.textContent?.includes(UNSEEN)
  };
}

describe('the chip of a cell with a plot', () => {
  it('offers to send the plot to a remote model that sees images (P15)', async () => {
    const t = await chips({ seesImages: true });
    expect(t.texts).toEqual(['@outputsend the plot as an image']);
    expect(t.boxes.map(({ checked }) => checked)).toEqual([false]);
    t.boxes[0].click();
    expect(t.model.mentions('@output')[0].shared).toBe(true);
    expect(t.isUnseen).toBe(false);
    const both = await chips({ seesImages: true, output: '42' });
    expect(both.texts).toEqual(['@outputsend its output and plots']);
  });

  it('says that a model can’t see it, and offers only the text', async () => {
    const plot = await chips({ seesImages: false });
    expect([plot.texts, plot.boxes]).toEqual([['@outputnot sent'], []]);
    expect(plot.isUnseen).toBe(true);
    const both = await chips({ seesImages: false, output: '42' });
    expect(both.texts).toEqual(['@outputsend its output']);
    expect(both.isUnseen).toBe(true);
  });

  it('says what a model on this computer gets', async () => {
    const local = { onThisMachine: true, seesImages: true };
    expect((await chips(local)).texts).toEqual(['@outputwith its plots']);
    const cell = await chips({ ...local, intent: 'like @cell3' });
    expect(cell.texts).toEqual(['@cell3code and output']);
    const blind = await chips({ ...local, seesImages: false, output: '42' });
    expect(blind.texts).toEqual(['@outputas text']);
  });
});
