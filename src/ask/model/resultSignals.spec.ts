import type { ISignal } from '../../kernel/signals';
import { setup as fakes } from './generation.fakes';

const EMPTY: ISignal = {
  kind: 'empty',
  name: '',
  labels: [],
  before: 0,
  after: 0
};

/** A cell whose suggestion `new` was accepted, but hasn't run yet. */
async function setup(state: string | null = 'state') {
  const t = fakes({ source: 'old' });
  const run = { count: null as number | null };
  t.target.runCount = () => run.count;
  t.target.kernelState.mockResolvedValue(state);
  t.target.resultSignals.mockResolvedValue([EMPTY]);
  t.model.open();
  await t.answer('drop the duplicates', 'new');
  await t.model.decision.accept();
  const look = async () => {
    await t.model.result.look();
    return t.model.result.current;
  };
  return { ...t, look, run };
}

describe('ResultSignals', () => {
  it('looks once at the result of an accepted suggestion, after its run', async () => {
    const t = await setup();
    expect(t.target.kernelState.mock.calls).toEqual([['new']]);
    expect(await t.look()).toBeUndefined();
    t.run.count = 7;
    expect(await t.look()).toEqual([EMPTY]);
    const run = { code: 'new', ownCode: 'old', isChange: true };
    expect(t.target.resultSignals.mock.calls).toEqual([[run, 'state']]);
    await t.look();
    expect(t.target.resultSignals).toHaveBeenCalledTimes(1);
    t.run.count = 8; // Another result.
    expect(await t.look()).toBeUndefined();
  });

  it('looks again if the kernel was busy', async () => {
    const t = await setup();
    t.run.count = 7;
    t.target.resultSignals.mockResolvedValueOnce(null);
    expect(await t.look()).toBeUndefined();
    expect(await t.look()).toEqual([EMPTY]);
  });

  it('looks at no other code, and at none without the state before', async () => {
    const t = await setup();
    t.edit('other');
    t.run.count = 7;
    expect(await t.look()).toBeUndefined();
    const other = await setup(null);
    other.run.count = 7;
    expect(await other.look()).toBeUndefined();
    expect(t.target.resultSignals).not.toHaveBeenCalled();
    expect(other.target.resultSignals).not.toHaveBeenCalled();
  });

  it('has the state before “Accept and run” starts the code', async () => {
    const t = fakes({ source: 'old' });
    const order: string[] = [];
    t.target.kernelState.mockImplementation(async () => {
      await new Promise(resolve => setTimeout(resolve));
      order.push('state');
      return 'state';
    });
    t.target.run.mockImplementation(async () => {
      order.push('run');
      return true;
    });
    t.model.open();
    await t.answer('do it', 'new');
    await t.model.decision.acceptAndRun();
    expect(order).toEqual(['state', 'run']);
  });
});
