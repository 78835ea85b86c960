import type { Kernel } from '@jupyterlab/services';

import { readJoinKeys } from './joinKeys';

function kernel(result: unknown) {
  const sent: string[] = [];
  const bytes = new TextEncoder().encode(JSON.stringify(result));
  const data = { 'text/plain': `'${btoa(String.fromCharCode(...bytes))}'` };
  const connection = {
    status: 'idle',
    requestExecute: (content: { user_expressions: { result: string } }) => {
      sent.push(content.user_expressions.result);
      const reply = { user_expressions: { result: { status: 'ok', data } } };
      return { done: Promise.resolve({ content: reply }), dispose: () => 0 };
    }
  };
  return {
    connection: connection as unknown as Kernel.IKernelConnection,
    sent
  };
}

describe('readJoinKeys', () => {
  it('returns what is valid, and passes names as texts', async () => {
    const key = {
      left: '订单',
      leftColumn: 'id',
      right: 'b',
      rightColumn: 'id',
      share: 0.5
    };
    const { connection, sent } = kernel({
      keys: [key, { ...key, share: null }, { ...key, left: 3 }, null, 'x']
    });
    expect(await readJoinKeys(connection, ['订单', 'a");x'])).toEqual([
      key,
      { ...key, share: null }
    ]);
    expect(JSON.stringify(sent[0])).toContain('join_keys(variables, [');
    expect(await readJoinKeys(kernel({}).connection, [])).toEqual([]);
    expect(await readJoinKeys(kernel(null).connection, [])).toEqual([]);
  });
});
