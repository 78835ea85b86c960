import { ApiError } from '../../api/request';
import type { StreamEvent } from '../../api/types';
import { code, done, setup, start, turn } from './generation.fakes';

describe('GenerationModel, while sending', () => {
  it('shows an error of the stream without the partial answer', async () => {
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

  it('reports why nothing was sent if the notebook can’t be saved', async () => {
    const t = setup();
    t.target.ensure.mockRejectedValueOnce(new Error('It is read-only.'));
    await t.model.ask('do it');
    expect(t.model.state.failure).toMatchObject({
      code: 'not_sent',
      message: 'It is read-only.'
    });
    expect(t.api.generate).not.toHaveBeenCalled();
  });

  it('sends the cell as it is after the notebook was reloaded', async () => {
    const t = setup({ source: 'b = 2  # unsaved' });
    t.target.ensure.mockImplementationOnce(async () => {
      t.edit('b = "other branch"'); // “Revert” in JupyterLab's dialog.
      return 'nb';
    });
    void t.model.ask('do it');
    (await t.requested(1)).push(start(), done(1, 'b = 3'), null);
    expect(t.bodies[0].source).toBe('b = "other branch"');
    expect(await t.phase('suggested')).toMatchObject({ isCellEdited: false });
    expect(t.model.answer?.request?.source).toBe('b = "other branch"');
  });

  it('asks not to store the prompt if the person has chosen so', async () => {
    const t = setup({ storesPrompts: () => false });
    void t.model.ask('do it');
    await t.requested(1);
    expect(t.bodies[0].storesPrompt).toBe(false);
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
    // The other generation takes a moment to end.
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

  it('stops at once and ignores later events', async () => {
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
    await t.answer('another', 'z');
    expect(t.model.state.code).toBe('z');
    expect(t.states.some(state => state.code === 'late')).toBe(false);
  });

  it('P51: shows code no longer when the server takes it back', async () => {
    const t = setup();
    const back: StreamEvent = {
      type: 'token',
      part: 'code',
      text: '',
      replaces: true
    };
    void t.model.ask('one');
    const first = await t.requested(1);
    first.push(start(), code('draft'));
    await t.until(state => state.code === 'draft');
    first.push(back);
    await t.until(state => state.code === '');
    first.push(code('y = 1'), done(1, 'y = 1'), null);
    await t.phase('suggested');
    // An open suggestion is visible again.
    void t.model.ask('two');
    const second = await t.requested(2);
    second.push(start(2), code('draft'));
    await t.until(state => state.code === 'draft');
    second.push(back);
    await t.until(state => state.code === 'y = 1');
    expect(t.model.state.phase).toBe('streaming');
    second.push(code('z'));
    await t.until(state => state.code === 'z');
    second.push(done(2, 'z'), null);
    await t.phase('suggested');
  });

  it('tells which characters of the suggestion were replaced', async () => {
    const t = setup();
    const interaction = turn(1, 'y = "1"');
    interaction.ai_response.replaced_characters = ['quotes'];
    void t.model.ask('one');
    const done1: StreamEvent = { type: 'done', interaction, revision: 1 };
    (await t.requested(1)).push(start(), done1, null);
    await t.phase('suggested');
    expect(t.model.state.replacedCharacters).toEqual(['quotes']);
    void t.model.ask('two');
    (await t.requested(2)).push(start(2), done(2, 'z'), null);
    await t.until(state => state.code === 'z');
    expect(t.model.state.replacedCharacters).toEqual([]);
  });

  it('closes the connection if the stop request fails', async () => {
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

  it('builds a refinement on the suggestion, and restores it after a failure', async () => {
    const t = setup();
    await t.answer('one', 'y = 1');
    void t.model.ask('two');
    const feed = await t.requested(2);
    expect(t.bodies[0].parentTurnId).toBeUndefined();
    expect(t.bodies[1]).toMatchObject({
      intent: 'two',
      source: 'y = 1',
      parentTurnId: 1
    });
    expect(t.model.state.code).toBe('y = 1'); // It stays visible while the model reads.
    feed.push(start(2), code('z'), null);
    const state = await t.until(({ failure }) => failure !== null);
    expect(state).toMatchObject({
      phase: 'suggested',
      code: 'y = 1',
      turnId: 1,
      draft: 'two'
    });
    await t.model.decision.accept();
    expect(t.source()).toBe('y = 1');
    expect(t.recorded).toMatchObject([{ type: 'accept', turnId: 1 }]);
  });

  it('retries from the code of the first request', async () => {
    const t = setup();
    await t.answer('one', 'y');
    void t.model.retry();
    (await t.requested(2)).push(start(2), done(2, 'z'), null);
    await t.until(({ turnId, phase }) => turnId === 2 && phase === 'suggested');
    expect(t.bodies[1]).toMatchObject({ intent: 'one', source: 'x = 1' });
  });

  it('retries from the cell’s current code if no suggestion is open', async () => {
    const t = setup();
    void t.model.ask('one');
    (await t.requested(1)).push(start(), null);
    await t.phase('failed');
    t.edit('x = 10');
    void t.model.retry();
    (await t.requested(2)).push(start(2), done(2, 'z'), null);
    await t.phase('suggested');
    expect(t.bodies[1]).toMatchObject({ intent: 'one', source: 'x = 10' });
    expect(t.model.state.notice).toBeNull();
  });
});
