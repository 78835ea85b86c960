import type { DataFrameProfile } from '../../../api/types';
import type { IDataValues } from '../../../kernel/dataValues';
import { MODEL, setup, start } from '../generation.fakes';
import { frameOf } from '../../../kernel/request.fakes';

const FRAME: DataFrameProfile = frameOf('sales', 9, {
  city: 'object',
  price: 'float64'
});
const PRICE = { rows: 9, missing: 0, distinct: 7, min: 0.5, max: 9 };
const VALUES: IDataValues = {
  columns: [{ index: 1, name: 'price', statistics: PRICE }],
  sample: { columns: ['city', 'price'], rows: [['canary', '0.5']] }
};
const REMOTE = { ...MODEL, onThisMachine: false };

async function opened(model = REMOTE, values: IDataValues | null = VALUES) {
  const t = setup();
  t.history.api.models.mockResolvedValue({
    default: MODEL.id,
    models: [model]
  });
  t.target.variables.mockResolvedValue({ frames: [FRAME], variables: [] });
  t.target.dataValues.mockResolvedValue(values);
  t.model.open();
  await t.until(state => state.kernel.frames.length > 0 && !!state.model);
  const sent = () => t.model.buildRequest('plot sales').attached.frames[0];
  return { ...t, sent };
}

describe('privacy levels', () => {
  it('sends only the schema until a level is chosen (P15)', async () => {
    const t = await opened();
    expect(t.sent()).toEqual(FRAME);
    await t.model.chooseLevel('sales', 'statistics');
    expect(t.sent()).toMatchObject({
      level: 'statistics',
      columns: [FRAME.columns![0], { name: 'price', statistics: PRICE }]
    });
    await t.model.chooseLevel('sales', 'schema');
    expect(t.sent()).toEqual(FRAME);
    expect(t.target.dataValues).toHaveBeenCalledTimes(1);
  });

  it('sends the rows of chosen DataFrames, too', async () => {
    const t = await opened();
    await t.model.chooseLevel('sales', 'sample');
    t.model.setState({ dataframes: [FRAME] });
    const [frame] = t.model.buildRequest('plot').dataframes;
    const sample = { rows: VALUES.sample!.rows };
    expect(frame).toMatchObject({ level: 'sample', sample });
  });

  it('gives a remote model nothing that was chosen for a local one', async () => {
    const t = await opened(MODEL);
    await t.model.chooseLevel('sales', 'sample');
    // Without a level, the server gives the values only to a model on this computer.
    expect(t.sent().sample).toBeDefined();
    expect(t.sent().level).toBeUndefined();
  });

  it('keeps the level for requests about the suggestion, and then forgets it', async () => {
    const t = await opened();
    await t.model.chooseLevel('sales', 'statistics');
    await t.answer('plot sales', 'y');
    await t.phase('suggested');
    expect(t.bodies[0].context?.dataframes?.[0].level).toBe('statistics');
    expect(t.sent().level).toBe('statistics');
    await t.model.decision.reject();
    expect(t.sent()).toEqual(FRAME);
  });

  it('says so and sends nothing more if the values can’t be read', async () => {
    const t = await opened(REMOTE, null);
    await t.model.chooseLevel('sales', 'statistics');
    const status = { name: 'sales', isReading: false };
    expect(t.model.state.levelStatus).toEqual(status);
    expect(t.sent()).toEqual(FRAME);
  });

  it('applies the present choice to another answer to the same request (P15)', async () => {
    const t = await opened();
    await t.model.chooseLevel('sales', 'sample');
    await t.answer('plot sales', 'x');
    expect(JSON.stringify(t.bodies[0])).toContain('canary');
    await t.model.chooseLevel('sales', 'schema');
    void t.model.retry();
    (await t.requested(2)).push(start(2));
    expect(JSON.stringify(t.bodies[1])).not.toContain('canary');
    expect(t.bodies[1].context?.dataframes).toEqual([FRAME]);
  });

  it('sends nothing of the former choice while values are read, or can’t be (P15)', async () => {
    const t = await opened();
    await t.model.chooseLevel('sales', 'sample');
    t.target.dataValues.mockResolvedValue(null);
    const lowered = t.model.chooseLevel('sales', 'statistics');
    expect(t.sent()).toEqual(FRAME);
    await lowered;
    expect(t.sent()).toEqual(FRAME);
    expect(t.model.state.levelStatus?.isReading).toBe(false);
  });

  it('is a choice for the model that was shown when it was made (P15)', async () => {
    const t = await opened({ ...MODEL, onThisMachine: true });
    const chosen = t.model.chooseLevel('sales', 'sample');
    t.model.setState({ model: REMOTE as never });
    await chosen;
    expect(t.sent().level).toBeUndefined();
  });

  it('ignores values that arrive after another choice, or after the row was closed', async () => {
    const t = await opened();
    const late = t.model.chooseLevel('sales', 'sample');
    expect(t.model.state.levelStatus?.isReading).toBe(true);
    await t.model.chooseLevel('sales', 'schema');
    await late;
    expect(t.sent()).toEqual(FRAME);
    const closed = t.model.chooseLevel('sales', 'sample');
    t.model.close();
    await closed;
    expect(t.model.state.levels.size).toBe(0);
  });

  it('reads the values again after code has run, and drops those of a changed frame', async () => {
    const t = await opened();
    await t.model.chooseLevel('sales', 'sample');
    const newer = { ...VALUES, columns: [] };
    t.target.dataValues.mockResolvedValue(newer);
    const columns = [{ name: 'town', dtype: 'object' }];
    const changed = { ...FRAME, columnCount: 1, columns };
    t.target.variables.mockResolvedValue({ frames: [changed], variables: [] });
    await t.model.readKernel();
    expect(t.sent()).toEqual({ ...changed, level: 'sample' });
    t.target.dataValues.mockResolvedValue(null);
    await t.model.readKernel();
    expect(t.sent()).toEqual(changed);
    expect(t.model.state.levelStatus?.isReading).toBe(false);
  });
});
