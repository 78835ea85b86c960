import type { DataFrameProfile } from '../../../api/types';
import { setup as fakes } from '../generation.fakes';
import { withCurrentFrames } from './attachments';
import { frameOf } from '../../../kernel/request.fakes';

const frame = (name: string, rowCount = 1) =>
  frameOf(name, rowCount, { a: 'int64' });

describe('withCurrentFrames', () => {
  it('chooses the kernel’s DataFrames, and those that were missing', () => {
    const state = {
      dataframes: [frame('old'), frame('df')],
      missingFrames: { names: ['new', 'df', 'gone'], reason: 'busy' }
    };
    const current = [frame('df', 5), frame('new', 6), frame('other')];
    expect(withCurrentFrames(state, current)).toEqual({
      dataframes: [frame('df', 5), frame('new', 6)],
      missingFrames: { names: ['gone', 'old'], reason: '' }
    });
  });

  it('leaves chosen DataFrames that a long list may not contain', () => {
    const dataframes = [frame('old')];
    const others = Array.from({ length: 50 }, (_, index) => frame(`x${index}`));
    const state = { dataframes, missingFrames: null };
    expect(withCurrentFrames(state, others)).toEqual(state);
    expect(withCurrentFrames(state, others.slice(1)).dataframes).toEqual([]);
  });

  it('chooses no DataFrame by itself, and at most 20', () => {
    const none = { dataframes: [], missingFrames: null };
    expect(withCurrentFrames(none, [frame('df')])).toEqual(none);
    const names = Array.from({ length: 25 }, (_, index) => `df${index}`);
    const { dataframes, missingFrames } = withCurrentFrames(
      { dataframes: [], missingFrames: { names, reason: '' } },
      names.map(name => frame(name))
    );
    expect(dataframes).toHaveLength(20);
    expect(missingFrames).toBeNull();
  });
});

describe('chooseFrames', () => {
  const setup = (list: () => Promise<DataFrameProfile[]>) => {
    const store = fakes().model;
    store.setState({ phase: 'editing' });
    return { store, choose: () => store.chooseFrames(['df'], list) };
  };

  it('chooses DataFrames with their columns of now, and no values', async () => {
    const { store, choose } = setup(async () => [frame('df', 7), frame('x')]);
    await choose();
    expect(store.state.dataframes).toEqual([frame('df', 7)]);
    expect(store.state.levels.size).toBe(0);
    expect(store.state.missingFrames).toBeNull();
  });

  it('says why they can’t be chosen', async () => {
    const { store, choose } = setup(async () => {
      throw new Error('No kernel is running.');
    });
    await choose();
    expect(store.state.missingFrames).toEqual({
      names: ['df'],
      reason: 'No kernel is running.'
    });
  });

  it.each([
    ['closed', { phase: 'idle' }],
    ['sent', { phase: 'waiting', requestTime: 5 }]
  ] as const)(
    'changes nothing if the request was %s meanwhile',
    async (_, change) => {
      const { store, choose } = setup(async () => {
        store.setState(change);
        return [frame('df')];
      });
      await choose();
      expect(store.state.dataframes).toEqual([]);
    }
  );
});
