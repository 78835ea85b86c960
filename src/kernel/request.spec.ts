import type { Kernel } from '@jupyterlab/services';

import { KernelBusyError, callInKernel } from './request';

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

describe('callInKernel', () => {
  it('sends one request after the other', async () => {
    const t = kernel();
    const results = [
      callInKernel(t.connection, 'm', 'a'),
      callInKernel(t.connection, 'm', 'b')
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
    const result = callInKernel(t.connection, 'm', 'a');
    await expect(result).rejects.toThrow(KernelBusyError);
    expect(t.requests).not.toHaveBeenCalled();
  });
});
