import { ApiError } from '../../api/request';
import type { StreamEvent } from '../../api/types';
import { code, done, setup, start, turn } from './generation.fakes';

/** A complete answer that could not be saved. */
const unsavedAnswer = (suggestion: string): StreamEvent => ({
  type: 'error',
  code: 'storage_full',
  message: 'The disk is full.',
  unsaved: turn(1, suggestion)
});

describe('GenerationModel, on failures', () => {
  it('accepts an answer that could not be saved (P20)', async () => {
    const t = setup();
    void t.model.ask('do it');
    (await t.requested(1)).push(
      start(),
      code('x = 2'),
      unsavedAnswer('x = 2'),
      null
    );
    const state = await t.phase('suggested');
    expect(state).toMatchObject({
      code: 'x = 2',
      explanation: 'why',
      saveError: 'storage_full',
      failure: null
    });
    expect(await t.model.decision.accept()).toBe(true);
    expect(t.source()).toBe('x = 2');
    // There is no saved turn, so only an edit is recorded.
    expect(t.recorded).toEqual([
      { type: 'edit', source: 'x = 2', contributor: { kind: 'model' } }
    ]);
    expect(t.model.state.saveError).toBeNull();
  });

  it('never offers a partial answer that could not be saved (P32)', async () => {
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

  it('notifies the history of an interrupted turn only when it is saved', async () => {
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

  it('stops the server’s generation after an interruption, and waits for its end', async () => {
    jest.useFakeTimers();
    const t = setup();
    void t.model.ask('one');
    (await t.requested(1)).push(start(), code('y'), new Error('cut'));
    await t.phase('failed');
    expect(t.api.stop).toHaveBeenCalledWith('g1');
    expect(t.signals[0]?.aborted).toBe(true);
    t.api.generate.mockImplementationOnce(() => {
      throw new ApiError(0, 'unreachable', 'The network is still down.');
    });
    await t.model.retry();
    expect(t.model.state.failure?.code).toBe('unreachable');
    // The server has not noticed yet, so this is not a second tab.
    t.api.generate.mockImplementationOnce(() => {
      throw new ApiError(409, 'generation_running', 'It runs.');
    });
    void t.model.retry();
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
    ['a failing proxy', new ApiError(502, 'proxy_error', '')],
    ['an unreachable server', new ApiError(0, 'unreachable', '')]
  ])(
    'ends in one state after %s, and preserves the request',
    async (_, error) => {
      const t = setup();
      t.api.generate.mockImplementationOnce(() => {
        throw error;
      });
      await t.model.ask('a long request');
      expect(t.model.state).toMatchObject({
        phase: 'failed',
        draft: 'a long request',
        failure: { code: error.code, ...error.body }
      });
      void t.model.retry();
      (await t.requested(1)).push(start(), done(1, 'z'), null);
      await t.phase('suggested');
      expect(t.bodies[0].intent).toBe('a long request');
    }
  );

  it('can be stopped while the notebook is being prepared, and sent again (P36)', async () => {
    const t = setup();
    t.target.ensure.mockImplementationOnce(() => new Promise(() => undefined));
    const request = t.model.ask('one');
    await Promise.resolve();
    t.model.stop();
    await request;
    expect(t.model.state).toMatchObject({ phase: 'stopped', draft: 'one' });
    expect(t.api.generate).not.toHaveBeenCalled();
    await t.answer('two', 'y');
  });

  it('offers to sign in if the login session ended before the notebook was ready', async () => {
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

  it('takes over with the cell’s current code (P33, P34)', async () => {
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

  it('waits for the server to notice a stop before the start (P33)', async () => {
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
