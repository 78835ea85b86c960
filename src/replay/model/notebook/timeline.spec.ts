import type {
  CellSnapshot,
  Moment,
  NotebookSnapshot
} from '../../../api/types';
import { ApiError } from '../../../api/request';
import { NotebookTimeline } from './timeline';
import { FakeHistory, FakeSubject, stepsOf } from '../replay.fakes';

export function momentOf(index: number, more: Partial<Moment> = {}): Moment {
  return {
    index,
    timestamp: `2026-01-27T10:${String(index).padStart(2, '0')}:00.000Z`,
    kind: 'edit',
    cellId: 'a',
    step: index,
    author: 'person',
    outcome: 'done',
    title: '',
    saved: false,
    ...more
  };
}

const cellSnapshot = (cellId: string, source = cellId): CellSnapshot => ({
  cellId,
  type: 'code',
  source,
  step: 0,
  changed: false
});

export function snapshotOf(
  index: number,
  cells: string[],
  deleted: string[] = [],
  version = 'v1'
): NotebookSnapshot {
  return {
    version,
    index,
    timestamp: '2026-01-27T10:00:00.000Z',
    cells: cells.map(id => ({ ...cellSnapshot(id), changed: false })),
    deleted: deleted.map(id => cellSnapshot(id, `${id} last`))
  };
}

