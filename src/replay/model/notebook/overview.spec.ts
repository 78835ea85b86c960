import { ApiError } from '../../../api/request';
import type { ReplayModel } from '../replay';
import {
  type FakeHistory,
  type FakeSubject,
  NO_USAGE,
  stepsOf,
  summaryOf
} from '../replay.fakes';
import { ReplayUnderTest } from '../replayUnderTest.fakes';

describe('ReplayOverview', () => {
  let replay: ReplayUnderTest;
  let subject: FakeSubject;
  let history: FakeHistory;
  let model: ReplayModel;
  let show: ReplayUnderTest['show'];
  let flush: ReplayUnderTest['flush'];

  beforeEach(() => {
    replay = new ReplayUnderTest();
    ({ subject, history, model, show, flush } = replay);
  });

  afterEach(() => replay.dispose());

  beforeEach(() => {
    history.summaryList = [summaryOf('gone', 2), summaryOf('b', 3)];
    model.selectedTab = 'notebook';
  });

  it('lists cells in order, and deleted cells last', async () => {
    await show();
    const rows = model.overview.rows;
    expect(rows.map(row => row.cellId)).toEqual(['a', 'b', 'c', 'gone']);
    expect(rows.map(row => row.summary?.turns)).toEqual([
      undefined,
      3,
      undefined,
      2
    ]);
    expect(rows.map(row => row.isActive)).toEqual([true, false, false, false]);
    expect(rows[3].cell).toBeNull();
    expect(rows[3].firstLine).toBe('first line of gone');
  });

  it('rebuilds its rows only if a first line changes', async () => {
    await show();
    const { rows } = model.overview;
    subject.type('a = 2\nb = 3');
    const { rows: changed } = model.overview;
    expect(changed).not.toBe(rows);
    subject.type('a = 2\nb = 34');
    expect(model.overview.rows).toBe(changed);
  });

  it('sends requests only while active, and again after a change', async () => {
    model.selectedTab = 'cell';
    await show();
    expect(history.summaryRequestCount).toBe(0);
    model.selectedTab = 'notebook';
    await flush();
    expect(history.summaryRequestCount).toBe(1);
    subject.activate('b');
    expect(model.overview.rows[1].isActive).toBe(true);
    expect(history.summaryRequestCount).toBe(1);
    history.notify({ notebookId: 'nb', cellId: 'a' });
    await flush();
    expect(history.summaryRequestCount).toBe(2);
    model.isActive = false;
    history.notify({ notebookId: 'nb', cellId: 'a' });
    await flush();
    expect(history.summaryRequestCount).toBe(2);
    await show();
    expect(history.summaryRequestCount).toBe(3);
  });

  it('sends one request if many cells change at once', async () => {
    await show();
    const notifyAll = () => {
      for (let cell = 0; cell < 200; cell++) {
        history.notify({ notebookId: 'nb', cellId: `cell-${cell}` });
      }
    };
    notifyAll();
    await flush();
    expect(history.summaryRequestCount).toBe(2);
    notifyAll();
    await flush();
    expect(history.summaryRequestCount).toBe(3);
    await flush();
    expect(history.summaryRequestCount).toBe(3);
  });

  it('keeps its rows if loading fails', async () => {
    await show();
    history.failure = new ApiError(404, 'not_found', 'Gone.');
    model.overview.refresh();
    await flush();
    expect(model.overview.error).toMatchObject({ message: 'Gone.' });
    expect(model.overview.rows).toHaveLength(4);
    history.failure = null;
    model.overview.refresh();
    await flush();
    expect(model.overview.error).toBeNull();
  });

  it('goes to a cell, and shows a deleted cell until another cell is activated', async () => {
    await show();
    await model.goTo('b');
    expect(subject.activeId).toBe('b');
    history.steps.set('gone', stepsOf('lost', 'found'));
    await model.goTo('gone');
    await flush();
    expect(model.selectedTab).toBe('cell');
    expect(model.steps.shownCell).toMatchObject({ cellId: 'gone', info: null });
    expect(model.actions.canRestore).toBe(false);
    subject.activate('a');
    await flush();
    expect(model.steps.shownCell?.cellId).toBe('a');
    model.selectedTab = 'notebook';
    await model.goTo('gone');
    await flush();
    model.steps.pin(null);
    await flush();
    expect(model.steps.shownCell?.cellId).toBe('a');
  });

  it('never shows the sums of another notebook', async () => {
    history.usageByNotebook.set('nb', { ...NO_USAGE, requests: 2 });
    await show();
    expect(model.usage.notebook?.requests).toBe(2);
    subject.notebookId = 'other';
    subject.emitChange('activeCell');
    expect(model.usage.notebook).toBeNull();
  });
});
