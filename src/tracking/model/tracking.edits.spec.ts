import type { Signal } from '@lumino/signaling';

import { ApiError } from '../../api/request';
import { replaceSource } from '../../cells/applySource';
import { openWithTurn, fakeKernel } from './tracking.fakes';
import { lastSource } from './tracking.server.fakes';

beforeAll(() => fakeKernel());
afterEach(() => document.body.replaceChildren());

describe('edits', () => {
  it('are recorded before a run and a save, not for each keystroke', async () => {
    const open = await openWithTurn();
    const { server } = open.page;
    server.bodies = [];
    for (const text of ['p', 'pr', 'print(1)']) {
      open.type(0, text);
    }
    await open.settle();
    expect(server.bodies).toEqual([]);
    await open.run(0);
    const [edit, run] = server.events(open.id, 'aa').slice(1);
    expect(edit).toMatchObject({
      source: 'print(1)',
      data: { trigger: 'run' }
    });
    expect(run).toMatchObject({
      type: 'run',
      source: 'print(1)',
      data: { status: 'ok', outputs: { text: 'print(1)' } }
    });
    open.type(0, 'print(2)');
    await open.save();
    await open.save();
    expect(server.events(open.id, 'aa', 'edit').slice(2)).toMatchObject([
      { source: 'print(2)', data: { trigger: 'save' } }
    ]);
    expect(server.logs.get(open.id)!.at(-1)).toMatchObject({ saved: true });
  });

  it('during a save come after it: the save is recorded as what was written', async () => {
    const open = await openWithTurn();
    const { context } = open.panel;
    const saved = [...open.sources];
    const insert = (_: unknown, state: string) => {
      // JupyterLab reads what it saves directly after this signal.
      void Promise.resolve().then(() => {
        if (state === 'started') {
          open.panel.content.model!.sharedModel.insertCell(0, {
            cell_type: 'code',
            source: 'during = 1'
          });
          open.type(1, 'changed = 1');
          open.page.tracking.captureBeforeRequest(open.panel);
        }
      });
    };
    context.saveState.connect(insert);
    await open.save();
    context.saveState.disconnect(insert);
    const entries = open.page.server.logs.get(open.id)!;
    const index = entries.findIndex(entry => entry.saved);
    expect(index).toBeGreaterThan(0);
    expect(index).toBeLessThan(entries.length - 1);
    expect(JSON.stringify(entries.slice(0, index))).not.toContain(open.ids[0]);
    expect(JSON.stringify(entries.slice(index + 1))).toContain(open.ids[0]);
    expect(open.sources).not.toEqual(saved);
  });

  it('are not held back by a save that fails', async () => {
    const open = await openWithTurn();
    const { saveState } = open.panel.context as unknown as {
      saveState: Signal<unknown, string>;
    };
    saveState.emit('started');
    open.type(0, 'mine');
    open.page.tracking.captureBeforeRequest(open.panel);
    saveState.emit('failed');
    await open.settle();
    const { records } = open.page.server.session(open.id, 'aa')!;
    expect(lastSource(records)).toBe('mine');
    expect(open.page.server.logs.get(open.id)!.some(({ saved }) => saved)).toBe(
      false
    );
  });

  it('are recorded before a request, without repeating the request’s source', async () => {
    const open = await openWithTurn();
    open.type(0, 'mine');
    open.type(1, 'c = 5');
    await open.ask(1, 'c = 6');
    expect(open.kinds('aa')).toEqual(['edit', 'edit']);
    expect(open.kinds('bb')).toEqual(['turn', 'accept', 'edit', 'turn']);
  });

  it('aren’t lost if Accept replaces them', async () => {
    const open = await openWithTurn();
    const model = await open.ask(1, 'c = 6');
    open.type(1, 'typed meanwhile');
    await model.decision.accept();
    await open.save();
    const events = open.page.server.events(open.id, 'bb').slice(1);
    expect(events.map(({ type, source }) => [type, source])).toEqual([
      ['edit', 'typed meanwhile'],
      ['accept', 'c = 6']
    ]);
  });

  it('aren’t lost if a program replaces them', async () => {
    const open = await openWithTurn();
    open.type(0, 'x=1');
    const model = open.panel.content.widgets[0].model.sharedModel;
    replaceSource(model as never, 'x = 1');
    await open.save();
    const edits = open.page.server.events(open.id, 'aa', 'edit').slice(1);
    expect(edits.map(({ source }) => source)).toEqual(['x=1', 'x = 1']);
  });

  it('are recorded when the page is left or the notebook closed', async () => {
    const open = await openWithTurn();
    open.type(0, 'left');
    open.page.tracking.captureAll();
    await open.settle();
    open.type(0, 'closed');
    open.close();
    await open.settle();
    const edits = open.page.server.sessions.get(
      [...open.page.server.sessions.keys()].find(key => key.endsWith('/aa'))!
    )!.records;
    expect(edits.slice(1).map(({ source }) => source)).toEqual([
      'left',
      'closed'
    ]);
  });

  it('are sent in order after the server was unreachable', async () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    try {
      const open = await openWithTurn();
      const { server } = open.page;
      server.failure = new ApiError(0, 'unreachable', '');
      open.type(0, 'one');
      await open.run(0);
      await open.page.history
        .record({ notebookId: open.id, cellId: 'aa' }, [
          { type: 'restore', source: 'two' }
        ])
        .catch(() => undefined);
      open.type(0, 'three');
      await open.save();
      expect(open.page.history.hasUnsent).toBe(true);
      server.failure = null;
      await jest.advanceTimersByTimeAsync(120_000);
      expect(open.page.history.hasUnsent).toBe(false);
      expect(
        server.events(open.id, 'aa').map(({ type, source }) => [type, source])
      ).toEqual([
        ['edit', 'a = 1\nb = 2'],
        ['edit', 'one'],
        ['run', 'one'],
        ['restore', 'two'],
        ['edit', 'three']
      ]);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('runs', () => {
  it('are recorded with their error', async () => {
    const open = await openWithTurn();
    open.type(0, 'raise ValueError');
    await open.run(0);
    const [run] = open.page.server.events(open.id, 'aa', 'run');
    expect(run.data).toMatchObject({
      status: 'error',
      ename: 'ValueError',
      evalue: 'no',
      outputs: { text: 'ValueError: no' }
    });
    expect(run.data!.duration_ms).toBeGreaterThanOrEqual(0);
  });

  it('are recorded without outputs if the setting is off', async () => {
    const open = await openWithTurn();
    open.page.tracking.recordsOutputs = false;
    await open.run(0);
    const [run] = open.page.server.events(open.id, 'aa', 'run');
    expect(run.data).not.toHaveProperty('outputs');
  });
});

describe('a large cell', () => {
  it.each([199_999, 200_001, 250_000, 1_000_000])(
    'is recorded completely: %s characters',
    async length => {
      const open = await openWithTurn();
      const source = 'x'.repeat(length);
      open.panel.content.model!.cells.get(0).sharedModel.setSource(source);
      await open.save();
      const { server } = open.page;
      const { records } = server.session(open.id, 'aa')!;
      expect(lastSource(records) === source).toBe(true);
    }
  );

  it('is recorded once as too large beyond the limit', async () => {
    const open = await openWithTurn();
    const { sharedModel } = open.panel.content.model!.cells.get(0);
    sharedModel.setSource('x'.repeat(1_000_001));
    await open.save();
    open.page.tracking.captureAll();
    await open.settle();
    const events = open.page.server.events(open.id, 'aa', 'edit');
    expect(events.slice(1).map(({ source, data }) => [source, data])).toEqual([
      [undefined, { trigger: 'save', too_long: 1_000_001 }]
    ]);
  });
});
