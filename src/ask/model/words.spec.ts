import { MODEL, setup, start, turn } from './generation.fakes';
import { answeredState } from './state';

type Setup = ReturnType<typeof setup>;

/** Answer a request with code, or with the words “why” if `suggestion` is empty. */
async function answer(t: Setup, id: number, suggestion: string) {
  const feed = await t.requested(id);
  const interaction = turn(id, suggestion, t.bodies[id - 1].intent);
  feed.push(start(id), { type: 'done', interaction, revision: id }, null);
}

async function askForCode() {
  const t = setup();
  t.model.open();
  const asked = t.model.ask('double it');
  await answer(t, 1, 'x = 2');
  await asked;
  return t;
}

async function askWords(intent: string) {
  const t = setup();
  t.model.open();
  t.model.setState({ model: MODEL as never });
  const asked = t.model.ask(intent);
  await answer(t, 1, '');
  await asked;
  return t;
}

describe('an answer in words', () => {
  it('is shown, and changes and checks nothing', async () => {
    const t = await askWords('what is x?');
    const { phase, explanation, notice } = t.model.state;
    expect([phase, explanation, notice]).toEqual(['answered', 'why', null]);
    expect(await t.model.decision.accept()).toBe(false);
    expect(t.target.check).not.toHaveBeenCalled();
    expect(t.target.apply).not.toHaveBeenCalled();
    t.model.close();
    expect(t.model.state.phase).toBe('idle');
    expect(t.recorded).toEqual([]);
  });

  it('says kindly that a small model may not have been able to write the code', async () => {
    const t = await askWords('draw a histogram');
    expect(t.model.state.notice).toBe('words');
  });

  it('has no notice if the words were asked for', () => {
    const answer = {
      turnId: 1,
      intent: '/explain',
      source: '',
      mode: 'explain'
    };
    const state = answeredState(
      { ...answer, explanation: 'why', saveError: null },
      MODEL as never
    );
    expect(state.notice).toBeNull();
  });

  it('is followed by the next request', async () => {
    const t = await askWords('what is x?');
    expect(t.model.nextTurnId).toBe(2);
    const asked = t.model.ask('double it');
    await answer(t, 2, 'x = 2');
    await asked;
    expect(t.bodies[1]).toMatchObject({ source: 'x = 1' });
    expect(t.model.state).toMatchObject({ phase: 'suggested', code: 'x = 2' });
  });

  it('leaves an open suggestion open', async () => {
    const t = setup();
    t.model.open();
    await t.answer('double it', 'x = 2');
    const askedWhy = t.model.ask('why?');
    await answer(t, 2, '');
    await askedWhy;
    expect(t.model.state).toMatchObject({
      phase: 'suggested',
      code: 'x = 2',
      intent: 'why?',
      explanation: 'why'
    });
    await t.model.decision.accept();
    expect(t.recorded).toEqual([
      { type: 'accept', turnId: 1, source: 'x = 2' }
    ]);
  });

  it('about an open suggestion is where the next request continues', async () => {
    const t = await askForCode();
    const askedWhy = t.model.ask('why?');
    await answer(t, 2, '');
    await askedWhy;
    expect(t.model.nextTurnId).toBe(3);
    const changed = t.model.ask('triple it');
    await answer(t, 3, 'x = 3');
    await changed;
    expect(t.bodies[1]).toMatchObject({ parentTurnId: 1 });
    expect(t.bodies[2]).toMatchObject({ source: 'x = 2', parentTurnId: 2 });
    const again = t.model.ask('and a comment');
    await answer(t, 4, 'x = 3 # three');
    await again;
    expect(t.bodies[3]).toMatchObject({ parentTurnId: 3 });
    await t.model.decision.accept();
    const after = t.model.ask('print it');
    await answer(t, 5, 'print(x)');
    await after;
    expect(t.bodies[4].parentTurnId).toBeUndefined();
  });

  it('that was not saved is no turn to continue from', async () => {
    const t = await askForCode();
    const askedWhy = t.model.ask('why?');
    (await t.requested(2)).push(
      start(2),
      { type: 'error', code: 'disk_full', message: '', unsaved: turn(2, '') },
      null
    );
    await askedWhy;
    const changed = t.model.ask('triple it');
    await answer(t, 3, 'x = 3');
    await changed;
    expect(t.bodies[2]).toMatchObject({ parentTurnId: 1 });
  });

  it('is inserted below as Markdown by the model', async () => {
    const t = await askWords('what is x?');
    t.target.insertMarkdownBelow.mockReturnValueOnce(false);
    t.model.insertAnswer();
    expect(t.model.state.notice).toBe('not_written');
    t.model.insertAnswer();
    const contributor = { kind: 'model', name: MODEL.id };
    expect(t.target.insertMarkdownBelow).toHaveBeenLastCalledWith(
      'why',
      contributor
    );
    expect(t.model.state.phase).toBe('idle');
  });
});

describe('another answer', () => {
  it('is requested as a retry, and says if it is one of the earlier', async () => {
    const t = await askForCode();
    const notices = [];
    for (const [id, source] of ['x = 2', 'x = 3', 'x = 2'].entries()) {
      const retried = t.model.retry();
      await answer(t, id + 2, source);
      await retried;
      notices.push(t.model.state.notice);
    }
    const modes = t.bodies.map(({ mode }) => mode);
    expect(modes).toEqual([undefined, 'retry', 'retry', 'retry']);
    expect(notices).toEqual(['same_again', null, 'same_again']);
  });

  it('can be the same again and change nothing', async () => {
    const t = await askForCode();
    t.target.apply('x = 2');
    const retried = t.model.retry();
    await answer(t, 2, 'x = 2');
    await retried;
    expect(t.model.state.notice).toBe('same_again');
    expect(t.model.changesNothing).toBe(true);
  });

  it('says if a change of the suggestion is the same code', async () => {
    const t = await askForCode();
    const changed = t.model.ask('triple it');
    await answer(t, 2, 'x = 2');
    await changed;
    expect(t.model.state.notice).toBe('same_again');
    const again = t.model.ask('triple it now');
    await answer(t, 3, 'x = 3');
    await again;
    expect(t.model.state.notice).toBeNull();
  });
});
