import { nullTranslator } from '@jupyterlab/translation';

import {
  answer,
  fakeKernel,
  frameOf,
  replying,
  returning
} from './request.fakes';
import { listDataFrames, readVariables } from './variables';

const trans = nullTranslator.load('aiserver');

const PROFILE = frameOf('销售', 2, { 价格: 'float64' });

describe('readVariables', () => {
  const DATA = {
    language: 'python',
    frames: [PROFILE],
    variables: [{ name: 'x', kind: 'int' }]
  };

  it('reads the frames and the other variables', async () => {
    const t = returning(DATA);
    expect(await readVariables(t.connection, 'python', 2)).toEqual(DATA);
    const [content] = t.requestExecute.mock.calls[0];
    expect(JSON.stringify(content)).toContain('describe(variables, 2, False)');
  });

  it('reads the values of variables if it is asked to', async () => {
    const data = {
      ...DATA,
      variables: [{ name: 'x', kind: 'int', value: '3' }]
    };
    const t = returning(data);
    expect(await readVariables(t.connection, 'python', 0, true)).toEqual(data);
    const [content] = t.requestExecute.mock.calls[0];
    expect(JSON.stringify(content)).toContain('describe(variables, 0, True)');
  });

  it.each([
    [undefined],
    [{}],
    [{ result: { status: 'error' } }],
    [{ result: { status: 'ok', data: { 'text/plain': "'!!'" } } }],
    [answer(null)],
    [answer({ not: 'a list' })]
  ])('rejects an invalid reply: %j', async value => {
    await expect(
      readVariables(replying(value).connection, 'python')
    ).rejects.toThrow();
  });

  it('skips what is invalid', async () => {
    const frames = [null, 3, { name: 3 }, { ...PROFILE, rowCount: 'many' }];
    const t = returning({
      frames: [...frames, PROFILE],
      variables: [null, { name: 'x' }, ...DATA.variables]
    });
    expect(await readVariables(t.connection, 'python')).toEqual(DATA);
  });
});

describe('listDataFrames', () => {
  it('leaves no trace in the kernel (P18)', async () => {
    const t = returning({ frames: [PROFILE], variables: [] });
    expect(await listDataFrames(t.connection, 'python', trans)).toEqual([
      PROFILE
    ]);
    expect(t.requestExecute.mock.calls[0][0]).toMatchObject({
      code: '',
      silent: true,
      store_history: false
    });
    expect(t.future.dispose).toHaveBeenCalled();
  });

  it('does not wait for a busy kernel, and requires a kernel of Python or R', async () => {
    const busy = fakeKernel(new Promise(() => undefined), 'busy');
    await expect(
      listDataFrames(busy.connection, 'python', trans)
    ).rejects.toThrow('busy');
    expect(busy.requestExecute).not.toHaveBeenCalled();
    await expect(listDataFrames(null, 'python', trans)).rejects.toThrow(
      'No kernel'
    );
    await expect(
      listDataFrames(busy.connection, 'julia', trans)
    ).rejects.toThrow('Python');
  });

  it('gives up on a kernel that does not answer', async () => {
    jest.useFakeTimers();
    const t = fakeKernel(new Promise(() => undefined));
    const result = listDataFrames(t.connection, 'python', trans);
    const failed = expect(result).rejects.toThrow('busy');
    await jest.runAllTimersAsync();
    await failed;
    expect(t.future.dispose).toHaveBeenCalled();
    jest.useRealTimers();
  });

  it('reports a kernel that dies during the request', async () => {
    const t = fakeKernel(Promise.reject(new Error('Canceled future')));
    await expect(listDataFrames(t.connection, 'python', trans)).rejects.toThrow(
      'could not list'
    );
    expect(t.future.dispose).toHaveBeenCalled();
  });

  it('reports a kernel that can’t list its DataFrames', async () => {
    const t = fakeKernel(Promise.resolve({ content: { status: 'error' } }));
    await expect(listDataFrames(t.connection, 'python', trans)).rejects.toThrow(
      'could not list'
    );
  });
});
