import { MODEL, code, done, setup, start } from './generation.fakes';

type Setup = ReturnType<typeof setup>;

/** A cell in which these codes fail when they are run. */
function cellThatFails(failing: string[], runLimit = 2): Setup {
  const t = setup({ repair: 'off', runLimit });
  const isFailing = () => failing.includes(t.source() ?? '');
  t.target.run.mockImplementation(async () => !isFailing());
  t.target.error.mockImplementation(() =>
    isFailing() ? `error in ${t.source()}` : null
  );
  t.model.open();
  return t;
}

async function answer(t: Setup, id: number, suggestion: string) {
  const feed = await t.requested(id);
  feed.push(start(id), code(suggestion), done(id, suggestion), null);
}

/** Ask, and accept and run the answer `bad`. */
async function askAndRun(t: Setup): Promise<Promise<void>> {
  const asked = t.model.ask('do it');
  await answer(t, 1, 'bad');
  await asked;
  return t.model.runs.start();
}

/** Ask a small model, which answers `bad`. */
async function askSmallModel(t: Setup): Promise<void> {
  const model = { ...MODEL, small: true };
  const asked = t.model.ask('do it');
  const feed = await t.requested(1);
  feed.push({ ...start(1), model } as never, done(1, 'bad'), null);
  await asked;
}

