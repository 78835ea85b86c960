import { returning } from './request.fakes';
import { readSignals, readState } from './signals';

const RUN = { code: 'x = df', ownCode: '', isChange: true };

describe('signals', () => {
  it('returns the valid ones', async () => {
    const signal = {
      kind: 'empty',
      name: 'x',
      labels: [],
      before: 0,
      after: 0
    };
    const t = returning({ signals: [{ kind: 'empty' }, signal] });
    expect(await readSignals(t.connection, RUN, '{}', '')).toEqual([signal]);
    await expect(
      readSignals(returning({}).connection, RUN, '{}', '')
    ).rejects.toThrow();
  });

  it('returns the state before a run', async () => {
    const { connection } = returning({ state: '{}' });
    expect(await readState(connection, 'x = df')).toBe('{}');
    await expect(readState(returning({}).connection, 'x')).rejects.toThrow();
  });
});
