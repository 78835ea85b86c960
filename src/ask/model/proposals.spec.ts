/** Proposals of agents, in the row of their cell. */
import type { Step } from '../../api/types';
import { done, setup, start } from './generation.fakes';

const PROPOSAL: Partial<Step> = {
  kind: 'turn',
  turnId: 3,
  author: 'agent',
  name: 'Claude Code',
  run: 'run1',
  title: 'tidy the dates',
  before: 'x = 1',
  code: 'x = 2',
  outcome: 'open'
};

const settle = () => new Promise(resolve => setTimeout(resolve));

describe('a proposal of an agent', () => {
  it('is shown in a closed row, with its agent, and doesn’t warm up a model', async () => {
    const t = setup();
    t.steps.push(PROPOSAL);
    expect(await t.model.showProposal()).toEqual({
      turnId: 3,
      run: 'run1',
      isCellEdited: false
    });
    expect(t.model.state).toMatchObject({
      phase: 'suggested',
      intent: 'tidy the dates',
      code: 'x = 2'
    });
    expect(t.model.suggestion?.agent).toBe('Claude Code');
    await settle();
    expect(t.api.warmUp).not.toHaveBeenCalled();
    await t.model.decision.accept();
    expect(t.source()).toBe('x = 2');
    expect(t.recorded).toEqual([
      { type: 'accept', turnId: 3, source: 'x = 2' }
    ]);
  });

  it('can be rejected with a reason', async () => {
    const t = setup();
    t.steps.push(PROPOSAL);
    await t.model.showProposal();
    await t.model.decision.reject('not the dates of 2020');
    expect(t.recorded).toEqual([
      {
        type: 'reject',
        turnId: 3,
        source: 'x = 1',
        data: { reason: 'not the dates of 2020' }
      }
    ]);
    expect(t.model.state.phase).toBe('idle');
  });

  it('follows the cell if other lines have changed', async () => {
    const t = setup({ source: 'a = 0\n\nb = 0\n' });
    const code = 'a = 1\n\nb = 0\n';
    t.steps.push({ ...PROPOSAL, before: 'a = 0\n\nb = 0\n', code });
    t.edit('a = 0\n\nb = 9\n');
    const proposal = await t.model.showProposal();
    expect(proposal?.isCellEdited).toBe(false);
    expect(t.model.state.code).toBe('a = 1\n\nb = 9\n');
  });

  it('says that it would overwrite lines that the person has changed', async () => {
    const t = setup({ source: 'x = 9' });
    t.steps.push(PROPOSAL);
    expect((await t.model.showProposal())?.isCellEdited).toBe(true);
    expect(t.model.state.isCellEdited).toBe(true);
  });

  it('is replaced by a newer one of an agent', async () => {
    const t = setup();
    t.steps.push(PROPOSAL);
    await t.model.showProposal();
    t.steps.push({ ...PROPOSAL, turnId: 4, code: 'x = 3' });
    expect((await t.model.showProposal())?.turnId).toBe(4);
    expect(t.model.answers).toHaveLength(1);
    expect(t.model.state.code).toBe('x = 3');
    expect((await t.model.showProposal())?.turnId).toBe(4);
  });

  it.each<[string, (t: ReturnType<typeof setup>) => unknown]>([
    [
      'a request is being written',
      t => {
        t.model.open();
        t.model.inputText = 'sort it';
      }
    ],
    ['a model’s suggestion is open', t => t.answer('sort it', 'y')],
    [
      'the proposal was changed by the person',
      async t => {
        await t.model.showProposal();
        t.model.decision.edit('x = 2 # mine');
        t.steps.push({ ...PROPOSAL, turnId: 4 });
      }
    ]
  ])('isn’t shown while %s', async (_, act) => {
    const t = setup();
    t.steps.push(PROPOSAL);
    await act(t);
    const { code, phase } = t.model.state;
    expect(await t.model.showProposal()).toBeNull();
    expect(t.model.state).toMatchObject({ code, phase });
  });

  it.each<[string, Partial<Step>[]]>([
    ['was decided on', [{ ...PROPOSAL, outcome: 'rejected' }]],
    ['isn’t the last turn', [PROPOSAL, { ...PROPOSAL, outcome: 'done' }]],
    ['is a model’s answer', [{ ...PROPOSAL, author: 'model' }]]
  ])('isn’t shown if it %s', async (_, steps) => {
    const t = setup();
    t.steps.push(...steps);
    expect(await t.model.showProposal()).toBeNull();
    expect(t.model.state.phase).toBe('idle');
  });

  it('is no earlier request of the person', async () => {
    const t = setup();
    t.steps.push({ ...PROPOSAL, outcome: 'accepted' });
    t.model.open();
    await settle();
    expect(t.model.intents.previous('')).not.toBe('tidy the dates');
  });

  it('can be changed by a request', async () => {
    const t = setup();
    t.steps.push(PROPOSAL);
    await t.model.showProposal();
    void t.model.ask('and sort it');
    (await t.requested(1)).push(start(4), done(4, 'x = 4'), null);
    expect(t.bodies[0]).toMatchObject({ parentTurnId: 3, source: 'x = 2' });
    await t.until(state => state.code === 'x = 4');
    expect(t.model.suggestion?.agent).toBeUndefined();
  });
});
