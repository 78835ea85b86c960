import { ApiError } from '../../api/request';
import type { StreamEvent } from '../../api/types';
import { code, done, setup, start, turn } from './generation.fakes';

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
    expect(t.recorded).toEqual([
      { type: 'edit', source: 'x = 2', contributor: { kind: 'model' } }
    ]);
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
});