describe('NotebookTimeline', () => {
  let subject: FakeSubject;
  let history: FakeHistory;
  let timeline: NotebookTimeline;

  const settle = async () => {
    for (let turn = 0; turn < 8; turn++) {
      await Promise.resolve();
    }
  };

  beforeEach(() => {
    jest.useFakeTimers();
    subject = new FakeSubject();
    subject.isActive = true;
    history = new FakeHistory();
    history.timelineResult = {
      version: 'v1',
      moments: [0, 1, 2, 3].map(index => momentOf(index)),
      cells: []
    };
    for (const index of [0, 1, 2, 3]) {
      history.snapshots.set(index, snapshotOf(index, ['a', 'b']));
    }
    timeline = new NotebookTimeline(subject, history);
  });

  afterEach(() => {
    timeline.dispose();
    jest.useRealTimers();
  });

  const activate = async () => {
    timeline.isActive = true;
    await settle();
  };

  it('starts at now, and sends no requests before it is active', async () => {
    await settle();
    expect(history.timelineRequestCount).toBe(0);
    await activate();
    expect(timeline.moments).toHaveLength(4);
    expect(timeline.isNow).toBe(true);
    expect(timeline.position).toBe(4);
    expect(timeline.snapshot).toBeNull();
    expect(history.requestedMoments).toEqual([]);
  });

  it('shows a time before the deletions at this time, once it is loaded', async () => {
    const { moments } = history.timelineResult;
    moments[2] = momentOf(2, { kind: 'delete' });
    timeline.showTime(new Date(moments[2].timestamp));
    await activate();
    expect(timeline.position).toBe(1);
    timeline.player.goTo(4);
    timeline.showTime(new Date(moments[3].timestamp));
    await settle();
    expect(timeline.position).toBe(3);
  });

  it('loads the snapshot after a moment once', async () => {
    await activate();
    timeline.player.goTo(2);
    await settle();
    expect(timeline.snapshot?.index).toBe(2);
    timeline.player.goTo(timeline.moments.length);
    timeline.player.goTo(2);
    await settle();
    expect(history.requestedMoments).toEqual([2]);
    expect(timeline.snapshot?.index).toBe(2);
  });

  it('requests one snapshot at a time while dragging, and finally that of the last moment', async () => {
    await activate();
    for (const at of [0, 1, 2, 3]) {
      timeline.player.goTo(at);
    }
    await settle();
    await settle();
    expect(history.requestedMoments).toEqual([0, 3]);
    expect(timeline.snapshot?.index).toBe(3);
  });

  it('stays at the current moment while new ones are recorded', async () => {
    await activate();
    timeline.player.goTo(1);
    await settle();
    const [zero, ...rest] = history.timelineResult.moments;
    const between = momentOf(1, { cellId: 'b', timestamp: zero.timestamp });
    const later = rest.map(moment => ({ ...moment, index: moment.index + 1 }));
    history.timelineResult = {
      version: 'v2',
      moments: [zero, between, ...later],
      cells: []
    };
    history.snapshots.set(2, snapshotOf(2, ['a', 'b'], [], 'v2'));
    history.notify({ notebookId: 'nb', cellId: 'b' });
    jest.runOnlyPendingTimers();
    await settle();
    expect(timeline.moments).toHaveLength(5);
    expect(timeline.moment?.timestamp).toBe(rest[0].timestamp);
  });

  it('stays at now while new moments are recorded', async () => {
    await activate();
    history.timelineResult = {
      ...history.timelineResult,
      version: 'v2',
      moments: [...history.timelineResult.moments, momentOf(4)]
    };
    history.notify({ notebookId: 'nb', cellId: 'a' });
    history.notify({ notebookId: 'nb', cellId: 'b' });
    jest.runOnlyPendingTimers();
    await settle();
    expect(history.timelineRequestCount).toBe(2);
    expect(timeline.isNow).toBe(true);
    expect(timeline.position).toBe(5);
  });

  it('keeps its moments if the server can’t be reached, and reports the failure', async () => {
    await activate();
    history.failure = new ApiError(0, 'unreachable', 'fetch failed');
    timeline.refresh();
    await settle();
    expect(timeline.error?.code).toBe('unreachable');
    expect(timeline.moments).toHaveLength(4);
    history.failure = null;
    timeline.refresh();
    await settle();
    expect(timeline.error).toBeNull();
  });

  it('never shows moments of another notebook', async () => {
    await activate();
    subject.notebookId = 'other';
    expect(timeline.moments).toEqual([]);
    expect(timeline.report).toBeNull();
    history.timelineResult = { version: 'w', moments: [], cells: [] };
    subject.emitChange('activeCell');
    await settle();
    expect(history.timelineRequestCount).toBe(2);
    expect(timeline.isNow).toBe(true);
  });

  it('restores a deleted cell with its id, position and last source', async () => {
    history.timelineResult.moments[3] = momentOf(3, {
      kind: 'delete',
      cellId: 'x'
    });
    const last = snapshotOf(3, ['a', 'b'], ['x']);
    const deleted = last.deleted.map(cell => ({ ...cell, predecessor: 'a' }));
    history.snapshots.set(3, { ...last, deleted });
    await activate();
    expect(await timeline.undeleteCell('x')).toBe(true);
    expect([...subject.sources.keys()]).toEqual(['a', 'x', 'b', 'c']);
    expect(subject.sources.get('x')).toBe('x last');
  });

  it('restores the source in the shown snapshot, below the nearest cell that exists', async () => {
    history.snapshots.set(1, snapshotOf(1, ['a', 'gone', 'x', 'b']));
    await activate();
    timeline.player.goTo(1);
    await settle();
    expect(await timeline.undeleteCell('x')).toBe(true);
    expect([...subject.sources.keys()]).toEqual(['a', 'x', 'b', 'c']);
    expect(subject.sources.get('x')).toBe('x');
  });

  it('restores a cell without moments from its own history, at the end', async () => {
    history.timelineResult.moments = [];
    history.steps.set('x', stepsOf('x = 1', 'x = 2'));
    await activate();
    expect(await timeline.undeleteCell('x')).toBe(true);
    expect([...subject.sources.entries()].pop()).toEqual(['x', 'x = 2']);
  });

  it('restores no cell in a read-only notebook, and no cell without a history', async () => {
    await activate();
    expect(await timeline.undeleteCell('nobody')).toBe(false);
    subject.canUndelete = false;
    expect(await timeline.undeleteCell('x')).toBe(false);
    expect(subject.sources.size).toBe(3);
  });
});
