import type { Kernel } from '@jupyterlab/services';

import { R } from './rCode';
import { DataLanguage, KernelBusyError, callFunction, isRun } from './request';

const reply = {
  content: {
    user_expressions: {
      result: { status: 'ok', data: { 'text/plain': `'${btoa('1')}'` } }
    }
  }
};

/** A kernel that is busy from each request until its reply, like a real one. */
function kernel() {
  const finish: (() => void)[] = [];
  const connection = {
    status: 'idle',
    requestExecute: jest.fn(() => {
      connection.status = 'busy';
      const done = new Promise(resolve => {
        finish.push(() => {
          resolve(reply);
          // The connection updates its status after it has ended the request.
          void Promise.resolve().then(() => (connection.status = 'idle'));
        });
      });
      return { done, dispose: () => undefined };
    })
  };
  return {
    connection: connection as unknown as Kernel.IKernelConnection,
    requests: connection.requestExecute,
    finish
  };
}

const nextTask = () => new Promise(resolve => setTimeout(resolve, 5));

describe('callFunction in Python', () => {
  const load = () => 'm';

  it('sends one request after the other', async () => {
    const t = kernel();
    const results = [
      callFunction(t.connection, 'python', load, 'a'),
      callFunction(t.connection, 'python', load, 'b')
    ];
    await nextTask();
    expect(t.requests).toHaveBeenCalledTimes(1);
    t.finish[0]();
    expect(await results[0]).toBe(1);
    await nextTask();
    expect(t.requests).toHaveBeenCalledTimes(2);
    t.finish[1]();
    expect(await results[1]).toBe(1);
  });

  it('asks nothing of a kernel that runs something else', async () => {
    const t = kernel();
    (t.connection as { status: string }).status = 'busy';
    const result = callFunction(t.connection, 'python', load, 'a');
    await expect(result).rejects.toThrow(KernelBusyError);
    expect(t.requests).not.toHaveBeenCalled();
  });
});

/** A kernel of R that displays `outputs`. */
function rKernel(...outputs: object[]) {
  const requestExecute = jest.fn(
    (_content: { code: string; silent: boolean }) => {
      const future = {
        onIOPub: (_message: unknown) => undefined,
        dispose: () => undefined,
        get done() {
          outputs.forEach(data =>
            future.onIOPub({
              header: { msg_type: 'display_data' },
              content: { data }
            })
          );
          return Promise.resolve({ content: {} });
        }
      };
      return future;
    }
  );
  return {
    connection: {
      status: 'idle',
      requestExecute
    } as unknown as Kernel.IKernelConnection,
    requestExecute
  };
}

describe('callFunction', () => {
  const RESULT = 'application/vnd.aiserver.result';

  it('reads the result of R from what it displays', async () => {
    const t = rKernel({ 'text/plain': 'x' }, { [RESULT]: btoa('{"a":[1]}') });
    const load = jest.fn();
    const result = callFunction(t.connection, 'r', load, 'list_data');
    expect(await result).toEqual({ a: [1] });
    expect(load).not.toHaveBeenCalled();
    expect(t.requestExecute.mock.calls[0][0]).toEqual({
      code: R.replace('__CALL__', 'list_data(variables)'),
      silent: true,
      store_history: false,
      allow_stdin: false,
      stop_on_error: false
    });
  });

  it('fails if a kernel of R displays nothing', async () => {
    const { connection } = rKernel();
    const result = callFunction(connection, 'r', () => '', 'list_data');
    await expect(result).rejects.toThrow('could not evaluate');
  });

  it.each<[DataLanguage, string]>([
    ['python', '("f(variables, \\"a\\\\\\"$&价\\", 3, True)", space)'],
    ['r', 'answer(f(variables, "a\\"$&\\u4ef7", 3, TRUE))']
  ])('writes the arguments for %s', async (language, text) => {
    const { connection, requestExecute } = rKernel();
    const args = ['a"$&价', 3, true] as const;
    const load = () => 'module';
    await callFunction(connection, language, load, 'f', ...args).catch(
      () => undefined
    );
    expect(JSON.stringify(requestExecute.mock.calls[0][0])).toContain(
      JSON.stringify(text).slice(1, -1)
    );
  });

  it('writes no lone surrogates for R, in which they are a syntax error', async () => {
    const { connection, requestExecute } = rKernel();
    const result = callFunction(connection, 'r', () => '', 'f', '\ud83d😀');
    await expect(result).rejects.toThrow();
    const [{ code }] = requestExecute.mock.calls[0];
    expect(code).toContain('f(variables, "?\\ud83d\\ude00")');
  });
});

describe('isRun', () => {
  const message = (code: string, msg_type = 'execute_input') =>
    ({ header: { msg_type }, content: { code } }) as never;

  it('is true for code of the person, and false for ours in R', () => {
    expect(isRun(message('x <- 1'))).toBe(true);
    expect(isRun(message('x <- 1', 'status'))).toBe(false);
    expect(isRun(message(R.replace('__CALL__', 'f(variables)')))).toBe(false);
  });
});
