import type { Kernel } from '@jupyterlab/services';

/** A kernel in which each request ends as `done` does. */
export function fakeKernel(done: Promise<unknown>, status = 'idle') {
  const future = { done, dispose: jest.fn() };
  const requestExecute = jest.fn(
    (
      _content: { user_expressions: { result: string } },
      _disposeOnDone?: boolean
    ) => future
  );
  const connection = { status, requestExecute };
  return {
    future,
    requestExecute,
    connection: connection as unknown as Kernel.IKernelConnection
  };
}

/** A kernel that replies with this value of `user_expressions`. */
export const replying = (expressions: unknown) =>
  fakeKernel(Promise.resolve({ content: { user_expressions: expressions } }));

/** A kernel in which our functions return `result`. */
export const returning = (result: unknown) => replying(answer(result));

/** The value of `user_expressions` for a function's result. */
export function answer(result: unknown): unknown {
  const bytes = new TextEncoder().encode(JSON.stringify(result));
  const text = btoa(String.fromCharCode(...bytes));
  return { result: { status: 'ok', data: { 'text/plain': `'${text}'` } } };
}

/** A DataFrame whose columns have these types. */
export function frameOf(
  name: string,
  rowCount: number,
  dtypes: Record<string, string>
) {
  const columns = Object.entries(dtypes).map(([name, dtype]) => ({
    name,
    dtype
  }));
  const kind = 'pandas.DataFrame';
  return { name, kind, rowCount, columnCount: columns.length, columns };
}