describe('RunAndRepair', () => {
  it('asks a small model for another answer to the request', async () => {
    const t = cellThatFails(['bad']);
    await askSmallModel(t);
    const ran = t.model.runs.start();
    await answer(t, 2, 'good');
    await ran;
    expect(t.bodies.map(({ intent, mode, source }) => [intent, mode, source])) //
      .toEqual([
        ['do it', undefined, 'x = 1'],
        ['do it', 'retry', 'x = 1']
      ]);
    expect(t.source()).toBe('good');
    expect(t.model.state.notice).toBe('ran_corrected');
  });

  it('asks a small model for another answer if the accepted one is to be fixed', async () => {
    const t = cellThatFails(['bad', 'bad + 1']);
    await askSmallModel(t);
    await t.model.decision.accept();
    t.model.open();
    const requestText = () => 'fix it';
    const fixed = t.model.fix(requestText);
    await answer(t, 2, 'good');
    await fixed;
    await t.model.decision.reject();
    // The person's own change is to be fixed, too.
    t.edit('bad + 1');
    t.model.open();
    void t.model.fix(requestText);
    await t.requested(3);
    expect(t.bodies.map(({ intent, mode }) => [intent, mode])).toEqual([
      ['do it', undefined],
      ['do it', 'retry'],
      ['fix it', undefined]
    ]);
  });

  it('asks again for the accepted suggestion, not for what was asked in between', async () => {
    const t = cellThatFails(['bad']);
    await askSmallModel(t);
    void t.model.ask('and sort it');
    await t.requested(2);
    t.model.stop();
    const ran = t.model.runs.start();
    await answer(t, 3, 'good');
    await ran;
    expect(t.bodies.at(-1)).toMatchObject({ intent: 'do it', mode: 'retry' });
    expect(t.source()).toBe('good');
  });

  it('tries a failed request for another answer again as it was', async () => {
    const t = cellThatFails(['bad']);
    await askSmallModel(t);
    await t.model.decision.accept();
    t.model.open();
    void t.model.fix(() => 'fix it');
    (await t.requested(2)).push(start(2), new Error('cut'));
    await t.phase('failed');
    void t.model.retry();
    await t.requested(3);
    const [, ...again] = t.bodies.map(({ intent, mode, source }) => [
      intent,
      mode,
      source
    ]);
    expect(again).toEqual([
      ['do it', 'retry', 'x = 1'],
      ['do it', 'retry', 'x = 1']
    ]);
  });

  it('P13: runs nothing until it is started', async () => {
    const t = cellThatFails([]);
    const asked = t.model.ask('do it');
    await answer(t, 1, 'bad');
    await asked;
    await t.model.decision.accept();
    expect(t.target.run).not.toHaveBeenCalled();
  });

  it('accepts and runs code that works, and closes the row', async () => {
    const t = cellThatFails([]);
    await askAndRun(t);
    expect(t.recorded).toMatchObject([{ type: 'accept', source: 'bad' }]);
    expect(t.target.run).toHaveBeenCalledTimes(1);
    expect(t.model.state.phase).toBe('idle');
  });

  it('P42: has the error corrected, each attempt as a turn that is accepted', async () => {
    const t = cellThatFails(['bad']);
    const ran = askAndRun(t);
    await answer(t, 2, 'good');
    await ran;
    expect(t.bodies.map(({ intent, mode, source }) => [intent, mode, source])) //
      .toEqual([
        ['do it', undefined, 'x = 1'],
        ['fix error in bad', 'repair', 'bad']
      ]);
    expect(t.recorded).toMatchObject([
      { type: 'accept', turnId: 1, source: 'bad' },
      { type: 'accept', turnId: 2, source: 'good' }
    ]);
    expect(t.target.run).toHaveBeenCalledTimes(2);
    const { phase, notice } = t.model.state;
    expect([phase, notice]).toEqual(['editing', 'ran_corrected']);
  });

  it.each([0, 1, 2])('P42: gives up after %s corrections', async limit => {
    const t = cellThatFails(['bad', 'bad 2', 'bad 3'], limit);
    const ran = askAndRun(t);
    for (let id = 2; id <= limit + 1; id++) {
      await answer(t, id, `bad ${id}`);
    }
    await ran;
    expect(t.target.run).toHaveBeenCalledTimes(limit + 1);
    expect(t.feeds).toHaveLength(limit + 1);
    expect(t.model.state.notice).toBe('run_failed');
  });

  it('P42: does not run code again that has failed', async () => {
    const t = cellThatFails(['bad', 'bad 2']);
    const ran = askAndRun(t);
    await answer(t, 2, 'bad 2');
    await answer(t, 3, 'bad');
    await ran;
    expect(t.target.run).toHaveBeenCalledTimes(2);
    const { phase, notice } = t.model.state;
    expect([phase, notice]).toEqual(['suggested', 'repeated']);
  });

  it('P42: stops at once while the cell runs, and interrupts the kernel', async () => {
    const t = cellThatFails(['bad']);
    let end: (hasRun: boolean) => void = () => undefined;
    t.target.run.mockReturnValue(new Promise(resolve => (end = resolve)));
    const ran = askAndRun(t);
    await t.phase('running');
    t.model.stop();
    expect(t.target.interrupt).toHaveBeenCalledTimes(1);
    const { phase, notice } = t.model.state;
    expect([phase, notice]).toEqual(['editing', 'run_stopped']);
    end(false);
    await ran;
    expect(t.feeds).toHaveLength(1);
    expect(t.model.state.phase).toBe('editing');
  });

  it('P42: does not run the cell if it is stopped while the accept is recorded', async () => {
    const t = cellThatFails(['bad']);
    let save: (value: undefined) => void = () => undefined;
    t.history.record.mockReturnValueOnce(
      new Promise<undefined>(resolve => (save = resolve))
    );
    const ran = askAndRun(t);
    await t.phase('running');
    t.model.stop();
    save(undefined);
    await ran;
    expect(t.target.run).not.toHaveBeenCalled();
    const { phase, notice } = t.model.state;
    expect([phase, notice]).toEqual(['editing', 'run_stopped']);
  });

  it('P42: stops while a correction arrives, and interrupts no kernel', async () => {
    const t = cellThatFails(['bad']);
    const ran = askAndRun(t);
    (await t.requested(2)).push(start(2), code('go'));
    await t.phase('streaming');
    t.model.stop();
    t.feeds[1].push({ type: 'cancelled' } as never, null);
    await ran;
    expect(t.target.interrupt).not.toHaveBeenCalled();
    expect(t.target.run).toHaveBeenCalledTimes(1);
    expect(t.source()).toBe('bad');
    expect(t.model.state.phase).toBe('stopped');
  });

  it('leaves the failure of a request to the row', async () => {
    const t = cellThatFails(['bad']);
    const ran = askAndRun(t);
    (await t.requested(2)).push(new Error('gone'));
    await ran;
    expect(t.model.state.phase).toBe('failed');
    expect(t.target.run).toHaveBeenCalledTimes(1);
  });

  it('says so if the cell could not be run', async () => {
    const t = cellThatFails([]);
    t.target.run.mockRejectedValue(new Error('no kernel'));
    await askAndRun(t);
    expect(t.model.state.notice).toBe('not_run');
    expect(t.source()).toBe('bad');
  });

  it('refuses other requests while the cell runs', async () => {
    const t = cellThatFails([]);
    t.target.run.mockReturnValue(new Promise(() => undefined));
    void askAndRun(t);
    await t.phase('running');
    await t.model.ask('more');
    expect(t.feeds).toHaveLength(1);
    expect(t.model.state).toMatchObject({ phase: 'running', notice: 'busy' });
  });
});
