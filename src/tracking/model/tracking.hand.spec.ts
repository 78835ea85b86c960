/** What is noted of what people write and run, and when. */
import { ApiError } from '../../api/request';
import { replaceSource } from '../../cells/applySource';
import { asked, playKernel } from './tracking.fakes';
import { held } from './tracking.receiver.fakes';

beforeAll(() => playKernel());
afterEach(() => document.body.replaceChildren());

describe('what is written by hand', () => {
  it('costs nothing while keys are pressed, and is noted when it matters', async () => {
    const open = await asked();
    const { receiver } = open.page;
    receiver.bodies = [];
    for (const text of ['p', 'pr', 'print(1)']) {
      open.type(0, text);
    }
    await open.rest();
    expect(receiver.bodies).toEqual([]);
    await open.run(0);
    const [edit, run] = receiver.events(open.id, 'aa').slice(1);
    expect(edit).toMatchObject({
      source: 'print(1)',
      data: { trigger: 'run' }
    });
    expect(run).toMatchObject({
      type: 'run',
      source: 'print(1)',
      data: { status: 'ok', outputs: { text: 'print(1)' } }
    });
    open.type(0, 'print(2)');
    await open.save();
    await open.save();
    expect(receiver.events(open.id, 'aa', 'edit').slice(2)).toMatchObject([
      { source: 'print(2)', data: { trigger: 'save' } }
    ]);
    expect(receiver.logs.get(open.id)!.at(-1)).toMatchObject({ saved: true });
  });

  it('is noted before a request, and does not say again what the request says', async () => {
    const open = await asked();
    open.type(0, 'mine');
    open.type(1, 'c = 5');
    await open.ask(1, 'c = 6');
    expect(open.kinds('aa')).toEqual(['edit', 'edit']);
    expect(open.kinds('bb')).toEqual(['turn', 'accept', 'edit', 'turn']);
  });

  it('is not lost where Accept replaces it', async () => {
    const open = await asked();
    const model = await open.ask(1, 'c = 6');
    open.type(1, 'typed meanwhile');
    await model.accept();
    await open.save();
    const events = open.page.receiver.events(open.id, 'bb').slice(1);
    expect(events.map(({ type, source }) => [type, source])).toEqual([
      ['edit', 'typed meanwhile'],
      ['accept', 'c = 6']
    ]);
  });

  it('is not lost where a program replaces it', async () => {
    const open = await asked();
    open.type(0, 'x=1');
    const model = open.panel.content.widgets[0].model.sharedModel;
    replaceSource(model as never, 'x = 1');
    await open.save();
    const edits = open.page.receiver.events(open.id, 'aa', 'edit').slice(1);
    expect(edits.map(({ source }) => source)).toEqual(['x=1', 'x = 1']);
  });

  it('is noted when the page is left or the notebook closed', async () => {
    const open = await asked();
    open.type(0, 'left');
    open.page.tracking.leave();
    await open.rest();
    open.type(0, 'closed');
    open.close();
    await open.rest();
    const edits = open.page.receiver.sessions.get(
      [...open.page.receiver.sessions.keys()].find(key => key.endsWith('/aa'))!
    )!.records;
    expect(edits.slice(1).map(({ source }) => source)).toEqual([
      'left',
      'closed'
    ]);
  });

  it('goes on its way in order when the server was away', async () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    try {
      const open = await asked();
      const { receiver } = open.page;
      receiver.failure = new ApiError(0, 'unreachable', '');
      open.type(0, 'one');
      await open.run(0);
      await open.page.history
        .record({ notebookId: open.id, cellId: 'aa' }, [
          { type: 'restore', source: 'two' }
        ])
        .catch(() => undefined);
      open.type(0, 'three');
      await open.save();
      expect(open.page.history.hasUnsent).toBe(true);
      receiver.failure = null;
      await jest.advanceTimersByTimeAsync(120_000);
      expect(open.page.history.hasUnsent).toBe(false);
      expect(
        receiver.events(open.id, 'aa').map(({ type, source }) => [type, source])
      ).toEqual([
        ['edit', 'a = 1\nb = 2'],
        ['edit', 'one'],
        ['run', 'one'],
        ['restore', 'two'],
        ['edit', 'three']
      ]);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('runs', () => {
  it('are told with the error they ended with', async () => {
    const open = await asked();
    open.type(0, 'raise ValueError');
    await open.run(0);
    const [run] = open.page.receiver.events(open.id, 'aa', 'run');
    expect(run.data).toMatchObject({
      status: 'error',
      ename: 'ValueError',
      evalue: 'no',
      outputs: { text: 'ValueError: no' }
    });
    expect(run.data!.duration_ms).toBeGreaterThanOrEqual(0);
  });

  it('keep no outputs where the person doesn’t want it', async () => {
    const open = await asked();
    open.page.tracking.keepsOutputs = false;
    await open.run(0);
    const [run] = open.page.receiver.events(open.id, 'aa', 'run');
    expect(run.data).not.toHaveProperty('outputs');
  });
});

describe('a large cell', () => {
  it.each([199_999, 200_001, 250_000, 1_000_000])(
    'comes back whole from its save: %s characters',
    async length => {
      const open = await asked();
      const source = 'x'.repeat(length);
      open.panel.content.model!.cells.get(0).sharedModel.setSource(source);
      await open.save();
      const { receiver } = open.page;
      const { records } = receiver.session(open.id, 'aa')!;
      expect(held(records) === source).toBe(true);
    }
  );

  it('is said to be too large, once, where it is larger than that', async () => {
    const open = await asked();
    const { sharedModel } = open.panel.content.model!.cells.get(0);
    sharedModel.setSource('x'.repeat(1_000_001));
    await open.save();
    open.page.tracking.leave();
    await open.rest();
    const events = open.page.receiver.events(open.id, 'aa', 'edit');
    expect(events.slice(1).map(({ source, data }) => [source, data])).toEqual([
      [undefined, { trigger: 'save', too_long: 1_000_001 }]
    ]);
  });
});
