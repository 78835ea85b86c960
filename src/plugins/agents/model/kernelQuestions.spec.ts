/** Questions of the server about the kernel of an open notebook. */
import { answer, fakeKernel, frameOf } from '../../../kernel/request.fakes';
import { setFeatures } from '../../../state/features.fakes';
import { openWithTurn } from '../../../tracking/model/tracking.fakes';
import type { Question } from './messages';
import { Questions } from './questions';

const FRAME = frameOf('sales', 2, { price: 'int64' });
const LIST = { frames: [FRAME, { ...FRAME, name: 'other' }], variables: [] };
const ROWS = { rows: [['1'], ['2']] };
const SAMPLE = { columns: ['price'], ...ROWS };
const COUNTS = { rows: 2, missing: 0, distinct: 2 };
const PROFILE = {
  columns: [{ index: 0, name: 'price', dtype: 'int64', ...COUNTS }],
  next: null
};
const DESCRIBED = {
  ...FRAME,
  columns: [{ ...FRAME.columns[0], statistics: COUNTS }]
};
const CHECK = {
  problems: [
    {
      ...{ line: 1, column: 0, end_line: 1, end_column: 4 },
      ...{ kind: 'undefined_name', name: 'c', message: 'No c.', candidates: [] }
    }
  ],
  warnings: [],
  signals: []
};

/** Open a notebook whose kernel returns these results of our functions, one after the other. */
async function setup(...results: unknown[]) {
  const open = await openWithTurn();
  const kernel = fakeKernel(Promise.reject(new Error('asked too often')));
  kernel.future.done.catch(() => undefined);
  for (const result of results) {
    const content = { user_expressions: answer(result) };
    const done = Promise.resolve({ content });
    kernel.requestExecute.mockReturnValueOnce({ done, dispose: jest.fn() });
  }
  jest
    .spyOn(open.panel.sessionContext, 'session', 'get')
    .mockReturnValue({ kernel: kernel.connection } as never);
  const { identity, tracking } = open.page;
  const { localPath: path } = open.panel.context;
  const questions = new Questions({
    find: () => open.panel,
    identity,
    tracking,
    askPerson: async () => false
  });
  const ask = (question: object) =>
    questions.answer({ id: 'q', path, ...question } as Question);
  return { ask, kernel, open };
}

afterEach(() => setFeatures());

describe('the kernel of an open notebook', () => {
  it.each([
    [null, 'sample', [], LIST.frames],
    ['sales', 'schema', [], [FRAME]],
    ['sales', 'statistics', [PROFILE], [DESCRIBED]],
    ['sales', 'sample', [SAMPLE, PROFILE], [{ ...DESCRIBED, sample: ROWS }]],
    ['no', 'sample', [], []]
  ])('describes %s at the level %s', async (name, level, results, frames) => {
    const t = await setup(LIST, ...results);
    const question = { type: 'data', name, level };
    expect(await t.ask(question)).toEqual({ type: 'described', frames });
  });

  it('asks the person before an agent runs code', async () => {
    const t = await setup();
    const question = { type: 'permit', act: 'run', cells: [], code: 'x' };
    const answer = { type: 'permitted', allowed: false };
    expect(await t.ask(question)).toEqual(answer);
  });

  it('checks code for a cell, with the cells above', async () => {
    const t = await setup(CHECK, CHECK);
    const question = { type: 'check', source: 'c + 1', cell: 'bb' };
    expect(await t.ask(question)).toMatchObject({
      type: 'checked',
      problems: [{ kind: 'undefined_name', name: 'c', message: 'No c.' }]
    });
    const forNone = await t.ask({ ...question, cell: null });
    expect(forNone).toMatchObject({
      problems: [{ name: 'c', isDefinedAbove: true }]
    });
    expect(t.open.sources).toEqual(['a = 1\nb = 2', 'c = 4', '# 标题']);
  });

  it('says that it can’t tell', async () => {
    const t = await setup();
    const questions = [
      { type: 'data', name: null, level: 'schema' },
      { type: 'check', source: 'x', cell: null }
    ];
    for (const question of questions) {
      expect(await t.ask(question)).toMatchObject({ code: 'busy' });
    }
    jest
      .spyOn(t.open.panel.sessionContext, 'session', 'get')
      .mockReturnValue(null);
    for (const question of [...questions, { type: 'execute', code: 'x' }]) {
      expect(await t.ask(question)).toMatchObject({ code: 'busy' });
    }
  });
});

describe('code without a cell', () => {
  function replying(status: string, messages: object[], fails = false) {
    const future = {
      onIOPub: (_: object) => undefined as void,
      done: new Promise((resolve, reject) =>
        setTimeout(() => {
          messages.forEach(message => future.onIOPub(message));
          (fails ? reject : resolve)({ content: { status } });
        })
      )
    };
    return future as never;
  }
  const message = (msg_type: string, content: object) => ({
    header: { msg_type },
    content
  });

  it('runs in the kernel, without a number, and changes no cell', async () => {
    const t = await setup();
    const large = 'x'.repeat(100_000);
    t.kernel.requestExecute.mockReturnValueOnce(
      replying('ok', [
        message('status', { execution_state: 'busy' }),
        message('stream', { name: 'stdout', text: 'hello' }),
        message('execute_result', { data: { 'text/plain': large } })
      ])
    );
    const answer = await t.ask({ type: 'execute', code: 'print(1)' });
    expect(answer).toEqual({
      type: 'ran',
      cells: [
        {
          ...{ id: null, status: 'ok', executionCount: null },
          outputs: [{ output_type: 'stream', name: 'stdout', text: 'hello' }]
        }
      ]
    });
    expect(t.kernel.requestExecute.mock.calls[0][0]).toEqual({
      ...{ code: 'print(1)', store_history: false, allow_stdin: false },
      stop_on_error: false
    });
    expect(t.open.sources).toEqual(['a = 1\nb = 2', 'c = 4', '# 标题']);
  });

  it.each([
    ['error', false, 'error'],
    ['abort', false, 'aborted'],
    ['ok', true, 'aborted']
  ])('reports how it ended: %s, stopped: %s', async (status, fails, result) => {
    const t = await setup();
    t.kernel.requestExecute.mockReturnValueOnce(replying(status, [], fails));
    const answer = await t.ask({ type: 'execute', code: 'x' });
    expect(answer).toMatchObject({ cells: [{ status: result }] });
  });

  it('isn’t run if the administrator forbids it', async () => {
    setFeatures({ running: 'forbidden' });
    const t = await setup();
    const answer = await t.ask({ type: 'execute', code: 'x' });
    expect(answer).toMatchObject({ code: 'busy' });
    expect(t.kernel.requestExecute).not.toHaveBeenCalled();
  });
});
