import { ApiError } from '../../../api/request';
import type { BlameLine } from '../../../api/types';
import { FakeHistory } from '../../../replay/model/replay.fakes';
import { BlameModel, carryLines, UNRECORDED } from './blame';

const LINE: BlameLine = { author: 'model', step: 0, seq: 1, turnId: 1 };

describe('BlameModel', () => {
  let history: FakeHistory;
  let source: string | null;
  let notebookId: string | null;
  let model: BlameModel;

  beforeEach(() => {
    history = new FakeHistory();
    history.blames.set('a', [LINE]);
    source = 'x = 1';
    notebookId = 'nb';
    model = new BlameModel(history, {
      key: () => (notebookId === null ? null : { notebookId, cellId: 'a' }),
      source: () => source
    });
  });

  afterEach(() => model.dispose());

  it('loads the contributors of the current source, and again when the history changes', async () => {
    await model.load();
    expect(history.blameRequests).toEqual([{ cellId: 'a', source: 'x = 1' }]);
    expect(model.result).toEqual({ source: 'x = 1', lines: [LINE] });
    source = 'x = 2';
    history.notify({ notebookId: 'nb', cellId: 'b' });
    expect(history.blameRequests).toHaveLength(1);
    history.notify({ notebookId: 'nb', cellId: 'a' });
    expect(history.blameRequests[1]).toEqual({ cellId: 'a', source: 'x = 2' });
  });

  it('keeps the newest result with its source', async () => {
    const first = model.load();
    source = 'x = 2';
    const second = model.load();
    await Promise.all([first, second]);
    expect(model.result?.source).toBe('x = 2');
  });

  it('returns no lines for a cell without a history', async () => {
    history.failure = new ApiError(404, 'not_found', 'None.');
    await model.load();
    expect(model.result).toEqual({ source: 'x = 1', lines: [] });
    expect(model.failure).toBeNull();
    notebookId = null;
    await model.load();
    expect(model.result).toEqual({ source: 'x = 1', lines: [] });
  });

  it('keeps the last result while the server does not respond', async () => {
    await model.load();
    history.failure = new ApiError(0, 'unreachable', 'No.');
    await model.load();
    expect(model.failure).toMatchObject({ code: 'unreachable' });
    expect(model.result?.lines).toEqual([LINE]);
  });

  it('emits nothing after disposal or deletion of the cell', async () => {
    const onChanged = jest.fn();
    model.stateChanged.connect(onChanged);
    source = null;
    await model.load();
    expect(history.blameRequests).toHaveLength(0);
    source = 'x';
    const pending = model.load();
    model.dispose();
    await pending;
    history.notify({ notebookId: 'nb', cellId: 'a' });
    expect(history.blameRequests).toHaveLength(1);
    expect(onChanged).not.toHaveBeenCalled();
  });
});

const by = (turnId: number): BlameLine => ({
  author: 'model',
  step: turnId,
  seq: turnId,
  turnId
});
const lines = [by(1), by(2), by(3)];
const source = 'a\nb\nc';
const turns = (text: string) =>
  carryLines(lines, source, text).map(line => line.turnId ?? null);

describe('carryLines', () => {
  it('keeps the contributors of unchanged lines, and marks new lines as unrecorded', () => {
    expect(turns('a\nb\nc')).toEqual([1, 2, 3]);
    expect(turns('new\na\nb\nc')).toEqual([null, 1, 2, 3]);
    expect(turns('a\nb changed\nc')).toEqual([1, null, 3]);
    expect(turns('a\nb\nc\n')).toEqual([1, 2, 3, null]);
    expect(turns('a\nc')).toEqual([1, 3]);
    expect(turns('a\nx\ny\nc')).toEqual([1, null, null, 3]);
    expect(turns('')).toEqual([null]);
  });

  it('returns one contributor per line for any result of the server', () => {
    expect(carryLines([], source, source)).toEqual([
      UNRECORDED,
      UNRECORDED,
      UNRECORDED
    ]);
    expect(carryLines([...lines, by(9)], source, source)).toEqual(lines);
  });

  it('compares thousands of distinct lines', () => {
    const many = Array.from({ length: 3000 }, (_, i) => `line ${i}`);
    const entries = many.map((_, i) => by(i + 1));
    const edited = [...many.slice(0, 1500), 'new', ...many.slice(1500)];
    const result = carryLines(entries, many.join('\n'), edited.join('\n'));
    expect(result).toHaveLength(3001);
    expect(result[1499].turnId).toBe(1500);
    expect(result[1500]).toBe(UNRECORDED);
    expect(result[3000].turnId).toBe(3000);
  });
});
