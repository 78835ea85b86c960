import type { StreamEvent } from '../../api/types';
import type { IProblem, IWarning } from '../../kernel/check';
import { code, done, setup, start, turn } from './generation.fakes';

const problem = (name: string, kind = 'missing_column'): IProblem => ({
  line: 1,
  column: 0,
  endLine: 1,
  endColumn: 1,
  kind,
  name,
  message: '',
  candidates: []
});
const PRISE_FIXED = ['prise → price'];
const PRISE = { ...problem('prise'), correction: 'price', endColumn: 5 };

/** `names` are the problems of the answer `prise` and of its correction. */
async function askForPrice(
  names: (isCorrected: boolean) => string[],
  source?: string
) {
  const t = setup({ source });
  t.target.check.mockImplementation(async source =>
    names(source !== 'prise').map(name =>
      name === 'prise' ? PRISE : problem(name)
    )
  );
  t.model.open();
  await t.answer('do it', 'prise');
  return t;
}

describe('checkSuggestion', () => {
  it('P49: an answer that equals the cell can be accepted once it is corrected', async () => {
    const t = await askForPrice(
      isCorrected => (isCorrected ? [] : ['prise']),
      'prise'
    );
    expect(t.model.state.code).toBe('price');
    expect(t.model.changesNothing).toBe(false);
    t.model.decision.restore();
    expect(t.model.changesNothing).toBe(true);
  });

  it('P49: takes no name for another one that the cell defines now', async () => {
    const t = setup({ source: 'prise = load()' });
    const name = { ...PRISE, kind: 'undefined_name' };
    t.target.check.mockImplementation(async source =>
      source === 'prise' ? [name] : []
    );
    t.model.open();
    await t.answer('do it', 'prise');
    expect(t.model.state).toMatchObject({ code: 'prise', corrections: [] });
    expect(t.model.state.problems).toEqual([name]);
  });

  it('P49: corrects the obvious, says so, and asks no model for the rest', async () => {
    const t = await askForPrice(isCorrected =>
      isCorrected ? ['x'] : ['prise', 'x']
    );
    const { code: now, problems, corrections } = t.model.state;
    expect([now, problems.length]).toEqual(['price', 1]);
    expect(corrections).toEqual(['prise → price']);
    expect(t.bodies).toHaveLength(1);
    t.model.decision.restore();
    expect(t.model.state).toMatchObject({ code: 'prise', corrections: [] });
    await t.model.decision.accept();
    expect(t.recorded).toEqual([
      { type: 'accept', turnId: 1, source: 'prise' }
    ]);
  });

  it('P49: the replay gets the corrected suggestion, and can accept it', async () => {
    const t = await askForPrice(isCorrected => (isCorrected ? [] : ['prise']));
    expect(t.model.shownAnswers).toEqual({
      turnId: 1,
      codes: new Map([[1, 'price']]),
      isChecking: false
    });
    expect(await t.model.acceptAnswer(7)).toBe(false);
    expect(await t.model.acceptAnswer(1)).toBe(true);
    expect(t.recorded).toMatchObject([
      { type: 'accept', source: 'price', data: { corrections: PRISE_FIXED } }
    ]);
    expect(t.model.shownAnswers).toBeNull();
  });

  it('shows the warnings about the code that it offers', async () => {
    const t = setup();
    t.target.check.mockImplementation(async source => {
      t.warnings.splice(0, 1, { name: source } as IWarning);
      // The correction has more problems, so it is undone.
      return source === 'prise' ? [PRISE] : [problem('a'), problem('b')];
    });
    t.model.open();
    await t.answer('do it', 'prise');
    const { code: now, warnings } = t.model.state;
    expect([now, warnings.map(({ name }) => name)]).toEqual([
      'prise',
      ['prise']
    ]);
  });

  it.each([
    ['price', {}],
    ['cost', { corrected: 'price' }]
  ])('P40: records the corrections of accepted code: %s', async (now, more) => {
    const t = await askForPrice(isCorrected =>
      isCorrected ? ['x'] : ['prise', 'x']
    );
    t.model.decision.edit(now);
    await t.model.decision.accept();
    const data = { corrections: ['prise → price'], ...more };
    expect(t.recorded).toEqual([
      { type: 'accept', turnId: 1, source: now, data }
    ]);
  });

  it.each([
    ['document', 'document'],
    ['edit', '']
  ])(
    'checks changes of the code only if they were not asked for: %s',
    async (mode, checked) => {
      const t = setup();
      t.target.check.mockResolvedValue([problem('a', 'changed_code')]);
      t.model.open();
      const asked = t.model.ask('do it');
      const answer = (id: number, mode: string): StreamEvent => ({
        type: 'done',
        interaction: { ...turn(id, `${id}`), mode },
        revision: id
      });
      (await t.requested(1)).push(start(1), answer(1, mode), null);
      await asked;
      const repaired = t.model.decision.repair('correct it');
      (await t.requested(2)).push(start(2), answer(2, 'repair'), null);
      await repaired;
      const request = { source: 'x = 1', mode: checked, intent: 'do it' };
      const again = { ...request, source: expect.any(String) };
      expect(t.target.check.mock.calls).toMatchObject([
        ['1', request],
        ['2', { ...again, mode: checked || 'repair' }]
      ]);
    }
  );

  it('P49: offers the suggestion after the last check, and changes nothing then', async () => {
    const t = setup();
    const checks: ((problems: IProblem[]) => void)[] = [];
    t.target.check.mockImplementation(
      () => new Promise(resolve => checks.push(resolve))
    );
    t.model.open();
    const asked = t.model.ask('do it');
    await t.requested(1);
    const states: string[] = [];
    t.model.changed.connect((_, { phase, isChecking, code: now }) => {
      states.push(`${phase}${isChecking ? ', checking' : ''} ${now}`);
    });
    t.feeds[0].push(start(1), done(1, 'prise'), null);
    for (const problems of [[PRISE], []]) {
      await new Promise(resolve => setTimeout(resolve));
      checks.shift()?.(problems);
    }
    await asked;
    const changes = states.filter((state, i) => state !== states[i - 1]);
    expect(changes.slice(-3)).toEqual([
      'suggested, checking prise',
      'suggested, checking price',
      'suggested price'
    ]);
    t.model.dispose();
  });

  it('stays in the check of a further request when the first check ends', async () => {
    const t = setup();
    const checks: ((problems: IProblem[]) => void)[] = [];
    t.target.check.mockImplementation(
      () => new Promise(resolve => checks.push(resolve))
    );
    t.model.open();
    const first = t.model.ask('do it');
    (await t.requested(1)).push(start(1), done(1, '1'), null);
    await new Promise(resolve => setTimeout(resolve));
    await t.model.decision.reject();
    t.model.open();
    const second = t.model.ask('do something else');
    (await t.requested(2)).push(start(2), done(2, '2'), null);
    await new Promise(resolve => setTimeout(resolve));
    checks[0]([]);
    await first;
    expect(t.model.state).toMatchObject({ code: '2', isChecking: true });
    checks[1]([]);
    await second;
    expect(t.model.state.isChecking).toBe(false);
  });

  it('ends the check of a suggestion that has followed an edit of the cell meanwhile', async () => {
    const t = setup({ source: 'a = 1\n\nb = 2\n\nc = 3' });
    let end: (problems: IProblem[]) => void = () => undefined;
    t.target.check.mockReturnValue(new Promise(resolve => (end = resolve)));
    t.model.open();
    const asked = t.model.ask('times ten');
    const code = 'a = 10\n\nb = 2\n\nc = 3';
    (await t.requested(1)).push(start(1), done(1, code), null);
    while (!t.target.check.mock.calls.length) {
      await new Promise(resolve => setTimeout(resolve));
    }
    t.edit('a = 1\n\nb = 2\n\nc = 5');
    t.model.decision.onSourceChanged();
    expect(t.model.state.code).toBe('a = 10\n\nb = 2\n\nc = 5');
    end([]);
    await asked;
    expect(t.model.state.isChecking).toBe(false);
  });

  it('P49: offers the suggestion soon if the kernel is slow, and then changes nothing', async () => {
    jest.useFakeTimers();
    const t = setup();
    let end: (problems: IProblem[]) => void = () => undefined;
    t.target.check.mockReturnValue(new Promise(resolve => (end = resolve)));
    t.model.open();
    const asked = t.model.ask('do it');
    (await t.requested(1)).push(start(1), done(1, 'prise'), null);
    await t.until(({ isChecking }) => isChecking);
    await jest.advanceTimersByTimeAsync(2000);
    jest.useRealTimers();
    await asked;
    expect(t.model.state.isChecking).toBe(false);
    end([PRISE]);
    await t.until(({ problems }) => problems.length > 0);
    expect(t.model.state.code).toBe('prise');
  });

  it('undoes a correction after which no fewer problems remain', async () => {
    const t = await askForPrice(() => ['prise']);
    expect(t.model.state).toMatchObject({ code: 'prise', corrections: [] });
    expect(t.model.state.problems).toEqual([PRISE]);
  });

  it('undoes a correction after which the code isn’t valid', async () => {
    const t = setup();
    const wrong = { ...PRISE, correction: 'price,,' };
    t.target.check.mockImplementation(async source =>
      source === 'prise, pric'
        ? [wrong, problem('pric')]
        : [problem('', 'syntax')]
    );
    t.model.open();
    await t.answer('do it', 'prise, pric');
    expect(t.model.state.code).toBe('prise, pric');
  });

  it('P49: asks no model again by itself, whatever is wrong', async () => {
    const t = setup();
    t.target.check.mockResolvedValue([problem('a')]);
    t.model.open();
    const asked = t.model.ask('do it');
    const feed = await t.requested(1);
    const failure = { type: 'error', code: 'answer_cut', message: 'no' };
    feed.push(start(1), failure as never, null);
    await asked;
    expect(t.model.state.failure?.code).toBe('answer_cut');
    expect(t.bodies).toHaveLength(1);
    const again = t.model.retry();
    (await t.requested(2)).push(start(2), done(2, 'x = 2'), null);
    await again;
    expect(t.bodies.map(({ mode }) => mode)).toEqual([undefined, 'retry']);
  });
});

