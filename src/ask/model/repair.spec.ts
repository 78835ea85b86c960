import type { StreamEvent } from '../../api/types';
import type { IProblem } from '../../kernel/check';
import { MODEL, code, done, setup, start, turn } from './generation.fakes';
import type { RepairSetting } from './state';

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

/** Ask once; the answers have these problems, in this order. */
async function ask(
  repair: RepairSetting,
  answers: string[][],
  { onThisMachine = true, small = false } = {},
  kind?: string
) {
  const t = setup({ repair });
  const model = { ...MODEL, onThisMachine, small };
  t.target.check.mockImplementation(async source =>
    answers[Number(source) - 1].map(name => problem(name, kind))
  );
  t.model.setState({ phase: 'editing', model });
  const asked = t.model.ask('do it');
  for (let id = 1; id <= answers.length; id++) {
    await new Promise(resolve => setTimeout(resolve));
    t.feeds[id - 1]?.push({ ...start(id), model } as never, code('x'));
    t.feeds[id - 1]?.push(done(id, String(id)), null);
  }
  await asked;
  return t;
}

/** Ask, get the answer `prise`, and wait until the model is asked to correct it. */
async function askForPrice(names: (isCorrected: boolean) => string[]) {
  const t = setup({ repair: 'all' });
  t.target.check.mockImplementation(async source =>
    names(source !== 'prise').map(name => ({
      ...problem(name),
      ...(name === 'prise' && { correction: 'price', endColumn: 5 })
    }))
  );
  t.model.open();
  const asked = t.model.ask('do it');
  (await t.requested(1)).push(start(1), done(1, 'prise'), null);
  await t.requested(2);
  return { t, asked };
}

