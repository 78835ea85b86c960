import { readJoinKeys } from './joinKeys';
import { returning } from './request.fakes';

describe('readJoinKeys', () => {
  it('returns what is valid, and passes names as texts', async () => {
    const key = {
      left: '订单',
      leftColumn: 'id',
      right: 'b',
      rightColumn: 'id',
      share: 0.5
    };
    const { connection, requestExecute } = returning({
      keys: [key, { ...key, share: null }, { ...key, left: 3 }, null, 'x']
    });
    expect(await readJoinKeys(connection, ['订单', 'a");x'])).toEqual([
      key,
      { ...key, share: null }
    ]);
    expect(JSON.stringify(requestExecute.mock.calls[0])).toContain(
      'join_keys(variables, ['
    );
    expect(await readJoinKeys(returning({}).connection, [])).toEqual([]);
    expect(await readJoinKeys(returning(null).connection, [])).toEqual([]);
  });
});
