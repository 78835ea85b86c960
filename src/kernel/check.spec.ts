import type { Kernel } from '@jupyterlab/services';

import { checkCode } from './check';

const PROBLEM = {
  line: 1,
  column: 3,
  end_line: 1,
  end_column: 8,
  kind: 'missing_column',
  name: '价钱',
  message: 'df has no column',
  candidates: ['价格'],
  package: '',
  import: 'import re'
};

function kernel(result: unknown) {
  const bytes = new TextEncoder().encode(JSON.stringify(result));
  const text = btoa(String.fromCharCode(...bytes));
  const requestExecute = jest.fn(
    (_content: { user_expressions: { result: string } }) => ({
      done: Promise.resolve({
        content: {
          user_expressions: {
            result: { status: 'ok', data: { 'text/plain': `'${text}'` } }
          }
        }
      }),
      dispose: () => undefined
    })
  );
  const connection = { status: 'idle', requestExecute };
  return {
    requestExecute,
    connection: connection as unknown as Kernel.IKernelConnection
  };
}

describe('checkCode', () => {
  it('returns the valid problems', async () => {
    const t = kernel([null, { ...PROBLEM, line: 'x' }, PROBLEM]);
    const { end_line: endLine, end_column: endColumn, ...rest } = PROBLEM;
    expect(await checkCode(t.connection, 'df["价钱"]')).toEqual([
      { ...rest, endLine, endColumn }
    ]);
  });

  it('sends the code unchanged', async () => {
    const t = kernel([]);
    const code = 'print("😀", \'"\', """\\n""")';
    await checkCode(t.connection, code);
    const [{ user_expressions: sent }] = t.requestExecute.mock.calls[0];
    const base64 = /b64decode\(\\"([A-Za-z0-9+/=]+)\\"\)/.exec(
      sent.result
    )?.[1];
    const bytes = Uint8Array.from(atob(base64 ?? ''), c => c.charCodeAt(0));
    expect(new TextDecoder().decode(bytes)).toBe(code);
  });

  it('sends the request that the code answers', async () => {
    const t = kernel([]);
    await checkCode(t.connection, 'x', { source: '价', mode: 'document' });
    const [{ user_expressions: sent }] = t.requestExecute.mock.calls[0];
    expect(sent.result).toMatch(
      /variables, original=.*b64decode\(\\"5Lu3\\"\).*, mode=.*ZG9jdW1lbnQ=/
    );
  });

  it('rejects a result that is no list', async () => {
    await expect(checkCode(kernel({}).connection, 'x')).rejects.toThrow();
  });
});
