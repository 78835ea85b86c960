import type { ModelInfo } from '../../api/types';
import type { IRepeatedRequest } from '../../tokens';
import { code, done, MODEL, setup, start } from './generation.fakes';
import { repeatRequest } from './repeatRequest';
import { frameOf } from '../../kernel/request.fakes';

const REMOTE: ModelInfo = { ...MODEL, id: 'openai:o', onThisMachine: false };

const REQUEST: IRepeatedRequest = {
  intent: 'plot sales',
  source: 'x = 0',
  mode: 'create',
  selection: null,
  model: REMOTE,
  repeatsTurnId: 1,
  parentTurnId: null
};

const FRAME = frameOf('sales', 1, { price: 'int64' });

function send(
  t: ReturnType<typeof setup>,
  request: Partial<IRepeatedRequest> = {},
  signal = new AbortController().signal
) {
  const { api, history, target } = t.model;
  const options = { api, history, target, storesPrompts: () => false };
  return repeatRequest(options, { ...REQUEST, ...request }, signal);
}

describe('a request that is asked again', () => {
  it('returns the saved turn, and leaves the cell and its row unchanged', async () => {
    const t = setup();
    const answer = send(t, { parentTurnId: 7, repeatsTurnId: 2 });
    (await t.requested(1)).push(start(8), code('y'), done(8, 'y'), null);
    expect((await answer).turn?.turn_id).toBe(8);
    expect(t.bodies[0]).toMatchObject({
      intent: 'plot sales',
      source: 'x = 0',
      model: 'openai:o',
      mode: 'create',
      parentTurnId: 7,
      repeatsTurnId: 2,
      storesPrompt: false
    });
    expect(t.source()).toBe('x = 1');
    expect(t.states).toEqual([]);
    expect(t.notified).toEqual([{ notebookId: 'nb', cellId: 'c1' }]);
  });

  it('attaches what a normal request would, and no values for a remote model (P15)', async () => {
    const t = setup();
    const kernel = { frames: [FRAME], variables: [{ name: 'n', kind: 'int' }] };
    t.target.variables.mockResolvedValue(kernel);
    t.target.cellAt.mockReturnValue({
      cellId: 'c0',
      source: 'load()',
      error: '',
      output: 'secret',
      images: []
    });
    void send(t, { intent: 'plot sales like @cell1' });
    void send(t, { model: MODEL });
    await t.requested(2);
    expect(t.target.variables.mock.calls).toEqual([[0], [2]]);
    const body = t.bodies.find(({ intent }) => intent.includes('@cell1'));
    expect(body?.context).toMatchObject({
      dataframes: [FRAME],
      variables: [{ name: 'n', kind: 'int' }],
      mentions: [{ kind: 'cell', name: '@cell1' }]
    });
    expect(body?.context?.mentions?.[0].shared).toBeUndefined();
  });

  it('is limited to its lines, and sends no mode that the server can’t store', async () => {
    const t = setup();
    const selection = { first: 1, last: 1 };
    void send(t, { selection, mode: 'Other tool' });
    void send(t, { mode: 'retry' });
    await t.requested(2);
    expect(t.bodies[0].context?.selection).toEqual(selection);
    expect(t.bodies.map(({ mode }) => mode)).toEqual([undefined, undefined]);
  });

  it('stops the model, which is no failure', async () => {
    const t = setup();
    const abort = new AbortController();
    const answer = send(t, {}, abort.signal);
    const feed = await t.requested(1);
    feed.push(start(2));
    await new Promise(resolve => setTimeout(resolve));
    abort.abort();
    expect(t.api.stop).toHaveBeenCalledWith('g2');
    feed.push({ type: 'cancelled', interaction: {} as never, revision: 1 });
    feed.push(null);
    expect(await answer).toEqual({ turn: null, failure: null });
  });

  it('sends nothing if it is stopped before', async () => {
    const t = setup();
    const abort = new AbortController();
    abort.abort();
    expect((await send(t, {}, abort.signal)).turn).toBeNull();
    expect(t.bodies).toEqual([]);
  });

  it.each([
    [
      'the provider',
      'model_x',
      { type: 'error', code: 'model_x', message: 'No.' }
    ],
    [
      'another page',
      'stopped_elsewhere',
      { type: 'cancelled', interaction: {}, revision: 1 }
    ],
    ['the connection', 'interrupted', null],
    ['the server', 'interrupted', new Error('offline')]
  ] as const)('fails because of %s', async (_, failureCode, event) => {
    const t = setup();
    const answer = send(t);
    (await t.requested(1)).push(start(1), event as never, null);
    const { turn, failure } = await answer;
    expect(turn).toBeNull();
    expect(failure?.code).toBe(failureCode);
  });
});

it('doesn’t count in the row, and its suggestion isn’t open there', async () => {
  const t = setup();
  const turn = {
    kind: 'turn',
    index: 0,
    before: 'x = 1',
    code: 'x = 2'
  } as const;
  t.steps.push(
    { ...turn, turnId: 1, title: 'mine', outcome: 'open' },
    { ...turn, turnId: 2, title: 'mine', outcome: 'repeated', repeatsTurnId: 1 }
  );
  t.model.open();
  await t.phase('suggested');
  expect(t.model.state.turnId).toBe(1);
  expect(t.model.state.uncountedTurnIds).toEqual([2]);
});