describe('a repair', () => {
  /** `end` is the answer to the repair. */
  async function repair(...end: (StreamEvent | Error | null)[]) {
    const t = setup();
    t.target.check.mockResolvedValue([problem('a')]);
    t.model.open();
    await t.answer('do it', 'x = 2');
    const repaired = t.model.decision.repair('correct a');
    (await t.requested(2)).push(start(2), ...end);
    return { t, repaired };
  }

  it('P49: is another answer to the request, beside the first', async () => {
    const { t, repaired } = await repair(done(2, 'x = 3'), null);
    await repaired;
    expect(t.bodies[1]).toMatchObject({
      intent: 'correct a',
      source: 'x = 2',
      parentTurnId: 1,
      mode: 'repair'
    });
    expect(t.model.state).toMatchObject({ code: 'x = 3', intent: 'do it' });
    const ids = t.model.answers.map(({ suggestion }) => suggestion.turnId);
    expect(ids).toEqual([1, 2]);
    expect(t.model.state.uncountedTurnIds).toEqual([1]);
    void t.model.retry();
    await t.requested(3);
    expect(t.bodies[2]).toMatchObject({ intent: 'do it', source: 'x = 1' });
    t.model.dispose();
  });

  it('isn’t offered if it uses nothing of the data of the code before', async () => {
    const interaction = { ...turn(2, 'x = 3'), mode: 'repair' };
    const answer: StreamEvent = { type: 'done', interaction, revision: 2 };
    const { t, repaired } = await repair(answer, null);
    t.target.check.mockResolvedValue([]);
    const signal = { name: '', labels: [], before: 0, after: 0 };
    t.earlySignals.push({ ...signal, kind: 'unrelated' });
    await repaired;
    await t.model.check();
    const request = t.target.check.mock.lastCall?.[1];
    expect(request).toMatchObject({ source: 'x = 2', mode: 'repair' });
    expect(t.model.isOffered).toBe(false);
    expect(await t.model.decision.accept()).toBe(false);
    expect(t.recorded).toEqual([]);
    t.model.dispose();
  });

  it('can be stopped; the first answer stays, and nothing else is sent', async () => {
    const { t, repaired } = await repair(code('y'));
    await t.phase('streaming');
    t.model.stop();
    t.feeds[1].push({ type: 'cancelled' } as never, null);
    await repaired;
    expect(t.model.state).toMatchObject({
      phase: 'suggested',
      code: 'x = 2',
      intent: 'do it',
      draft: '',
      notice: 'stopped'
    });
    expect(t.bodies).toHaveLength(2);
    void t.model.retry();
    await t.requested(3);
    expect(t.bodies[2]).toMatchObject({ intent: 'do it', mode: 'retry' });
    t.model.dispose();
  });

  it('is sent again by “Try again” if it failed', async () => {
    const { t, repaired } = await repair(new Error('cut'));
    await repaired;
    expect(t.model.state.failure).not.toBeNull();
    void t.model.retry();
    await t.requested(3);
    expect(t.bodies[2]).toMatchObject({ intent: 'correct a', mode: 'repair' });
    t.model.dispose();
  });
});
