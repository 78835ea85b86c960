import type { NotebookPanel } from '@jupyterlab/notebook';
import { Widget } from '@lumino/widgets';

import type { Moment, SessionSummary } from '../../../api/types';
import { FakeHistory, FakeSubject, summaryOf } from '../replay.fakes';
import { BriefingModel, BriefingReminder, IReminder } from './briefingModel';
import { NotebookTimeline } from './timeline';

const NOW = new Date(2026, 2, 19, 10, 0);
const ago = (days: number) => new Date(2026, 2, 19 - days, 15, 0).toISOString();

const momentOf = (more: Partial<Moment> = {}): Moment => ({
  index: 0,
  timestamp: ago(5),
  kind: 'turn',
  cellId: 'a',
  step: 0,
  author: 'model',
  outcome: 'open',
  title: 'plot it',
  saved: false,
  ...more
});

const cell = {
  cellId: 'a',
  type: 'code',
  firstLine: '',
  steps: 1,
  turns: 1,
  deleted: false,
  mergedInto: null
};

describe('BriefingReminder', () => {
  let history: FakeHistory;
  let briefing: BriefingModel;
  let reminder: BriefingReminder;
  let reminders: IReminder[];
  let isTabShown: boolean;
  let id: string | null;

  beforeEach(() => {
    jest.useFakeTimers({ now: NOW });
    window.localStorage.clear();
    const subject = new FakeSubject();
    history = new FakeHistory();
    history.timelineResult = {
      version: 'v',
      moments: [momentOf()],
      cells: [cell]
    };
    update({ lastUpdated: ago(5) });
    briefing = new BriefingModel(
      subject,
      new NotebookTimeline(subject, history)
    );
    reminders = [];
    isTabShown = false;
    id = 'nb';
    reminder = new BriefingReminder({
      identity: { get: () => id, registered: async () => undefined },
      history,
      briefing,
      isTabShown: () => isTabShown,
      remind: content => reminders.push(content)
    });
  });

  afterEach(() => jest.useRealTimers());

  function update(more: Partial<SessionSummary>): void {
    history.summaryList = [{ ...summaryOf('a'), ...more }];
  }

  /** Open a notebook. `isHidden` opens it in the background. */
  async function open({ isHidden = false, isReadOnly = false } = {}) {
    const panel = Object.assign(new Widget(), {
      context: { path: 'work/sales.ipynb', model: { readOnly: isReadOnly } }
    });
    panel.setHidden(isHidden);
    reminder.add(panel as unknown as NotebookPanel);
    Widget.attach(panel, document.body);
    await jest.advanceTimersByTimeAsync(1);
    return panel;
  }

  it('reminds of the last work once per notebook', async () => {
    await open();
    await open();
    expect(reminders).toHaveLength(1);
    expect(reminders[0]).toMatchObject({
      name: 'sales.ipynb',
      days: 5,
      briefing: { requestCount: 1, unfinishedCount: 1 }
    });
    expect(history.summaryRequestCount).toBe(1);
    expect(history.timelineRequestCount).toBe(1);
  });

  it('requests nothing before the notebook is visible', async () => {
    const panel = await open({ isHidden: true });
    expect(history.summaryRequestCount).toBe(0);
    panel.show();
    await jest.advanceTimersByTimeAsync(1);
    expect(reminders).toHaveLength(1);
  });

  it.each([
    ['recent', { lastUpdated: ago(2) }, 0],
    ['invalid', { lastUpdated: 'soon' }, 0],
    ['long ago', { lastUpdated: ago(3) }, 1]
  ])('requests the timeline only if it matters: %s', async (_, more, count) => {
    update(more);
    await open();
    expect(history.timelineRequestCount).toBe(count);
    expect(reminders).toHaveLength(count);
  });

  it('ignores what is recorded when the notebook is opened', async () => {
    history.summaryList.push({
      ...summaryOf('b'),
      lastUpdated: new Date(NOW.getTime() + 1).toISOString()
    });
    await open();
    expect(reminders).toHaveLength(1);
  });

  it('leaves out the numbers of a large history', async () => {
    update({ lastUpdated: ago(5), turns: 900, events: 1101 });
    await open();
    expect(history.timelineRequestCount).toBe(0);
    expect(reminders).toMatchObject([{ days: 5, briefing: null }]);
  });

  it.each<[string, () => void]>([
    ['it is turned off', () => (briefing.afterDays = 0)],
    ['the notebook has no id', () => (id = null)],
    ['the notebook has no history', () => (history.summaryList = [])],
    ['the sidebar shows it', () => (isTabShown = true)],
    ['the server fails', () => (history.failure = new Error('no server'))],
    [
      'no person worked in it',
      () =>
        (history.timelineResult.moments = [
          momentOf({ kind: 'edit', author: 'program' })
        ])
    ],
    [
      'the card about that time was closed',
      () => window.localStorage.setItem('aiserver:briefing:nb', ago(5))
    ]
  ])('is silent if %s', async (_, change) => {
    change();
    await open();
    expect(reminders).toEqual([]);
  });

  it('is silent in a read-only notebook, in which nobody can ask', async () => {
    await open({ isReadOnly: true });
    expect(history.summaryRequestCount).toBe(0);
    expect(reminders).toEqual([]);
  });

  it('is silent if the notebook was closed or hidden meanwhile', async () => {
    const panel = await open({ isHidden: true });
    history.timeline = async () => {
      panel.hide();
      return history.timelineResult;
    };
    panel.show();
    await jest.advanceTimersByTimeAsync(1);
    expect(reminders).toEqual([]);
  });
});
