import { ApiError } from '../api/request';
import type { StreamEvent } from '../api/types';
import { MODEL, code, done, setup, start } from './generation.fakes';

describe('GenerationModel', () => {
  it('goes from asking to a suggestion, and leaves the cell alone until Accept', async () => {
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
      context: { cells: [], kernel: 'Python 3' },
      notebookPath: 'a.ipynb'
    });

    expect(await t.model.accept()).toBe(true);
    expect(t.source()).toBe('x = 2\n');
    expect(t.recorded).toEqual([
      { type: 'accept', turnId: 1, source: 'x = 2\n' }
    ]);
    expect(t.model.state.phase).toBe('idle');
  });

  it('says that an answer changes nothing, until the cell holds something else (P38)', async () => {
    const t = setup();
    t.model.open();
    void t.model.ask('修一下');
    const feed = await t.requested(1);
    feed.push(start(), done(1, 'x = 1\n'), null);
    await t.phase('suggested');
    expect(t.model.state.notice).toBe('same');
    t.target.apply('x = 3');
    t.model.sourceChanged();
    expect(t.model.state).toMatchObject({ notice: null, edited: true });
  });

  it('warms the model when the row opens, and minds no failure of that', async () => {
    const t = setup();
    t.api.warmUp.mockRejectedValueOnce(new ApiError(503, 'x', 'x'));
    t.model.open();
    await t.until(state => state.model !== null);
    expect(t.api.warmUp).toHaveBeenCalledWith({
      notebookId: 'nb',
      cellId: 'c1',
      source: 'x = 1',
      language: 'python',
      cellType: 'code',
      context: { cells: [], kernel: 'Python 3' }
    });
    expect(t.model.state).toMatchObject({ phase: 'asking', failure: null });
  });

  it('says at once that no model is set up, with the command that mends it', async () => {
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
    await t.model.again(); // "Try again" looks for a model once more.
    await t.until(({ failure }) => failure === null);
  });

  it('tells how many changes of the suggestion were left when it is accepted in part', async () => {
    const t = setup({ source: 'a\nb\nc\nd\ne' });
    void t.model.ask('shout');
    (await t.requested(1)).push(start(), done(1, 'A\nb\nc\nd\nE'), null);
    await t.phase('suggested');
    t.model.revise('A\nb\nc\nd\ne');
    await t.model.accept();
    expect(t.recorded).toEqual([
      {
        type: 'accept',
        turnId: 1,
        source: 'A\nb\nc\nd\ne',
        data: { hunks: { accepted: 1, of: 2 } }
      }
    ]);
  });

  it('rejects: the cell stays, the history knows', async () => {
    const t = setup();
    void t.model.ask('do it');
    (await t.requested(1)).push(start(), done(1, 'y'), null);
    await t.phase('suggested');
    await t.model.reject();
    expect(t.source()).toBe('x = 1');
    expect(t.recorded).toEqual([
      { type: 'reject', turnId: 1, source: 'x = 1' }
    ]);
    // The number of the next turn is known when the row opens again.
    expect(t.model.state).toMatchObject({ phase: 'idle', turnId: 2 });
  });

  it.each<[string, (StreamEvent | Error | null)[]]>([
    ['the connection ends without a word', [null]],
    ['it is cut after the start', [start(), null]],
    ['it is cut in the code', [start(), code('x ='), null]],
    ['the body breaks', [start(), code('x ='), new Error('network error')]]
  ])('ends once and as interrupted when %s (P32, P36)', async (_, events) => {
    const t = setup();
    t.steps.push({ kind: 'turn', title: 'do it', turnId: 1 });
    void t.model.ask('do it');
    (await t.requested(1)).push(...events);
    const state = await t.phase('failed');
    expect(state).toMatchObject({
      code: '',
      draft: 'do it',
      // What began is a turn: the row names the one that comes next.
      turnId: events[0] ? 2 : null,
      failure: { code: 'interrupted' }
    });
    expect(await t.model.accept()).toBe(false);
    expect(t.source()).toBe('x = 1');
    const ends = t.states.filter(({ phase }) =>
      ['suggested', 'failed', 'stopped'].includes(phase)
    );
    expect(ends).toHaveLength(1);
    // What had begun is kept as a turn, so the history is told, once it is.
    await t.told(events[0] ? 1 : 0);
    expect(t.notified).toHaveLength(events[0] ? 1 : 0);
  });

  it('shows an error of the stream, and nothing of the part that came', async () => {
    const t = setup();
    void t.model.ask('do it');
    (await t.requested(1)).push(
      start(),
      code('x'),
      {
        type: 'error',
        code: 'model_package_missing',
        message: 'One more package.',
        install: 'pip install p'
      },
      null
    );
    const state = await t.phase('failed');
    expect(state.code).toBe('');
    expect(state.failure).toMatchObject({
      code: 'model_package_missing',
      message: 'One more package.',
      install: 'pip install p'
    });
    expect(t.notified).toEqual([{ notebookId: 'nb', cellId: 'c1' }]);
  });

  it('says why nothing was asked where the notebook can’t be saved', async () => {
    const t = setup();
    t.target.ensure.mockRejectedValueOnce(new Error('It is read-only.'));
    await t.model.ask('do it');
    expect(t.model.state.failure).toMatchObject({
      code: 'not_sent',
      message: 'It is read-only.'
    });
    expect(t.api.generate).not.toHaveBeenCalled();
  });

  it('refuses a second request while one runs (P33)', async () => {
    const t = setup();
    void t.model.ask('one');
    await t.requested(1);
    await t.model.ask('two');
    expect(t.model.state).toMatchObject({ notice: 'busy', intent: 'one' });
    expect(t.api.generate).toHaveBeenCalledTimes(1);
  });

  it('offers to stop the generation of another tab (P33)', async () => {
    const t = setup();
    t.api.generate.mockImplementationOnce(() => {
      throw new ApiError(409, 'generation_running', 'It runs.', {
        generationId: 'other'
      });
    });
    await t.model.ask('do it');
    expect(t.model.state.failure).toMatchObject({
      code: 'generation_running',
      generationId: 'other'
    });
    // The other one takes a moment to end.
    jest.useFakeTimers();
    t.api.generate.mockImplementationOnce(() => {
      throw new ApiError(409, 'generation_running', 'It runs.');
    });
    void t.model.takeOver();
    await jest.runAllTimersAsync();
    jest.useRealTimers();
    (await t.requested(1)).push(start(), done(1, 'y'), null);
    await t.phase('suggested');
    expect(t.api.stop).toHaveBeenCalledWith('other');
  });

  it('stops at once; what comes after is not shown', async () => {
    const t = setup();
    void t.model.ask('do it');
    const feed = await t.requested(1);
    feed.push(start(), code('x'));
    await t.phase('streaming');
    t.model.stop();
    expect(t.model.state).toMatchObject({
      phase: 'stopped',
      code: '',
      draft: 'do it'
    });
    expect(t.api.stop).toHaveBeenCalledWith('g1');
    feed.push(code('y'), done(1, 'late'), null);
    void t.model.ask('another');
    (await t.requested(2)).push(start(2), done(2, 'z'), null);
    await t.phase('suggested');
    expect(t.model.state.code).toBe('z');
    expect(t.states.some(state => state.code === 'late')).toBe(false);
  });

  it('cuts the connection where the server can’t be told to stop', async () => {
    const t = setup();
    t.api.stop.mockRejectedValueOnce(new ApiError(0, 'unreachable', ''));
    void t.model.ask('do it');
    (await t.requested(1)).push(start());
    await t.until(state => state.turnId === 1);
    const aborted = new Promise(resolve =>
      t.signals[0]?.addEventListener('abort', resolve)
    );
    t.model.stop();
    await aborted;
  });

  it('stops before the server has answered', async () => {
    const t = setup();
    void t.model.ask('do it');
    await t.requested(1);
    t.model.stop();
    expect(t.signals[0]?.aborted).toBe(true);
    expect(t.model.state.phase).toBe('stopped');
  });

  it('goes on from an older turn for one request, and after it from the answer', async () => {
    const t = setup();
    t.model.open();
    t.model.branchFrom(3);
    t.model.close();
    t.model.open(); // Closed and opened again, it is still meant.
    void t.model.ask('otherwise');
    (await t.requested(1)).push(start(), done(5, 'y = 1'), null);
    await t.phase('suggested');
    expect(t.bodies[0]).toMatchObject({ source: 'x = 1', parentTurnId: 3 });
    expect(t.model.state.branch).toBeNull();
    await t.model.accept();
    void t.model.ask('more');
    await t.requested(2);
    expect(t.bodies[1].parentTurnId).toBeUndefined();
  });

  it('leaves an open suggestion for another line without deciding on it', async () => {
    const t = setup();
    void t.model.ask('one');
    (await t.requested(1)).push(start(), done(1, 'y = 1'), null);
    await t.phase('suggested');
    t.model.branchFrom(null); // That takes nothing away.
    expect(t.model.state.phase).toBe('suggested');
    t.model.branchFrom(1);
    expect(t.model.state).toMatchObject({ phase: 'asking', branch: 1 });
    expect(t.recorded).toEqual([]);
    expect(t.source()).toBe('x = 1');
  });

  it('builds a refinement on the suggestion, and keeps it when that fails', async () => {
    const t = setup();
    void t.model.ask('one');
    (await t.requested(1)).push(start(), done(1, 'y = 1'), null);
    await t.phase('suggested');
    void t.model.ask('two');
    const feed = await t.requested(2);
    expect(t.bodies[0].parentTurnId).toBeUndefined();
    expect(t.bodies[1]).toMatchObject({
      intent: 'two',
      source: 'y = 1',
      parentTurnId: 1
    });
    expect(t.model.state.code).toBe('y = 1'); // It stays on view while the model reads.
    feed.push(start(2), code('z'), null);
    const state = await t.until(({ failure }) => failure !== null);
    expect(state).toMatchObject({
      phase: 'suggested',
      code: 'y = 1',
      turnId: 1,
      draft: 'two'
    });
    await t.model.accept();
    expect(t.source()).toBe('y = 1');
    expect(t.recorded).toMatchObject([{ type: 'accept', turnId: 1 }]);
  });

  it('asks again from the code of the first request', async () => {
    const t = setup();
    void t.model.ask('one');
    (await t.requested(1)).push(start(), done(1, 'y'), null);
    await t.phase('suggested');
    void t.model.again();
    (await t.requested(2)).push(start(2), done(2, 'z'), null);
    await t.until(({ turnId, phase }) => turnId === 2 && phase === 'suggested');
    expect(t.bodies[1]).toMatchObject({ intent: 'one', source: 'x = 1' });
  });

  it('asks again from what the cell holds by then, where nothing is open', async () => {
    const t = setup();
    void t.model.ask('one');
    (await t.requested(1)).push(start(), null);
    await t.phase('failed');
    t.edit('x = 10');
    void t.model.again();
    (await t.requested(2)).push(start(2), done(2, 'z'), null);
    await t.phase('suggested');
    expect(t.bodies[1]).toMatchObject({ intent: 'one', source: 'x = 10' });
    expect(t.model.state.notice).toBeNull();
  });

  it('writes nothing where the cell is gone (P34)', async () => {
    const t = setup();
    void t.model.ask('one');
    const feed = await t.requested(1);
    t.remove();
    feed.push(start(), done(1, 'y'), null);
    await t.phase('suggested');
    expect(await t.model.accept()).toBe(false);
    expect(t.model.state.notice).toBe('gone');
    expect(t.recorded).toEqual([]);
  });

  it('writes what is left where parts were taken back', async () => {
    const t = setup();
    void t.model.ask('one');
    (await t.requested(1)).push(start(), done(1, 'a\nb'), null);
    await t.phase('suggested');
    t.model.revise('a');
    expect(t.model.isRevised).toBe(true);
    t.model.restoreSuggestion();
    expect(t.model.isRevised).toBe(false);
    t.model.revise('a');
    await t.model.accept();
    expect(t.source()).toBe('a');
    expect(t.recorded).toMatchObject([{ type: 'accept', source: 'a' }]);
  });

  it('sends DataFrames with the request, and knows one kind of line break', async () => {
    const t = setup();
    const profile = {
      name: 'df',
      kind: 'pandas.DataFrame',
      rowCount: 2,
      columnCount: 1,
      columns: [{ name: 'a', dtype: 'int64' }]
    };
    t.model.setDataFrames([profile]);
    void t.model.ask('sum');
    (await t.requested(1)).push(start(), done(1, 'a\r\nb'), null);
    await t.phase('suggested');
    expect(t.bodies[0]).toMatchObject({ dataframes: [profile] });
    expect(t.model.state.code).toBe('a\nb');
  });

  it('starts afresh by an event, and says so', async () => {
    const t = setup();
    t.model.open();
    await t.model.reset();
    expect(t.recorded).toEqual([{ type: 'context_reset' }]);
    expect(t.model.state.notice).toBe('reset');
  });

  it('goes away quietly: the stream is cut and nothing more is told', async () => {
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
});
