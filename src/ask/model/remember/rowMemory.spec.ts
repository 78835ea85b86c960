import { Signal } from '@lumino/signaling';

import { ApiError } from '../../../api/request';
import type { ICellKey, IMemory } from '../../../tokens';
import { IGenerationState, INITIAL_STATE } from '../state';
import { RowMemory } from './rowMemory';

/** A row whose phases the specs set. */
class FakeRow {
  readonly changed = new Signal<this, IGenerationState>(this);
  state: IGenerationState = { ...INITIAL_STATE, phase: 'editing' };
  request: { typed?: string } | null = null;
  key: ICellKey | null = { notebookId: 'nb', cellId: 'c1' };
  readonly target = { key: () => this.key };

  get isBusy(): boolean {
    return ['waiting', 'streaming', 'running'].includes(this.state.phase);
  }

  setState(change: Partial<IGenerationState>): void {
    this.state = { ...this.state, ...change };
    this.changed.emit(this.state);
  }

  async ask(typed: string, phase: IGenerationState['phase'], turnId = 7) {
    this.request = { typed };
    this.setState({ phase: 'waiting' });
    this.setState({ phase: 'streaming' });
    this.setState({ phase, turnId });
    await Promise.resolve();
    await Promise.resolve();
  }
}

describe('RowMemory', () => {
  let row: FakeRow;
  let proposed: unknown[][];
  let failure: Error | null;
  let memory: RowMemory;

  beforeEach(() => {
    row = new FakeRow();
    proposed = [];
    failure = null;
    const service: Pick<IMemory, 'propose' | 'renderProposal'> = {
      propose: async (text, source) => {
        if (failure) {
          throw failure;
        }
        proposed.push([text, source]);
        return `id${proposed.length}`;
      },
      renderProposal: () => {
        throw new Error('not rendered here');
      }
    };
    memory = new RowMemory(row as never, service as IMemory);
  });

  it('proposes all of a request, with its cell as the source (P45)', async () => {
    expect(memory.isFor('plot by month')).toBe(false);
    expect(memory.isFor('请记住：用 polars')).toBe(true);
    expect(await memory.propose('请记住：用 polars')).toBe(true);
    const source = { notebookId: 'nb', cellId: 'c1', turnId: 0 };
    expect(proposed).toEqual([['用 polars', source]]);
    expect(memory.asked).toEqual({ id: 'id1', request: '请记住：用 polars' });
    memory.end('Remembered.');
    expect(memory.asked).toBeNull();
    expect(memory.result).toBe('Remembered.');
  });

  it('has no source in a notebook without an id', async () => {
    row.key = null;
    await memory.propose('remember x');
    expect(proposed).toEqual([['x', null]]);
  });

  it('says why a text isn’t proposed', async () => {
    failure = new ApiError(409, 'not_remembered', 'A password.');
    expect(await memory.propose('remember the key is sk-1')).toBe(false);
    expect(memory.asked).toBeNull();
    expect(memory.failure?.message).toBe('A password.');
    failure = null;
    await memory.propose('remember the key is order_id');
    expect(memory.failure).toBeNull();
  });

  it.each(['suggested', 'answered'] as const)(
    'proposes the last clause of a request that was %s',
    async phase => {
      await row.ask('plot it, and remember to use seaborn', phase);
      const source = { notebookId: 'nb', cellId: 'c1', turnId: 7 };
      expect(proposed).toEqual([['use seaborn', source]]);
      expect(memory.asked).toEqual({ id: 'id1', request: '' });
    }
  );

  it.each(['failed', 'stopped'] as const)(
    'proposes nothing for a request that %s',
    async phase => {
      await row.ask('plot it, and remember to use seaborn', phase);
      expect(proposed).toEqual([]);
    }
  );

  it('asks once about a request that is sent again or corrected', async () => {
    const text = '画图；记住用 seaborn';
    await row.ask(text, 'suggested');
    memory.end();
    await row.ask(text, 'suggested');
    expect(proposed).toHaveLength(1);
    await row.ask('画图；记住用 plotly', 'suggested');
    expect(proposed).toHaveLength(2);
  });

  it('asks nothing once the row is closed', async () => {
    await memory.propose('remember x');
    row.setState({ phase: 'idle' });
    expect(memory.asked).toBeNull();
    const stored = memory.propose('remember y');
    expect(await stored).toBe(true);
    row.setState({ phase: 'editing' });
    expect(memory.asked).toBeNull();
    expect(memory.failure).toBeNull();
  });
});
