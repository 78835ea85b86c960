import * as fc from 'fast-check';

import { FakeAgainCell, OTHER_MODEL, turnsOf } from './again.fakes';
import { requestsTo } from './requests';
import { AgainRun } from './run';

function setup(codes = ['a', 'b', 'c'], runsCode = false) {
  const steps = turnsOf(...codes.map(code => ({ code, before: undefined! })));
  steps.forEach((step, index) => {
    step.before = codes[index - 1] ?? '';
  });
  const cell = new FakeAgainCell();
  const run = new AgainRun(
    {
      key: { notebookId: 'nb', cellId: 'a' },
      cell,
      model: OTHER_MODEL,
      runsCode,
      onChanged: jest.fn()
    },
    requestsTo(steps, steps.length - 1)
  );
  const sent = () =>
    cell.requests.map(({ source, repeatsTurnId, parentTurnId }) => ({
      source,
      repeatsTurnId,
      parentTurnId
    }));
  const turnIds = () => run.rows.map(({ turnId }) => turnId);
  return { cell, run, sent, turnIds };
}

/** Let pending promises continue. */
const settle = () => new Promise(resolve => setTimeout(resolve));

describe('a history that is asked again', () => {
  it('asks the requests in order, each from the new answer before it', async () => {
    const { cell, run, sent, turnIds } = setup();
    cell.answers.push('x', 'y', 'z');
    await run.proceed();
    expect(run.phase).toBe('done');
    expect(sent()).toEqual([
      { source: '', repeatsTurnId: 1, parentTurnId: null },
      { source: 'x', repeatsTurnId: 2, parentTurnId: 10 },
      { source: 'y', repeatsTurnId: 3, parentTurnId: 11 }
    ]);
    expect(turnIds()).toEqual([10, 11, 12]);
    expect(cell.requests.every(({ model }) => model === OTHER_MODEL)).toBe(
      true
    );
    expect(cell.kernels).toEqual([]);
  });

  it('stops at once; the answers stay, and it continues with the next request', async () => {
    const { cell, run, sent, turnIds } = setup();
    cell.answers.push('x');
    const hasEnded = run.proceed();
    await settle();
    expect(run.phase).toBe('running');
    run.stop();
    expect(run.phase).toBe('stopped');
    await hasEnded;
    expect(turnIds()).toEqual([10, null, null]);
    cell.answers.push('y', 'z');
    await run.proceed();
    expect(turnIds()).toEqual([10, 11, 12]);
    expect(sent().map(({ repeatsTurnId }) => repeatsTurnId)).toEqual([
      1, 2, 2, 3
    ]);
    expect(sent()[2].source).toBe('x');
  });

  it('ends with the first failure, and repeats that request later', async () => {
    const { cell, run, sent } = setup();
    cell.answers.push('x', new Error('model_rate_limited'));
    await run.proceed();
    expect(run.phase).toBe('failed');
    expect(run.failure).toMatchObject({ code: 'model_rate_limited' });
    expect(cell.requests).toHaveLength(2);
    cell.answers.push('y', 'z');
    await run.proceed();
    expect([run.phase, run.failure]).toEqual(['done', null]);
    expect(sent()[2]).toEqual(sent()[1]);
  });

  it('sends nothing while the cell waits for an answer, or without the cell', async () => {
    const { cell, run } = setup();
    cell.isBusy = true;
    await run.proceed();
    expect([run.phase, run.notice]).toEqual(['stopped', 'busy']);
    cell.isBusy = false;
    cell.isInNotebook = false;
    await run.proceed();
    expect(run.failure?.code).toBe('cell_deleted');
    expect(cell.requests).toEqual([]);
  });

  it('limits a request to its lines only if they are the same', async () => {
    const data = { selection: { first: 1, last: 1 } };
    const steps = turnsOf(
      { code: 'a', before: 's', data },
      { code: 'b', data }
    );
    const cell = new FakeAgainCell();
    cell.answers.push('x', 'y');
    const key = { notebookId: 'nb', cellId: 'a' };
    const options = {
      key,
      cell,
      model: OTHER_MODEL,
      runsCode: false,
      onChanged: () => undefined
    };
    await new AgainRun(options, requestsTo(steps, 1)).proceed();
    expect(cell.requests.map(({ selection }) => selection)).toEqual([
      { first: 1, last: 1 },
      null
    ]);
  });

  it('counts the problems of both answers, as far as the kernel can check them', async () => {
    const { cell, run } = setup(['a', 'b']);
    cell.answers.push('x', 'y');
    cell.problems.set('a', 1).set('x', 0);
    await run.proceed();
    expect([...run.findings.problems]).toEqual([
      [1, 1],
      [10, 0]
    ]);
  });
});

