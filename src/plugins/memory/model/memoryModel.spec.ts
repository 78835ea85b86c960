import { ApiError } from '../../../api/request';
import { entryName } from '../../../prompt/memoryItem';
import { FakeMemory, entryOf, proposalOf } from './memory.fakes';
import { MemoryModel, NEW } from './memoryModel';

const SOURCE = { notebookId: 'nb', cellId: 'c1', turnId: 3 };

describe('MemoryModel', () => {
  let server: FakeMemory;
  let model: MemoryModel;

  const texts = () => model.entries.map(({ text }) => text);
  const setVisible = (state: DocumentVisibilityState) =>
    jest.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);

  beforeEach(() => {
    server = new FakeMemory();
    model = new MemoryModel(server);
  });

  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    model.dispose();
  });

  it('remembers a proposal only when the person confirms it (P45)', async () => {
    const id = await model.propose('Use polars', SOURCE);
    await model.load();
    expect(model.proposals).toMatchObject([{ id, origin: 'request' }]);
    expect(server.entries).toEqual([]);
    expect(model.waitingCount).toBe(1);
    model.edit(id, 'Use polars, not pandas');
    expect(await model.confirm(model.proposals[0], 'person')).toBe(true);
    expect(model.entries).toMatchObject([
      { scope: 'person', text: 'Use polars, not pandas' }
    ]);
    expect(model.proposals).toEqual([]);
    expect(model.note).toEqual({ kind: 'remembered', scope: 'person' });
    expect(model.draft(id).text).toBeNull();
  });

  it('says which decision holds if another window confirmed first', async () => {
    server.waiting = [proposalOf('Use polars')];
    await model.load();
    jest
      .spyOn(server, 'confirm')
      .mockResolvedValue(entryOf('Use polars', { scope: 'project' }));
    await model.confirm(model.proposals[0], 'person');
    expect(model.note).toEqual({ kind: 'remembered', scope: 'project' });
  });

  it('lists a proposal even if the lists can’t be fetched', async () => {
    await model.load();
    jest.spyOn(server, 'list').mockRejectedValue(new Error('offline'));
    const id = await model.propose('Use polars', null);
    expect(model.proposals).toMatchObject([{ id }]);
    await model.load();
    expect(model.failure?.code).toBe('unknown');
    expect(model.proposals).toMatchObject([{ id }]);
  });

  it('doesn’t remember an empty text', async () => {
    server.waiting = [proposalOf('Use polars')];
    await model.load();
    const [proposal] = model.proposals;
    model.edit(proposal.id, '  ');
    expect(await model.confirm(proposal, 'project')).toBe(false);
    expect(await model.add('project')).toBe(false);
    expect(server.calls).toEqual([]);
  });

  it('sends one request if a button is pressed twice', async () => {
    server.waiting = [proposalOf('Use polars')];
    await model.load();
    const [proposal] = model.proposals;
    const results = await Promise.all([
      model.confirm(proposal, 'project'),
      model.confirm(proposal, 'project')
    ]);
    expect(results).toEqual([true, false]);
    expect(server.calls).toEqual(['confirm']);
  });

  it('says so if a proposal was decided in another window, and keeps the typed text', async () => {
    server.waiting = [proposalOf('Use polars'), proposalOf('Use seaborn')];
    await model.load();
    const [polars, seaborn] = model.proposals;
    model.edit(seaborn.id, 'Use seaborn for plots');
    server.waiting = [];
    expect(await model.reject(polars)).toBe(false);
    expect(model.note).toEqual({ kind: 'missing' });
    expect(model.proposals).toEqual([]);
    expect(model.draft(NEW).text).toBe('Use seaborn for plots');
  });

  it('confirms all, and stops at the first failure', async () => {
    server.waiting = ['a', 'b', 'c'].map(text => proposalOf(text));
    await model.load();
    const confirm = jest.spyOn(server, 'confirm');
    const refused = new ApiError(409, 'not_remembered', 'no');
    const { id } = model.proposals[1];
    const real = FakeMemory.prototype.confirm;
    confirm.mockImplementation(async (...args) => {
      if (args[0] === id) {
        throw refused;
      }
      return real.apply(server, args);
    });
    expect(await model.confirmAll('project')).toBe(false);
    expect(texts()).toEqual(['a']);
    expect(model.draft(id).failure?.code).toBe('not_remembered');
    confirm.mockRestore();
    expect(await model.confirmAll('project')).toBe(true);
    expect(texts()).toEqual(['a', 'b', 'c']);
  });

  it('adds a text with the turn from which it comes', async () => {
    await model.load();
    model.edit(NEW, 'My own text');
    model.begin('plot by month', SOURCE);
    expect(model.draft(NEW).text).toBe('My own text\nplot by month');
    model.edit(NEW, 'Use months');
    await model.add('project');
    expect(model.entries[0].source).toEqual({
      notebook_id: 'nb',
      cell_id: 'c1',
      turn_id: 3
    });
    expect(model.draft(NEW).text).toBeNull();
    expect(model.newSource).toBeNull();
    // A text without a source doesn't get the former one.
    model.begin('plot by month', SOURCE);
    model.edit(NEW, null);
    model.edit(NEW, 'Use weeks');
    await model.add('project');
    expect(model.entries[1].source).toBeNull();
  });

  it('keeps a typed text that was refused', async () => {
    await model.load();
    model.edit(NEW, 'the key is sk-1');
    server.failure = new ApiError(409, 'not_remembered', 'A key.');
    expect(await model.add('person')).toBe(false);
    expect(model.draft(NEW)).toMatchObject({
      text: 'the key is sk-1',
      failure: { message: 'A key.' }
    });
    model.edit(NEW, 'the key is order_id');
    expect(model.draft(NEW).failure).toBeNull();
    await model.add('person');
    expect(texts()).toEqual(['the key is order_id']);
  });

  it('notices a newer text already while the person types', async () => {
    server.entries = [entryOf('Use pandas')];
    await model.load();
    const key = entryName(model.entries[0]);
    model.edit(key, 'Use polars');
    await model.load();
    expect(model.draft(key).newerText).toBeNull();
    server.entries[0].text = 'Use dask';
    await model.load();
    expect(model.draft(key).newerText).toBe('Use dask');
  });

  it('keeps an entry that was forgotten while the person edits it', async () => {
    server.entries = [entryOf('Use pandas'), entryOf('Use seaborn')];
    await model.load();
    const [pandas, seaborn] = model.entries;
    model.edit(entryName(pandas), 'Use polars');
    model.edit(entryName(seaborn), 'Use plotly');
    server.entries = [];
    expect(await model.save(pandas)).toBe(false);
    expect(texts()).toEqual(['Use pandas', 'Use seaborn']);
    expect(model.draft(entryName(pandas))).toMatchObject({
      text: 'Use polars',
      isForgotten: true,
      failure: null
    });
    model.edit(entryName(seaborn), null);
    expect(texts()).toEqual(['Use pandas']);
    expect(await model.save(pandas)).toBe(true);
    expect(texts()).toEqual(['Use polars']);
  });

  it('ignores the response to an older request', async () => {
    const list = jest.spyOn(server, 'list');
    let respond!: () => void;
    const old = new Promise<void>(resolve => (respond = resolve));
    list.mockImplementationOnce(async () => {
      await old;
      return {
        scopes: ['project'],
        unreadable: [],
        entries: [entryOf('old')]
      };
    });
    const first = model.load();
    server.entries = [entryOf('newer')];
    await model.load();
    respond();
    await first;
    expect(texts()).toEqual(['newer']);
  });

  it('refreshes at most every five seconds, and not while the page is hidden', async () => {
    jest.useFakeTimers();
    const visibility = setVisible('hidden');
    model.refresh();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(server.listCount).toBe(0);
    visibility.mockReturnValue('visible');
    for (let second = 0; second < 20; second++) {
      model.refresh();
      await jest.advanceTimersByTimeAsync(1000);
    }
    expect(server.listCount).toBeGreaterThan(2);
    expect(server.listCount).toBeLessThan(6);
    const { listCount } = server;
    await jest.advanceTimersByTimeAsync(600_000);
    expect(server.listCount).toBeLessThanOrEqual(listCount + 1); // No polling.
    model.dispose();
    model.refresh();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(server.listCount).toBeLessThanOrEqual(listCount + 1);
  });
});
