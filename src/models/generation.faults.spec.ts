import { ApiError } from '../api/request';
import type { StreamEvent } from '../api/types';
import { versionOf } from './generationstate';
import { MODEL, code, done, setup, start, turn } from './generation.fakes';

/** An answer that was whole, but could not be kept. */
const unkept = (suggestion: string): StreamEvent => ({
  type: 'error',
  code: 'storage_full',
  message: 'The disk is full.',
  unsaved: turn(1, suggestion)
});

describe('GenerationModel, when things fail', () => {
  it('keeps an answer that could not be kept: it can be accepted (P20)', async () => {
    const t = setup();
    void t.model.ask('do it');
    (await t.requested(1)).push(start(), code('x = 2'), unkept('x = 2'), null);
    const state = await t.phase('suggested');
    expect(state).toMatchObject({
      code: 'x = 2',
      explanation: 'why',
      unkept: 'storage_full',
      failure: null
    });
    expect(await t.model.accept()).toBe(true);
    expect(t.source()).toBe('x = 2');
    // No turn is kept of it, so the history is told of a change alone.
    expect(t.recorded).toEqual([{ type: 'edit', source: 'x = 2' }]);
    expect(t.model.state.unkept).toBeNull();
  });

  it('never takes a part for an answer that could not be kept (P32)', async () => {
    const t = setup();
    void t.model.ask('do it');
    const failed = turn(1, 'x =');
    failed.ai_response.status = 'error';
    (await t.requested(1)).push(
      start(),
      code('x ='),
      { type: 'error', code: 'storage_full', message: '', unsaved: failed },
      null
    );
    const state = await t.phase('failed');
    expect(state).toMatchObject({
      code: '',
      failure: { code: 'storage_full' }
    });
  });

  it('tells where Accept could not be noted: the code is written all the same', async () => {
    const t = setup();
    t.history.record.mockRejectedValueOnce(new ApiError(507, 'full', 'full'));
    void t.model.ask('one');
    (await t.requested(1)).push(start(), done(1, 'y'), null);
    await t.phase('suggested');
    await t.model.accept();
    expect(t.source()).toBe('y');
    expect(t.model.state).toMatchObject({ phase: 'idle', notice: 'unsaved' });
  });

  it.each(['accept', 'reject'] as const)(
    'needs no saved notebook to %s: the turn has its id',
    async verb => {
      const t = setup();
      void t.model.ask('one');
      (await t.requested(1)).push(start(), done(1, 'y'), null);
      await t.phase('suggested');
      t.target.ensure.mockRejectedValue(new Error('It could not be saved.'));
      await t.model[verb]();
      expect(t.recorded).toMatchObject([{ type: verb, turnId: 1 }]);
      expect(t.model.state.notice).toBeNull();
    }
  );

  it.each(['accept', 'reject'] as const)(
    'keeps a change that was being written when it comes to %s',
    async verb => {
      const t = setup();
      void t.model.ask('one');
      (await t.requested(1)).push(start(), done(1, 'y'), null);
      await t.phase('suggested');
      t.model.written = 'and shorter';
      await t.model[verb]();
      expect(t.recorded).toMatchObject([{ type: verb }]);
      expect(t.source()).toBe(verb === 'accept' ? 'y' : 'x = 1');
      expect(t.model.state).toMatchObject({
        phase: 'asking',
        draft: 'and shorter',
        turnId: 2
      });
      void t.model.ask('and shorter');
      await t.requested(2);
      expect(t.bodies[1]).toMatchObject({ source: t.source() });
      expect(t.bodies[1].parentTurnId).toBeUndefined();
    }
  );

  it('says that the cell was changed meanwhile, and no longer when it is as it was (P34)', async () => {
    const t = setup();
    void t.model.ask('one');
    const feed = await t.requested(1);
    feed.push(start(), code('y'));
    await t.phase('streaming');
    t.edit('x = 1  # mine');
    t.model.sourceChanged();
    expect(t.model.state.edited).toBe(false);
    feed.push(done(1, 'y'), null);
    await t.phase('suggested');
    expect(t.model.state.edited).toBe(true);
    t.edit('x = 1');
    t.model.sourceChanged();
    expect(t.model.state.edited).toBe(false);
    t.edit('x = 3');
    t.model.sourceChanged();
    expect(t.model.state.edited).toBe(true);
  });

  it('says so still after a further request that came to nothing (P34)', async () => {
    const t = setup();
    void t.model.ask('one');
    (await t.requested(1)).push(start(), done(1, 'y'), null);
    await t.phase('suggested');
    t.edit('x = 3');
    t.model.sourceChanged();
    void t.model.ask('two');
    await t.requested(2);
    expect(t.model.state.edited).toBe(false);
    t.model.stop();
    expect(t.model.state).toMatchObject({
      phase: 'suggested',
      notice: 'stopped',
      edited: true
    });
    t.edit('x = 1');
    t.model.sourceChanged();
    expect(t.model.state).toMatchObject({ notice: 'stopped', edited: false });
  });

  it('asks for the steps of a turn that broke off only when it is kept', async () => {
    jest.useFakeTimers();
    const t = setup();
    t.history.replay.mockRejectedValueOnce(new ApiError(0, 'unreachable', ''));
    void t.model.ask('one');
    (await t.requested(1)).push(start(3), code('y'), null);
    await t.phase('failed');
    await jest.advanceTimersByTimeAsync(1000);
    expect(t.notified).toHaveLength(0);
    t.steps.push({ kind: 'turn', title: 'one', turnId: 3 });
    await jest.advanceTimersByTimeAsync(5000);
    expect(t.notified).toHaveLength(1);
    jest.useRealTimers();
  });

  it('tells the server to stop what it may still write after a cut, and waits for that', async () => {
    jest.useFakeTimers();
    const t = setup();
    void t.model.ask('one');
    (await t.requested(1)).push(start(), code('y'), new Error('cut'));
    await t.phase('failed');
    expect(t.api.stop).toHaveBeenCalledWith('g1');
    expect(t.signals[0]?.aborted).toBe(true);
    // The server takes a moment to notice: that is no second tab.
    t.api.generate.mockImplementationOnce(() => {
      throw new ApiError(409, 'generation_running', 'It runs.');
    });
    void t.model.again();
    await jest.advanceTimersByTimeAsync(1000);
    jest.useRealTimers();
    (await t.requested(2)).push(start(2), done(2, 'z'), null);
    await t.phase('suggested');
    expect(t.states.some(({ failure }) => failure?.generationId)).toBe(false);
  });

  it.each<[string, ApiError]>([
    ['a stale write', new ApiError(412, 'stale_revision', 'Stale.')],
    [
      'the end of the session',
      new ApiError(403, 'unauthenticated', '', { signIn: '/' })
    ],
    ['a proxy that is ill', new ApiError(502, 'proxy_error', '')],
    ['a server that is away', new ApiError(0, 'unreachable', '')]
  ])('ends in one state after %s, with the request kept', async (_, error) => {
    const t = setup();
    t.api.generate.mockImplementationOnce(() => {
      throw error;
    });
    await t.model.ask('a long wish');
    expect(t.model.state).toMatchObject({
      phase: 'failed',
      draft: 'a long wish',
      failure: { code: error.code, signIn: error.body.signIn }
    });
    void t.model.again();
    (await t.requested(1)).push(start(), done(1, 'z'), null);
    await t.phase('suggested');
    expect(t.bodies[0].intent).toBe('a long wish');
  });

  it('can be stopped while the notebook is made ready, and asked again (P36)', async () => {
    const t = setup();
    t.target.ensure.mockImplementationOnce(() => new Promise(() => undefined));
    const asked = t.model.ask('one');
    await Promise.resolve();
    t.model.stop();
    await asked;
    expect(t.model.state).toMatchObject({ phase: 'stopped', draft: 'one' });
    expect(t.api.generate).not.toHaveBeenCalled();
    void t.model.ask('two');
    (await t.requested(1)).push(start(), done(1, 'y'), null);
    await t.phase('suggested');
  });

  it('offers to sign in where the session ended before the notebook was ready', async () => {
    const t = setup();
    t.target.ensure.mockRejectedValueOnce(
      new ApiError(403, 'unauthenticated', '', { signIn: '/base/' })
    );
    await t.model.ask('one');
    expect(t.model.state).toMatchObject({
      phase: 'failed',
      draft: 'one',
      failure: { code: 'unauthenticated', signIn: '/base/' }
    });
  });

  it('takes over with what the cell holds by then (P33, P34)', async () => {
    const t = setup();
    t.api.generate.mockImplementationOnce(() => {
      throw new ApiError(409, 'generation_running', 'It runs.', {
        generationId: 'other'
      });
    });
    await t.model.ask('one');
    t.edit('x = 10');
    void t.model.takeOver();
    (await t.requested(1)).push(start(), done(1, 'y'), null);
    await t.phase('suggested');
    expect(t.bodies[0]).toMatchObject({ intent: 'one', source: 'x = 10' });
  });

  it('waits for the server to notice a stop that came before the start (P33)', async () => {
    jest.useFakeTimers();
    const t = setup();
    void t.model.ask('one');
    await t.requested(1);
    t.model.stop();
    t.api.generate.mockImplementationOnce(() => {
      throw new ApiError(409, 'generation_running', 'It runs.');
    });
    void t.model.ask('two');
    await jest.advanceTimersByTimeAsync(1000);
    jest.useRealTimers();
    expect(t.model.state).toMatchObject({ phase: 'waiting', failure: null });
    (await t.requested(2)).push(start(), done(1, 'y'), null);
    await t.phase('suggested');
    expect(t.bodies[1].intent).toBe('two');
  });

  it('looks again for what was asked before, where that failed', async () => {
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

  it('promises to note later only what is kept for that', async () => {
    const t = setup();
    const refused = new ApiError(409, 'session_too_new', 'Too new.');
    t.history.record.mockRejectedValueOnce(refused);
    t.model.open();
    await t.model.reset();
    expect(t.model.state.notice).toBe('unnoted');
    t.history.record.mockRejectedValueOnce(new ApiError(507, 'full', 'full'));
    await t.model.reset();
    expect(t.model.state.notice).toBe('unsaved');
  });

  it('counts the versions of a cell, not the requests that brought none', async () => {
    const t = setup();
    t.steps.push(
      { kind: 'turn', title: 'one', turnId: 1, outcome: 'accepted' },
      { kind: 'turn', title: 'two', turnId: 2, outcome: 'error' },
      { kind: 'turn', title: 'three', turnId: 3, outcome: 'cancelled' }
    );
    t.model.open();
    await t.until(({ turnId }) => turnId === 4);
    expect(versionOf(t.model.state)).toBe(2);
    void t.model.ask('four');
    const failed = { type: 'error', code: 'error', message: '' } as const;
    (await t.requested(1)).push(start(4), failed, null);
    await t.phase('failed');
    expect(versionOf(t.model.state)).toBe(2);
    void t.model.ask('five');
    (await t.requested(2)).push(start(5), done(5, 'x'), null);
    await t.phase('suggested');
    expect(versionOf(t.model.state)).toBe(2);
    void t.model.ask('six'); // The suggestion of before comes back, with its own number.
    (await t.requested(3)).push(start(6), failed, null);
    await t.until(({ failure }) => failure !== null);
    expect(versionOf(t.model.state)).toBe(2);
    await t.model.accept();
    expect(t.model.state.turnId).toBe(6);
  });

  it('says it of a model no longer once another one is chosen', async () => {
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
    await t.model.lookForModel(); // To look again changes nothing.
    expect(t.model.state.failure?.code).toBe('model_auth_failed');
    t.model.useModel(OTHER.id);
    const state = await t.until(({ failure }) => !failure);
    expect(state).toMatchObject({ model: OTHER, draft: 'go' });
  });
});