describe('AutomaticRepair', () => {
  it('corrects until nothing is wrong, and offers that answer to the person’s request', async () => {
    const t = await ask('local', [['a', 'b'], ['b'], []]);
    expect(t.bodies.map(({ intent, mode }) => [intent, mode])).toEqual([
      ['do it', undefined],
      ['a,b', 'repair'],
      ['b', 'repair']
    ]);
    expect(t.bodies[2].source).toBe('2');
    const { phase, code: now, intent, correctedCount } = t.model.state;
    expect([phase, now, intent, correctedCount]).toEqual([
      'suggested',
      '3',
      'do it',
      2
    ]);
    await t.model.decision.accept();
    expect(t.recorded).toEqual([{ type: 'accept', turnId: 3, source: '3' }]);
  });

  it('offers the previous answer if an attempt is no better', async () => {
    const t = await ask('local', [['a', 'b'], ['b'], ['c']]);
    expect(t.model.state.code).toBe('2');
    expect(t.model.state.problems.map(({ name }) => name)).toEqual(['b']);
    expect(t.model.state.correctedCount).toBe(1);
    await t.model.decision.accept();
    expect(t.recorded).toMatchObject([{ turnId: 2, source: '2' }]);
  });

  it('corrects the obvious without a model, and asks for the rest', async () => {
    const { t, asked } = await askForPrice(isCorrected =>
      isCorrected ? ['x'] : ['prise', 'x']
    );
    expect(t.bodies[1].source).toBe('price');
    t.feeds[1].push(start(2), done(2, 'other'), null);
    await asked;
    const { code: now, problems, corrections } = t.model.state;
    expect([now, problems.length]).toEqual(['price', 1]);
    expect(corrections).toEqual(['prise → price']);
    t.model.decision.restore();
    expect(t.model.state).toMatchObject({ code: 'prise', corrections: [] });
    await t.model.decision.accept();
    expect(t.recorded).toEqual([
      { type: 'accept', turnId: 1, source: 'prise' }
    ]);
  });

  it.each([
    ['document', { source: 'x = 1', mode: 'document' }],
    ['edit', undefined]
  ])(
    'checks changes of the code only if they were not asked for: %s',
    async (mode, request) => {
      const t = setup({ repair: 'all' });
      t.target.check.mockResolvedValueOnce([problem('a', 'changed_code')]);
      t.target.check.mockResolvedValue([]);
      t.model.open();
      const asked = t.model.ask('do it');
      const answer = (id: number, mode: string): StreamEvent => ({
        type: 'done',
        interaction: { ...turn(id, `${id}`), mode },
        revision: id
      });
      (await t.requested(1)).push(start(1), answer(1, mode), null);
      (await t.requested(2)).push(start(2), answer(2, 'repair'), null);
      await asked;
      expect(t.target.check.mock.calls).toEqual([
        ['1', request],
        ['2', request]
      ]);
    }
  );

  it.each([
    ['price', {}],
    ['cost', { corrected: 'price' }]
  ])('P40: records the corrections of accepted code: %s', async (now, more) => {
    const { t, asked } = await askForPrice(isCorrected =>
      isCorrected ? ['x'] : ['prise', 'x']
    );
    t.feeds[1].push(start(2), done(2, 'other'), null);
    await asked;
    t.model.decision.correct(now);
    await t.model.decision.accept();
    const data = { corrections: ['prise → price'], ...more };
    expect(t.recorded).toEqual([
      { type: 'accept', turnId: 1, source: now, data }
    ]);
  });

  it('sets `isChecking` from the answer until the last check, if repairs are allowed', async () => {
    for (const repair of ['local', 'off'] as const) {
      const t = setup({ repair });
      const checks: ((problems: IProblem[]) => void)[] = [];
      t.target.check.mockImplementation(
        () => new Promise(resolve => checks.push(resolve))
      );
      const wrong = { ...problem('prise'), correction: 'price', endColumn: 5 };
      const model = { ...MODEL, onThisMachine: true };
      t.model.setState({ phase: 'editing', model });
      const asked = t.model.ask('do it');
      await t.requested(1);
      const states: string[] = [];
      t.model.changed.connect((_, { phase, isChecking }) => {
        states.push(isChecking ? `${phase}, checking` : phase);
      });
      t.feeds[0].push({ ...start(1), model } as never);
      t.feeds[0].push(done(1, 'prise'), null);
      for (const problems of [[wrong], []]) {
        await new Promise(resolve => setTimeout(resolve));
        checks.shift()?.(problems);
      }
      await asked;
      const changes = states.filter((state, i) => state !== states[i - 1]);
      expect(changes).toEqual(
        repair === 'off'
          ? ['waiting', 'suggested']
          : ['waiting', 'suggested, checking', 'suggested']
      );
      t.model.dispose();
    }
  });

  it('stays in the check of a further request when the first check ends', async () => {
    const t = setup({ repair: 'all' });
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

  it('undoes a correction after which no fewer problems remain', async () => {
    const { t, asked } = await askForPrice(() => ['prise']);
    expect(t.bodies[1].source).toBe('prise');
    t.model.stop();
    t.feeds[1].push({ type: 'cancelled' } as never, null);
    await asked;
    expect(t.model.state.code).toBe('prise');
  });

  it('undoes a correction after which the code isn’t valid', async () => {
    const t = setup({ repair: 'all' });
    const wrong = { ...problem('prise'), correction: 'price,,', endColumn: 5 };
    t.target.check.mockImplementation(async source =>
      source === 'prise, pric'
        ? [wrong, problem('pric')]
        : [problem('', 'syntax')]
    );
    t.model.open();
    const asked = t.model.ask('do it');
    (await t.requested(1)).push(start(1), done(1, 'prise, pric'), null);
    (await t.requested(2)).push({ type: 'cancelled' } as never, null);
    await asked;
    expect(t.bodies[1].source).toBe('prise, pric');
    expect(t.model.state.code).toBe('prise, pric');
  });

  it('asks a small model for other answers, and offers the one with the fewest problems', async () => {
    const answers = [['a', 'b'], ['a'], ['b', 'c']];
    const t = await ask('local', answers, { small: true });
    expect(t.bodies.map(({ intent, mode }) => [intent, mode])).toEqual([
      ['do it', undefined],
      ['do it', 'retry'],
      ['do it', 'retry']
    ]);
    expect(t.bodies[2].source).toBe(t.bodies[0].source);
    const { code: now, correctedCount, notice } = t.model.state;
    expect([now, correctedCount, notice]).toEqual(['2', 1, null]);
    await t.model.decision.accept();
    expect(t.recorded).toMatchObject([{ turnId: 2, source: '2' }]);
  });

  it('asks a small model again if its answer can’t be used', async () => {
    const t = setup({ repair: 'local' });
    const model = { ...MODEL, onThisMachine: true, small: true };
    t.model.setState({ phase: 'editing', model });
    const asked = t.model.ask('do it');
    const failure = { type: 'error', code: 'bad_answer', message: 'no' };
    for (const id of [1, 2]) {
      const feed = await t.requested(id);
      feed.push({ ...start(id), model } as never, failure as never, null);
    }
    const last = await t.requested(3);
    last.push({ ...start(3), model } as never, done(3, 'x = 1'), null);
    await asked;
    expect(t.bodies.map(({ intent, mode }) => [intent, mode])).toEqual([
      ['do it', undefined],
      ['do it', 'retry'],
      ['do it', 'retry']
    ]);
    expect(t.model.state).toMatchObject({
      phase: 'suggested',
      code: 'x = 1',
      failure: null
    });
  });

  it.each([
    ['a large model', { small: false, onThisMachine: true }, 'local'],
    ['a remote model', { small: true, onThisMachine: false }, 'local'],
    ['the setting “off”', { small: true, onThisMachine: true }, 'off']
  ] as const)(
    'shows an answer that can’t be used for %s, and “Try again” asks for another',
    async (_, place, repair) => {
      const t = setup({ repair });
      const model = { ...MODEL, ...place };
      t.model.setState({ phase: 'editing', model });
      const asked = t.model.ask('do it');
      const failure = { type: 'error', code: 'answer_cut', message: 'no' };
      const feed = await t.requested(1);
      feed.push({ ...start(1), model } as never, failure as never, null);
      await asked;
      expect(t.model.state.failure?.code).toBe('answer_cut');
      expect(t.bodies).toHaveLength(1);
      void t.model.retry();
      await t.requested(2);
      expect(t.bodies[1].mode).toBe('retry');
    }
  );

  it('sends at most two requests', async () => {
    const t = await ask('all', [['a', 'b', 'c'], ['a', 'b'], ['a'], []], {
      onThisMachine: false
    });
    expect(t.bodies).toHaveLength(3);
    expect(t.model.state.code).toBe('3');
  });

  it.each([
    ['off', true, 'missing_column'],
    ['local', false, 'missing_column'],
    ['all', true, 'missing_module']
  ] as const)(
    'sends nothing by itself: %s, on this machine %s, %s',
    async (setting, isLocal, kind) => {
      const t = await ask(setting, [['a']], { onThisMachine: isLocal }, kind);
      expect(t.bodies).toHaveLength(1);
      expect(t.model.state.problems).toHaveLength(1);
    }
  );

  it('offers the last answer again when the person stops it, and does not start again', async () => {
    const t = setup({ repair: 'all' });
    t.target.check.mockImplementation(async () => [problem('a')]);
    t.model.open();
    const asked = t.model.ask('do it');
    await new Promise(resolve => setTimeout(resolve));
    t.feeds[0].push(start(1), done(1, 'x = 2'), null);
    await t.until(({ intent }) => intent === 'a');
    await new Promise(resolve => setTimeout(resolve));
    t.feeds[1].push(start(2), code('y'));
    await t.until(({ phase }) => phase === 'streaming');
    t.model.stop();
    t.feeds[1].push({ type: 'cancelled' } as never, null);
    await asked;
    const { phase, code: now, intent, draft, notice } = t.model.state;
    expect([phase, now, intent, draft, notice]).toEqual([
      'suggested',
      'x = 2',
      'do it',
      '',
      'stopped'
    ]);
    expect(t.bodies).toHaveLength(2);
  });

  it('regenerates the person’s request, not the correction', async () => {
    const t = await ask('local', [['a'], []]);
    void t.model.retry();
    await new Promise(resolve => setTimeout(resolve));
    expect(t.bodies[2].intent).toBe('do it');
    t.model.dispose();
  });
});
