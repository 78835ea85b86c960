import { code, done, setup, start } from './generation.fakes';

async function answer(
  t: ReturnType<typeof setup>,
  turnId: number,
  source: string
): Promise<void> {
  (await t.requested(turnId)).push(
    start(turnId),
    code(source),
    done(turnId, source),
    null
  );
  await t.phase('suggested');
}

const turnIds = ({ model }: ReturnType<typeof setup>) =>
  model.answers.map(({ suggestion }) => suggestion.turnId);

describe('several answers to one request', () => {
  it('asks another model for the same request, for this answer only', async () => {
    const t = setup();
    void t.model.ask('do it');
    await answer(t, 1, 'x = 2');
    const { model: own } = t.model.state;
    void t.model.decision.askAnother('openai:other');
    await answer(t, 2, 'x = 3');
    expect(t.bodies[1]).toMatchObject({
      intent: 'do it',
      source: 'x = 1',
      model: 'openai:other',
      mode: 'retry'
    });
    expect(turnIds(t)).toEqual([1, 2]);
    expect(t.model.state.code).toBe('x = 3');

    await t.model.decision.accept();
    expect(t.source()).toBe('x = 3');
    expect(t.model.state.model).toEqual(own);
    expect(t.model.state.branch).toBeNull();
    expect(turnIds(t)).toEqual([]);
  });

  it('shows the first answer again with the person’s edits, and accepts it', async () => {
    const t = setup();
    void t.model.ask('do it');
    await answer(t, 1, 'x = 2');
    t.model.decision.edit('x = 2.5');
    void t.model.decision.askAnother('openai:other');
    await answer(t, 2, 'x = 3');
    t.model.decision.show(1);
    expect(t.model.state).toMatchObject({ code: 'x = 2.5', turnId: 1 });
    expect(t.model.nextTurnId).toBe(3);
    // “Regenerate” asks the model of the shown answer.
    expect(t.model.request?.model).toBeUndefined();

    await t.model.decision.accept();
    expect(t.source()).toBe('x = 2.5');
    expect(t.recorded[0]).toMatchObject({ type: 'accept', turnId: 1 });
    // The next request continues from the accepted answer, not from the newest one.
    expect(t.model.state.branch).toEqual({ turnId: 1, title: 'do it' });
  });

  it('rejects all answers', async () => {
    const t = setup();
    void t.model.ask('do it');
    await answer(t, 1, 'x = 2');
    void t.model.retry();
    await answer(t, 2, 'x = 3');
    await t.model.decision.reject();
    expect(t.recorded).toMatchObject([
      { type: 'reject', turnId: 1 },
      { type: 'reject', turnId: 2 }
    ]);
  });

  it('begins anew with a request that changes the suggestion', async () => {
    const t = setup();
    void t.model.ask('do it');
    await answer(t, 1, 'x = 2');
    void t.model.retry();
    await answer(t, 2, 'x = 3');
    void t.model.ask('larger');
    await answer(t, 3, 'x = 30');
    expect(turnIds(t)).toEqual([3]);
  });

  it('changes the other answers like the cell, or removes them', async () => {
    const source = 'a = 1\n\nb = 1\n\nc = 1';
    const t = setup({ source });
    void t.model.ask('do it');
    await answer(t, 1, source.replace('b = 1', 'b = 2'));
    void t.model.retry();
    await answer(t, 2, source.replace('c = 1', 'c = 2'));
    t.edit(source.replace('a = 1', 'a = 7'));
    t.model.decision.onSourceChanged();
    t.model.decision.show(1);
    expect(t.model.state.code).toBe('a = 7\n\nb = 2\n\nc = 1');
    t.model.decision.show(2);
    expect(t.model.state.code).toBe('a = 7\n\nb = 1\n\nc = 2');
    // The first answer changes this line, too.
    t.edit('a = 7\n\nb = 9\n\nc = 1');
    t.model.decision.onSourceChanged();
    expect(turnIds(t)).toEqual([2]);
  });

  it('keeps the answers if asking another model fails', async () => {
    const t = setup();
    void t.model.ask('do it');
    await answer(t, 1, 'x = 2');
    void t.model.decision.askAnother('openai:other');
    (await t.requested(2)).push(start(2), {
      type: 'error',
      code: 'model_unavailable',
      message: 'No.'
    });
    await t.until(({ failure }) => failure !== null);
    expect(t.model.state).toMatchObject({ phase: 'suggested', code: 'x = 2' });
    expect(turnIds(t)).toEqual([1]);
  });

  it('lets the model of an answer correct it, and asks the own model next', async () => {
    const t = setup();
    void t.model.ask('do it');
    await answer(t, 1, 'x = 2');
    await t.until(({ isChecking }) => !isChecking);
    void t.model.decision.askAnother('openai:other');
    await answer(t, 2, 'x = y');
    await t.until(({ isChecking }) => !isChecking);
    void t.model.decision.repair('correct y');
    await answer(t, 3, 'x = 4');
    await t.until(({ isChecking }) => !isChecking);
    expect(t.bodies.map(({ model }) => model)).toEqual([
      undefined,
      'openai:other',
      'openai:other'
    ]);
    expect(turnIds(t)).toEqual([1, 2, 3]);
    void t.model.ask('larger');
    await t.requested(4);
    expect(t.bodies[3].model).toBeUndefined();
  });

  it('brings the other answers back if the acceptance of a change is undone', async () => {
    const source = 'a = 1\n\ns = 0\n\nb = 1';
    const t = setup({ source });
    void t.model.ask('do it');
    await answer(t, 1, 'a = 3\n\ns = 0\n\nb = 1');
    void t.model.retry();
    await answer(t, 2, 'a = 2\n\ns = 0\n\nb = 2');
    await t.model.decision.acceptChange(0);
    expect(turnIds(t)).toEqual([2]); // The first one changes this line, too.
    t.edit(source);
    t.model.decision.onSourceChanged();
    expect(turnIds(t)).toEqual([1, 2]);
    t.model.decision.show(1);
    expect(t.model.state.code).toBe('a = 3\n\ns = 0\n\nb = 1');
  });

  it('regenerates the whole answer after one of its changes was regenerated', async () => {
    const t = setup({ source: 'a = 1\n\nb = 1' });
    void t.model.ask('do it');
    await answer(t, 1, 'a = 2\n\nb = 2');
    void t.model.retry();
    await answer(t, 2, 'a = 3\n\nb = 3');
    const isRegenerated = t.model.decision.regenerateChange(0);
    await answer(t, 3, 'a = 4\n\nb = 3');
    await isRegenerated;
    expect(turnIds(t)).toEqual([1, 2, 3]);
    t.model.decision.show(1);
    t.model.decision.show(3);
    void t.model.retry();
    await t.requested(4);
    expect(t.bodies[3]).toMatchObject({ source: 'a = 1\n\nb = 1' });
    expect(t.bodies[3].context?.selection).toBeUndefined();
  });
});
