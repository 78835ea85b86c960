import { ApiError } from '../../api/request';
import type { IKernelVariables } from '../../kernel/variables';
import { requestNumber } from './state';
import { MODEL, code, done, setup, start } from './generation.fakes';
import { frameOf } from '../../kernel/request.fakes';

describe('GenerationModel', () => {
  it('attaches the kernel’s DataFrames and variables, with values for a local model', async () => {
    const t = setup();
    const frames = [{ name: 'x', kind: '', rowCount: 1, columnCount: 0 }];
    const variables = [{ name: 'n', kind: 'int' }];
    t.target.variables.mockResolvedValue({ frames, variables });
    t.model.open();
    await t.until(state => state.kernel.frames.length === 1);
    expect(t.target.variables).toHaveBeenCalledWith(2);
    void t.model.ask('plot it');
    await t.requested(1);
    expect(t.bodies[0].context).toMatchObject({
      dataframes: frames,
      variables
    });
    expect(t.bodies[0]).not.toHaveProperty('dataframes');
  });

  it('waits for the kernel’s data if a request is sent at once (P15)', async () => {
    const t = setup();
    let read: (kernel: IKernelVariables) => void = () => undefined;
    t.target.variables.mockReturnValue(
      new Promise(resolve => (read = resolve))
    );
    t.model.open();
    let isRead = false;
    const waiting = t.model.waitForKernel().then(() => (isRead = true));
    await new Promise(resolve => setTimeout(resolve));
    expect(isRead).toBe(false);
    const frame = { name: 'df', kind: 'x', rowCount: 1, columnCount: 1 };
    read({ frames: [{ ...frame, columns: [] }], variables: [] });
    await waiting;
    expect(t.model.state.kernel.frames).toHaveLength(1);
    expect(t.model.attachedFrames('df')).toHaveLength(1);
  });

  it('attaches the DataFrames that an open suggestion names to a request to change it', async () => {
    const t = setup();
    const frame = { kind: 'x', rowCount: 1, columnCount: 1, columns: [] };
    const frames = ['orders', 'customers'].map(name => ({ ...frame, name }));
    t.target.variables.mockResolvedValue({ frames, variables: [] });
    t.model.open();
    await t.until(state => state.kernel.frames.length === 2);
    const names = () => t.model.attachedFrames('').map(({ name }) => name);
    void t.model.ask('save the business customers');
    const feed = await t.requested(1);
    expect(names()).toEqual([]);
    feed.push(start(), done(1, 'customers.to_csv("a.csv")'), null);
    await t.phase('suggested');
    expect(names()).toEqual(['customers']);
    // While the next answer arrives, the request is still about the suggestion that it changes.
    void t.model.ask('without the index');
    const next = await t.requested(2);
    expect(t.bodies[1].context?.dataframes).toMatchObject([
      { name: 'customers' }
    ]);
    next.push(start(), code('orders'));
    await t.until(state => state.code === 'orders');
    expect(names()).toEqual(['customers']);
    next.push(done(2, 'orders.to_csv("a.csv")'), null);
    await t.phase('suggested');
    expect(names()).toEqual(['orders']);
  });

  it('proceeds from a request to a suggestion, and changes the cell only on Accept', async () => {
    const t = setup();
    t.model.open();
    await t.until(state => state.model !== null);
    void t.model.ask('  do it ');
    expect(t.model.state.phase).toBe('waiting');
    const feed = await t.requested(1);
    feed.push(start(), code('x = '), code('2'));
    await t.until(state => state.code === 'x = 2');
    expect(t.model.state.phase).toBe('streaming');
    feed.push(done(1, 'x = 2\n'), null);
    await t.phase('suggested');
    expect(t.model.state).toMatchObject({ code: 'x = 2\n', turnId: 1 });
    expect(t.source()).toBe('x = 1');
    expect(t.bodies[0]).toEqual({
      notebookId: 'nb',
      cellId: 'c1',
      intent: 'do it',
      source: 'x = 1',
      language: 'python',
      cellType: 'code',
      context: { cells: [], kernel: 'Python 3', dataframes: [], variables: [] },
      notebookPath: 'a.ipynb'
    });

    expect(await t.model.decision.accept()).toBe(true);
    expect(t.source()).toBe('x = 2\n');
    expect(t.recorded).toEqual([
      { type: 'accept', turnId: 1, source: 'x = 2\n' }
    ]);
    expect(t.model.state.phase).toBe('idle');
  });

  it('warms up the model when the row opens, and ignores a failure', async () => {
    const t = setup();
    t.api.warmUp.mockRejectedValueOnce(new ApiError(503, 'x', 'x'));
    t.model.open();
    while (!t.api.warmUp.mock.calls.length) {
      await Promise.resolve();
    }
    expect(t.api.warmUp).toHaveBeenCalledWith({
      notebookId: 'nb',
      cellId: 'c1',
      notebookPath: 'a.ipynb',
      source: 'x = 1',
      language: 'python',
      cellType: 'code',
      context: { cells: [], kernel: 'Python 3', dataframes: [], variables: [] }
    });
    expect(t.model.state).toMatchObject({ phase: 'editing', failure: null });
  });

  it('warms up the model again when a rules file was chosen in the open row', async () => {
    const t = setup();
    t.model.onRulesChanged(null, 'choice');
    t.model.open();
    while (!t.api.warmUp.mock.calls.length) {
      await Promise.resolve();
    }
    expect(t.api.warmUp).toHaveBeenCalledTimes(1);
    t.model.onRulesChanged(null, 'list');
    expect(t.api.warmUp).toHaveBeenCalledTimes(1);
    t.model.onRulesChanged(null, 'choice');
    expect(t.api.warmUp).toHaveBeenCalledTimes(2);
  });

  it('reports at once that no model is set up, with the command that installs it', async () => {
    const t = setup();
    const broken = {
      ...MODEL,
      ready: false,
      problem: 'Needs a package.',
      install: 'pip install x'
    };
    t.history.models.mockResolvedValueOnce({
      default: MODEL.id,
      models: [broken]
    });
    t.model.open();
    const state = await t.until(({ failure }) => failure !== null);
    expect(state.failure).toEqual({
      code: 'no_model',
      message: 'Needs a package.',
      install: 'pip install x'
    });
    await t.model.retry(); // "Try again" looks for a model again.
    await t.until(({ failure }) => failure === null);
  });

  it('continues from an older turn for one request, and then from its answer', async () => {
    const t = setup();
    t.model.open();
    t.model.branchFrom({ turnId: 3, title: 'plot' });
    t.model.close();
    t.model.open(); // The branch survives closing and opening.
    void t.model.ask('otherwise');
    (await t.requested(1)).push(start(), done(5, 'y = 1'), null);
    await t.phase('suggested');
    expect(t.bodies[0]).toMatchObject({ source: 'x = 1', parentTurnId: 3 });
    expect(t.model.state.branch).toBeNull();
    await t.model.decision.accept();
    void t.model.ask('more');
    await t.requested(2);
    expect(t.bodies[1].parentTurnId).toBeUndefined();
  });

  it('keeps the choice of DataFrames and levels until it is sent (P15)', async () => {
    const t = setup();
    t.model.open();
    t.model.removeDataFrame('sales');
    t.target.dataValues.mockResolvedValue({
      columns: [],
      sample: { columns: [], rows: [] }
    });
    await t.model.chooseLevel('df', 'statistics');
    const choices = () => {
      const { detached, levels } = t.model.state;
      return [...detached, ...levels.keys()];
    };
    t.model.close('per region');
    t.model.open();
    expect(choices()).toEqual(['sales', 'df']);
    void t.model.ask('per region');
    (await t.requested(1)).push(start(), done(1, 'y = 1'), null);
    expect(t.bodies[0].context).toMatchObject({ detached: ['sales'] });
    await t.phase('suggested');
    t.model.inputText = 'and sort it'; // The next request, with the same chips.
    await t.model.decision.accept();
    expect(choices()).toEqual(['sales', 'df']);
    t.model.inputText = '';
    await t.answer('and sort it', 'y = 2');
    await t.model.decision.accept();
    expect(choices()).toEqual([]);
  });

  it('leaves an open suggestion for another branch without a decision', async () => {
    const t = setup();
    await t.answer('one', 'y = 1');
    t.model.branchFrom(null); // This removes nothing.
    expect(t.model.state.phase).toBe('suggested');
    t.model.branchFrom({ turnId: 1, title: 'one' });
    expect(t.model.state).toMatchObject({
      phase: 'editing',
      branch: { turnId: 1 }
    });
    expect(t.recorded).toEqual([]);
    expect(t.source()).toBe('x = 1');
  });

  it('sends DataFrames with the request, and normalizes line breaks', async () => {
    const t = setup();
    const profile = frameOf('df', 2, { a: 'int64' });
    t.model.setState({ dataframes: [profile] });
    await t.answer('sum', 'a\r\nb');
    expect(t.bodies[0]).toMatchObject({ dataframes: [profile] });
    expect(t.model.state.code).toBe('a\nb');
  });

  it('starts a new conversation with an event and a notice', async () => {
    const t = setup();
    t.model.open();
    await t.model.reset();
    expect(t.recorded).toEqual([{ type: 'context_reset' }]);
    expect(t.model.state.notice).toBe('reset');
  });

  it('aborts the stream on disposal and emits nothing more', async () => {
    const t = setup();
    void t.model.ask('one');
    const feed = await t.requested(1);
    feed.push(start());
    await t.until(state => state.turnId === 1);
    const count = t.states.length;
    t.model.dispose();
    expect(t.signals[0]?.aborted).toBe(true);
    feed.push(done(1, 'y'), null);
    await Promise.resolve();
    expect(t.states).toHaveLength(count);
    expect(t.source()).toBe('x = 1');
  });

  it('loads past turns again after a failure', async () => {
    const t = setup();
    t.steps.push({ kind: 'turn', title: 'earlier', turnId: 1 });
    t.history.replay.mockRejectedValueOnce(new ApiError(0, 'unreachable', ''));
    t.model.open();
    await t.until(state => state.model !== null);
    expect(t.model.state.turnId).toBeNull();
    t.model.close();
    t.model.open();
    expect(await t.until(({ turnId }) => turnId !== null)).toMatchObject({
      turnId: 2
    });
    expect(t.model.intents.previous('')).toBe('earlier');
    t.model.close();
    t.model.open();
    expect(t.history.replay).toHaveBeenCalledTimes(2);
  });

  it('counts the versions of a cell, not the requests without an answer', async () => {
    const t = setup();
    t.steps.push(
      { kind: 'turn', title: 'one', turnId: 1, outcome: 'accepted' },
      { kind: 'turn', title: 'two', turnId: 2, outcome: 'error' },
      { kind: 'turn', title: 'three', turnId: 3, outcome: 'cancelled' }
    );
    t.model.open();
    await t.until(({ turnId }) => turnId === 4);
    expect(requestNumber(t.model.state)).toBe(2);
    void t.model.ask('four');
    const failed = { type: 'error', code: 'error', message: '' } as const;
    (await t.requested(1)).push(start(4), failed, null);
    await t.phase('failed');
    expect(requestNumber(t.model.state)).toBe(2);
    void t.model.ask('five');
    (await t.requested(2)).push(start(5), done(5, 'x'), null);
    await t.phase('suggested');
    expect(requestNumber(t.model.state)).toBe(2);
    void t.model.ask('six'); // The previous suggestion is restored with its number.
    (await t.requested(3)).push(start(6), failed, null);
    await t.until(({ failure }) => failure !== null);
    expect(requestNumber(t.model.state)).toBe(2);
    await t.model.decision.accept();
    expect(t.model.state.turnId).toBe(6);
  });

  it('clears a model’s failure once another model is chosen', async () => {
    const t = setup();
    const OTHER = { ...MODEL, id: 'test:other' };
    t.history.models.mockResolvedValue({
      default: MODEL.id,
      models: [MODEL, OTHER]
    });
    t.model.open();
    void t.model.ask('go');
    (await t.requested(1)).push(
      start(),
      { type: 'error', code: 'model_auth_failed', message: '' },
      null
    );
    await t.phase('failed');
    await t.model.refreshModel(); // A refresh changes nothing.
    expect(t.model.state.failure?.code).toBe('model_auth_failed');
    t.model.setCellModel(OTHER.id);
    const state = await t.until(({ failure }) => !failure);
    expect(state).toMatchObject({ model: OTHER, draft: 'go' });
  });
});
