import { ReplayModel } from '../replay';
import { FAKE_HOST, FakeHistory, FakeSubject } from '../replay.fakes';
import { FakeAgainCell, OTHER_MODEL, turnsOf } from './again.fakes';

async function setup() {
  const subject = new FakeSubject();
  const history = new FakeHistory();
  history.steps.set('a', turnsOf({ code: 'a = 1' }, { code: 'a = 2' }));
  history.steps.set('b', turnsOf({ code: 'b = 1' }));
  const cell = new FakeAgainCell();
  const model = new ReplayModel(subject, history, FAKE_HOST, {
    findCell: cellId => (subject.numberOf(cellId) === null ? null : cell),
    pickModel: ({ choose }) => choose(OTHER_MODEL)
  });
  /** Wait until the steps of the active cell are loaded. */
  const settle = async () => {
    const isLoaded = () =>
      model.steps.shownCell?.cellId === subject.activeId &&
      !model.steps.isLoading;
    do {
      await new Promise(resolve => setTimeout(resolve));
    } while (!isLoaded());
  };
  const show = async () => {
    model.isActive = true;
    await settle();
  };
  return { again: model.again, cell, history, model, settle, show, subject };
}

/** Add the answers of the fake cell to the steps of cell `a`. */
function addRepeats({ history }: Awaited<ReturnType<typeof setup>>): void {
  const repeated = { outcome: 'repeated', applied: false } as const;
  history.steps.set(
    'a',
    turnsOf(
      { code: 'a = 1' },
      { code: 'a = 2' },
      { code: 'x', turnId: 10, parent: null, repeatsTurnId: 1, ...repeated },
      { code: 'y', turnId: 11, parent: 2, repeatsTurnId: 2, ...repeated }
    )
  );
}

describe('asking the history again', () => {
  it('opens a form as soon as the steps of the active cell are loaded', async () => {
    const t = await setup();
    t.again.open();
    expect(t.again.form).toBeNull();
    await t.show();
    expect(t.again.form).toMatchObject({ model: null, runsCode: false });
    expect(t.again.isFocusRequested).toBe(true);
  });

  it('runs nothing if the cell has no code, or running is forbidden (P13)', async () => {
    const t = await setup();
    await t.show();
    t.again.open();
    t.again.pickModel(0, 0);
    t.again.setRunsCode(true);
    t.cell.canRun = false;
    t.cell.answers.push('x', 'y');
    expect(t.again.canRun).toBe(false);
    await t.again.start();
    expect(t.again.run?.phase).toBe('done');
    expect(t.cell.kernels).toEqual([]);
  });

  it('needs a model, and asks the requests of the shown version', async () => {
    const t = await setup();
    await t.show();
    t.model.player.goTo(0);
    t.again.open();
    expect(t.again.canStart).toBe(false);
    t.again.pickModel(0, 0);
    expect(t.again.canStart).toBe(true);
    t.cell.answers.push('x');
    await t.again.start();
    expect(t.cell.requests.map(({ intent }) => intent)).toEqual(['make a = 1']);
    expect(t.again.run?.phase).toBe('done');
    expect(t.again.table?.rows).toHaveLength(1);
    expect(t.subject.source).toBe('a = 1');
    expect(t.history.recorded).toEqual([]);
  });

  it('continues while the sidebar is hidden or shows another cell, one at a time', async () => {
    const t = await setup();
    await t.show();
    t.again.open();
    t.again.pickModel(0, 0);
    void t.again.start();
    t.subject.activate('b');
    await t.settle();
    expect([t.again.run, t.again.isRunning]).toEqual([null, true]);
    t.again.open();
    expect(t.again.form?.model).toBe(OTHER_MODEL);
    expect(t.again.canStart).toBe(false);
    t.model.isActive = false;
    expect(t.again.isRunning).toBe(true);
    t.model.isActive = true;
    t.subject.activate('a');
    await t.settle();
    expect(t.again.run?.phase).toBe('running');
    t.again.close();
    expect(t.again.run?.phase).toBe('running');
    t.again.stop();
    t.again.close();
    expect(t.again.run).toBeNull();
  });

  it('isn’t possible for a deleted cell, or without requests', async () => {
    const t = await setup();
    await t.show();
    t.again.open();
    t.again.pickModel(0, 0);
    t.subject.sources.delete('a');
    expect(t.again.canStart).toBe(false);
    t.subject.activate('c');
    await t.settle();
    t.again.open();
    expect(t.again.requests).toEqual([]);
    expect(t.again.canStart).toBe(false);
  });

  it('shows the table of a stored branch again, and checks its answers', async () => {
    const t = await setup();
    addRepeats(t);
    await t.show();
    expect(t.again.canShowTable).toBe(true);
    t.cell.problems.set('a = 1', 2).set('y', 0);
    await t.again.showTable();
    const { rows, findings } = t.again.table!;
    expect(rows.map(({ turnId }) => turnId)).toEqual([10, 11]);
    expect([...findings.problems]).toEqual([
      [1, 2],
      [11, 0]
    ]);
    t.again.close();
    expect(t.again.table).toBeNull();
    t.model.player.goTo(0);
    expect(t.again.canShowTable).toBe(false);
  });

  it('is stopped with the sidebar', async () => {
    const t = await setup();
    await t.show();
    t.again.open();
    t.again.pickModel(0, 0);
    const hasEnded = t.again.start();
    const { run } = t.again;
    t.model.dispose();
    await hasEnded;
    expect(run?.phase).toBe('stopped');
  });
});