describe('answers that run in a fresh kernel (P13)', () => {
  it('run after the cells above, one after the other, and the kernel is shut down', async () => {
    const { cell, run } = setup(['a', 'b'], true);
    cell.answers.push('x', 'y');
    cell.results.set('y', { status: 'error', error: 'NameError' });
    await run.proceed();
    expect(cell.kernels).toEqual([
      { ran: ['import a', 'x', 'y'], isShutDown: true }
    ]);
    expect([...run.findings.runs]).toEqual([
      [10, { status: 'ok' }],
      [11, { status: 'error', error: 'NameError' }]
    ]);
  });

  it('run again in another kernel after a stop', async () => {
    const { cell, run } = setup(['a', 'b'], true);
    cell.answers.push('x');
    const hasEnded = run.proceed();
    await settle();
    run.stop();
    await hasEnded;
    expect(cell.kernels[0].isShutDown).toBe(true);
    cell.answers.push('y');
    await run.proceed();
    expect(cell.kernels[1]).toEqual({
      ran: ['import a', 'x', 'y'],
      isShutDown: true
    });
  });

  it('aren’t run without a kernel, and the person sees why', async () => {
    const { cell, run } = setup(['a'], true);
    cell.startKernel = async () => {
      throw new Error('no such kernel');
    };
    cell.answers.push('x');
    await run.proceed();
    expect([run.phase, run.notice]).toEqual(['done', 'no_kernel']);
    expect(run.findings.runs.size).toBe(0);
  });

  it('stop being run if a cell above, or an answer, doesn’t end', async () => {
    for (const endless of ['import a', 'x']) {
      const { cell, run } = setup(['a', 'b'], true);
      cell.answers.push('x', 'y');
      cell.results.set(endless, { status: 'timeout' });
      await run.proceed();
      expect([run.phase, run.notice]).toEqual(['done', 'too_slow']);
      expect(run.findings.runs.has(11)).toBe(false);
    }
  });

  it('end with a failure if the notebook was closed, and continue in the new one', async () => {
    const { cell, run } = setup(['a'], true);
    Object.defineProperty(cell, 'codeAbove', {
      get: () => {
        throw new TypeError('disposed');
      }
    });
    await run.proceed();
    expect([run.phase, run.failure?.code]).toEqual(['failed', 'cell_deleted']);
    expect(cell.kernels).toEqual([]);
    const reopened = new FakeAgainCell();
    reopened.answers.push('x');
    run.options.cell = reopened;
    await run.proceed();
    expect(run.phase).toBe('done');
  });
});

it('answers each request once and in order, however often it is interrupted', async () => {
  const acts = fc.array(fc.constantFrom('fail', 'stop', 'answer'), {
    maxLength: 12
  });
  await fc.assert(
    fc.asyncProperty(acts, fc.boolean(), async (interruptions, runsCode) => {
      const { cell, run, turnIds } = setup(['a', 'b', 'c'], runsCode);
      for (const act of [...interruptions, 'answer', 'answer', 'answer']) {
        if (act === 'answer') {
          cell.answers.push(`new ${cell.nextTurnId}`);
        } else if (act === 'fail') {
          cell.answers.push(new Error('model_failed'));
        }
        const hasEnded = run.proceed();
        await settle();
        run.stop();
        await hasEnded;
      }
      expect(run.phase).toBe('done');
      expect(turnIds()).toEqual([10, 11, 12]);
      const isAnswered = (index: number) =>
        cell.requests.filter(({ repeatsTurnId }) => repeatsTurnId === index + 1)
          .length > 0;
      expect([0, 1, 2].every(isAnswered)).toBe(true);
      const order = cell.requests.map(({ repeatsTurnId }) => repeatsTurnId);
      expect(order).toEqual([...order].sort());
      expect(cell.kernels.every(({ isShutDown }) => isShutDown)).toBe(true);
    }),
    { numRuns: 30 }
  );
});
