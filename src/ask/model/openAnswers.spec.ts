import type { Step } from '../../api/types';
import { done, setup, start } from './generation.fakes';

const OPEN: Partial<Step> = {
  kind: 'turn',
  turnId: 3,
  title: 'double it',
  before: 'x = 1',
  code: 'x = 2',
  explanation: 'why',
  outcome: 'open'
};

describe('a suggestion without a decision, after a reload', () => {
  async function open(steps: Partial<Step>[], act = (_: unknown) => {}) {
    const t = setup();
    t.steps.push(...steps);
    t.model.open();
    act(t);
    await new Promise(resolve => setTimeout(resolve));
    return t;
  }

  it('is shown again, can be regenerated and accepted (P34)', async () => {
    const t = await open([OPEN]);
    expect(t.model.state).toMatchObject({
      phase: 'suggested',
      intent: 'double it',
      code: 'x = 2',
      explanation: 'why',
      turnId: 3
    });
    await t.model.decision.accept();
    expect(t.source()).toBe('x = 2');
    expect(t.recorded).toEqual([
      { type: 'accept', turnId: 3, source: 'x = 2' }
    ]);
    const other = await open([OPEN]);
    void other.model.retry();
    (await other.requested(1)).push(start(4));
    expect(other.bodies[0]).toMatchObject({
      intent: 'double it',
      source: 'x = 1',
      mode: 'retry'
    });
  });

  it('isn’t shown again after it was rejected here, however late the history arrives', async () => {
    const t = setup();
    let load: (value: { steps: Partial<Step>[] }) => void = () => undefined;
    t.history.replay.mockReturnValueOnce(
      new Promise(resolve => (load = resolve))
    );
    t.model.open();
    void t.model.ask('double it');
    (await t.requested(1)).push(start(3), done(3, 'x = 2'), null);
    await t.phase('suggested');
    const rejected = t.model.decision.reject();
    t.model.open();
    load({ steps: [OPEN] });
    await rejected;
    await new Promise(resolve => setTimeout(resolve));
    expect(t.model.state.phase).toBe('editing');
  });

  it('is regenerated as it was requested: for its lines, after its turn', async () => {
    const parent = {
      ...OPEN,
      index: 0,
      turnId: 2,
      outcome: 'refined'
    } as const;
    const data = { selection: { first: 1, last: 1 } };
    const step = { ...OPEN, index: 1, parent: 0, base: 'x = 2\ny', data };
    const t = await open([parent, step]);
    expect(t.model.state.phase).toBe('suggested');
    void t.model.retry();
    (await t.requested(1)).push(start(4));
    expect(t.bodies[0]).toMatchObject({
      source: 'x = 2\ny',
      parentTurnId: 2,
      context: { selection: { first: 1, last: 1 } }
    });
  });

  it('comes with the other models’ answers to its request (P34)', async () => {
    const attempts = [
      { ...OPEN, code: 'no', outcome: 'error' },
      {
        ...OPEN,
        turnId: 4,
        code: 'x *= 2',
        model: 'openai:other',
        receipt: { replacedCharacters: ['quotes'] }
      },
      { turnId: 5, code: 'x', outcome: 'open', title: 'x?', mode: 'repair' },
      { ...OPEN, turnId: 6, code: 'x += x', model: 'openai:last' }
    ] as Step['attempts'];
    const step = { ...OPEN, ...attempts![3], attempts };
    const t = await open([{ ...OPEN, turnId: 1, outcome: 'rejected' }, step]);
    const shown = t.model.answers.map(({ suggestion }) => suggestion.turnId);
    expect(shown).toEqual([4, 5, 6]);
    expect(t.model.state).toMatchObject({
      phase: 'suggested',
      intent: 'double it',
      code: 'x += x'
    });
    expect(t.model.state.replacedCharacters).toEqual([]);
    t.model.decision.show(4);
    expect(t.model.state.replacedCharacters).toEqual(['quotes']);
    t.model.decision.show(5); // It has no explanation and no model of its own.
    expect(t.model.state.explanation).toBe('');
    expect(t.model.answers[1].suggestion.model).toBeUndefined();
    t.model.decision.show(4);
    await t.model.decision.accept();
    expect(t.source()).toBe('x *= 2');
    expect(t.recorded).toEqual([
      { type: 'accept', turnId: 4, source: 'x *= 2' }
    ]);
  });

  it.each<[string, Partial<Step>[]]>([
    ['was decided on', [{ ...OPEN, outcome: 'accepted' }]],
    ['is not the last turn', [OPEN, { ...OPEN, outcome: 'done', turnId: 4 }]],
    ['was for other code', [{ ...OPEN, before: 'x = 0' }]]
  ])('is not shown if it %s', async (_, steps) => {
    expect((await open(steps)).model.state.phase).toBe('editing');
  });

  it('is not shown while an error is being fixed', async () => {
    const t = await open([OPEN], t => {
      const { target, model } = t as ReturnType<typeof setup>;
      target.error.mockReturnValue('KeyError');
      target.check.mockReturnValue(new Promise(() => undefined));
      void model.fix(error => error);
    });
    expect(t.model.state.phase).toBe('editing');
  });

  it('does not replace a request that the person has begun', async () => {
    const t = await open([OPEN], t => {
      (t as ReturnType<typeof setup>).model.inputText = 'print it';
    });
    expect(t.model.state.phase).toBe('editing');
    expect(t.model.inputText).toBe('print it');
  });
});
