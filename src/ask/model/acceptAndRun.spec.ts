import { code, done, setup, start } from './generation.fakes';

type Setup = ReturnType<typeof setup>;

/** A cell in which these codes fail when they are run. */
function cellThatFails(failing: string[]): Setup {
  const t = setup();
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
  return t.model.decision.acceptAndRun();
}

describe('AcceptAndRun', () => {
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

  it('P49: asks no model if the code fails', async () => {
    const t = cellThatFails(['bad']);
    await askAndRun(t);
    expect(t.target.run).toHaveBeenCalledTimes(1);
    expect(t.feeds).toHaveLength(1);
    const { phase, notice } = t.model.state;
    expect([phase, notice]).toEqual(['editing', 'run_failed']);
    // “Fix it” asks about the code as it is in the cell, which is shown before it runs.
    const fixed = t.model.fix(error => `fix ${error}`);
    await answer(t, 2, 'good');
    await fixed;
    expect(t.bodies[1]).toMatchObject({
      intent: 'fix error in bad',
      source: 'bad'
    });
    expect(t.model.state).toMatchObject({ phase: 'suggested', code: 'good' });
    expect(t.target.run).toHaveBeenCalledTimes(1);
  });

  it('P49: runs no code that may still be corrected', async () => {
    const t = cellThatFails([]);
    t.target.check.mockReturnValue(new Promise(() => undefined));
    void t.model.ask('do it');
    await answer(t, 1, 'bad');
    await t.phase('suggested');
    await t.model.decision.acceptAndRun();
    expect(t.target.run).not.toHaveBeenCalled();
    expect(t.model.state.phase).toBe('suggested');
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
