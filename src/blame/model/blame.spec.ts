import { ApiError } from '../../api/request';
import type { BlameLine } from '../../api/types';
import { BlameModel } from './blame';
import { FakeHistory } from '../../replay/model/replay.fakes';

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

  it('asks about the cell as it is, and anew when its history was written', async () => {
    await model.load();
    expect(history.blameRequests).toEqual([{ cellId: 'a', source: 'x = 1' }]);
    expect(model.blamed).toEqual({ source: 'x = 1', lines: [LINE] });
    source = 'x = 2';
    history.notify({ notebookId: 'nb', cellId: 'b' });
    expect(history.blameRequests).toHaveLength(1);
    history.notify({ notebookId: 'nb', cellId: 'a' });
    expect(history.blameRequests[1]).toEqual({ cellId: 'a', source: 'x = 2' });
  });

  it('lets the newest answer count, and says for which source it is', async () => {
    const first = model.load();
    source = 'x = 2';
    const second = model.load();
    await Promise.all([first, second]);
    expect(model.blamed?.source).toBe('x = 2');
  });

  it('takes a cell without a history for the person’s own', async () => {
    history.failure = new ApiError(404, 'not_found', 'None.');
    await model.load();
    expect(model.blamed).toEqual({ source: 'x = 1', lines: [] });
    expect(model.failure).toBeNull();
    notebookId = null;
    await model.load();
    expect(model.blamed).toEqual({ source: 'x = 1', lines: [] });
  });

  it('keeps what it knows while the server does not answer', async () => {
    await model.load();
    history.failure = new ApiError(0, 'unreachable', 'No.');
    await model.load();
    expect(model.failure).toMatchObject({ code: 'unreachable' });
    expect(model.blamed?.lines).toEqual([LINE]);
  });

  it('is silent once it is let go, or the cell is gone', async () => {
    const told = jest.fn();
    model.changed.connect(told);
    source = null;
    await model.load();
    expect(history.blameRequests).toHaveLength(0);
    source = 'x';
    const late = model.load();
    model.dispose();
    await late;
    history.notify({ notebookId: 'nb', cellId: 'a' });
    expect(history.blameRequests).toHaveLength(1);
    expect(told).not.toHaveBeenCalled();
  });
});
