/** The card “Last time” in the DOM, and the texts of the reminder. */
import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import type { Moment } from '../../../api/types';
import type { IBriefing } from '../../model/notebook/briefing';
import { ReplayModel } from '../../model/replay';
import {
  FAKE_HOST,
  FakeHistory,
  FakeSubject,
  stepsOf
} from '../../model/replay.fakes';
import type { ReplayPanel } from '../panel';
import { createPanel } from '../panel.fakes';
import { CommandIDs } from '../../../tokens';
import { reminderText, showReminder } from './reminder';
import { untilDrawn } from '../../../ui/drawn.fakes';

const EVIL = '<img src=x onerror="alert(1)">';

const momentOf = (index: number, more: Partial<Moment> = {}): Moment => ({
  index,
  timestamp: new Date(2026, 2, 12, 10, index).toISOString(),
  kind: 'turn',
  cellId: 'a',
  step: index,
  author: 'model',
  outcome: 'accepted',
  title: `wish ${index}`,
  saved: false,
  ...more
});

describe('the card “Last time”', () => {
  let subject: FakeSubject;
  let history: FakeHistory;
  let model: ReplayModel;
  let panel: ReplayPanel;

  beforeAll(() => {
    // jsdom has no layout: give all elements a size.
    for (const name of ['clientHeight', 'clientWidth', 'offsetHeight']) {
      Object.defineProperty(HTMLElement.prototype, name, {
        configurable: true,
        value: 400
      });
    }
  });

  beforeEach(() => {
    jest.useFakeTimers({
      now: new Date(2026, 2, 19, 10, 0),
      doNotFake: ['setTimeout', 'performance', 'queueMicrotask', 'nextTick']
    });
    window.localStorage.clear();
    subject = new FakeSubject();
    history = new FakeHistory();
    history.steps.set('a', stepsOf('a = 0', 'a = 1'));
    history.steps.set('b', stepsOf('0', '1', '2', '3', '4'));
    setMoments(
      momentOf(0),
      momentOf(1, { title: EVIL, outcome: 'rejected' }),
      momentOf(2, { kind: 'start', author: 'unknown', cellId: 'b', title: '' }),
      momentOf(3, { kind: 'edit', author: 'person', cellId: 'b', title: '' }),
      momentOf(4, { cellId: 'b', outcome: 'open', title: 'plot it' })
    );
    create();
  });

  afterEach(() => {
    panel.dispose();
    model.dispose();
    jest.useRealTimers();
  });

  function create(): void {
    model = new ReplayModel(subject, history, FAKE_HOST);
    model.selectedTab = 'notebook';
    panel = createPanel(model);
  }

  function setMoments(...moments: Moment[]): void {
    const cells = ['a', 'b', 'c'].map(cellId => ({
      cellId,
      type: 'code',
      firstLine: '',
      steps: 4,
      turns: 2,
      deleted: false,
      mergedInto: null
    }));
    history.timelineResult = { version: `${moments.length}`, moments, cells };
  }

  const find = (selector: string) =>
    panel.node.querySelector<HTMLElement>(selector)!;
  const card = () => find('.jp-AIServer-Replay-briefing');
  const heading = () => find('.jp-AIServer-Replay-briefing h3');
  const lines = () =>
    [...card().querySelectorAll('li')].map(line => line.textContent);
  const button = (label: string) =>
    [...card().querySelectorAll('button')].find(
      node => (node.getAttribute('aria-label') ?? node.textContent) === label
    )!;

  async function show(): Promise<void> {
    Widget.attach(panel, document.body);
    await untilDrawn(() => find('[aria-label="Notebook timeline"]'));
  }

  it('lists what is unfinished first, and then the newest requests', async () => {
    await show();
    expect(heading().textContent).toBe('Last time: Thursday, March 12');
    expect(lines()).toEqual([
      'plot it Cell 2 pending',
      `${EVIL} Cell 1 rejected`,
      'wish 0 Cell 1 accepted'
    ]);
    expect(card().querySelector('img')).toBeNull();
    const lists = [...card().querySelectorAll('ul')];
    expect(lists.map(list => list.getAttribute('aria-label'))).toEqual([
      'Not finished',
      'Requests'
    ]);
    expect(card().querySelector(':scope > p')?.textContent).toBe(
      '1 cell edited by hand · 1 cell added'
    );
  });

  it('has at most five lines, and counts the others', async () => {
    const failed = { kind: 'run', outcome: 'error', title: '' } as const;
    setMoments(
      ...[0, 1, 2, 3].map(index => momentOf(index, { cellId: `x${index}` })),
      ...['a', 'b', 'c'].map((cellId, index) =>
        momentOf(4 + index, { ...failed, author: 'person', cellId })
      )
    );
    await show();
    expect(lines()).toEqual([
      'The last run Cell 3 failed',
      'The last run Cell 2 failed',
      'The last run Cell 1 failed',
      'wish 3 Deleted cell accepted',
      'wish 2 Deleted cell accepted'
    ]);
    expect(card().textContent).toContain('and 2 more');
  });

  it('shows the step of a line', async () => {
    await show();
    card().querySelector<HTMLElement>('li button')!.click();
    await untilDrawn(() => model.selectedTab === 'cell' && model.step);
    expect(model.steps.shownCell?.cellId).toBe('b');
    expect(model.step?.index).toBe(4);
  });

  it('stays closed for the period, also after a reload', async () => {
    await show();
    button('Close').click();
    await untilDrawn(() => !card());
    expect(document.activeElement?.id).toBe('jp-AIServer-Replay-notebook');
    panel.dispose();
    model.dispose();
    create();
    await show();
    expect(card()).toBeNull();
    // After work in another period, it is shown again.
    const later = new Date(2026, 2, 13, 10, 0).toISOString();
    setMoments(momentOf(0), momentOf(1, { timestamp: later, title: 'later' }));
    model.timeline.refresh();
    await untilDrawn(card);
    expect(lines()).toEqual(['later Cell 1 accepted']);
  });

  it.each([
    [0, false],
    [7, true],
    [8, false]
  ])('is shown by itself after %s days: %s', async (days, isShown) => {
    model.briefing.afterDays = days;
    await show();
    expect(!!card()).toBe(isShown);
  });

  it('is opened and focused whenever the person asks for it (P38)', async () => {
    model.briefing.afterDays = 0;
    Widget.attach(panel, document.body);
    model.briefing.open();
    await untilDrawn(() => heading() && document.activeElement === heading());
    button('Close').click();
    await untilDrawn(() => !card());
    model.briefing.open();
    await untilDrawn(() => heading() && document.activeElement === heading());
    // Another notebook has its own card.
    subject.notebookId = 'other';
    subject.emitChange('activeCell');
    await untilDrawn(() => !card());
  });

  it.each([
    ['is nothing yet', [], 'This notebook has no history yet.'],
    [
      'is only today',
      [momentOf(0, { timestamp: new Date(2026, 2, 19, 9, 50).toISOString() })],
      'You started working here today.'
    ]
  ])('says so if there %s', async (_, moments, text) => {
    setMoments(...moments);
    Widget.attach(panel, document.body);
    model.briefing.open();
    await untilDrawn(card);
    expect(card().textContent).toContain(text);
    expect(document.activeElement).toBe(heading());
    expect(lines()).toEqual([]);
  });

  it('waits for the timeline before it says that there is nothing', async () => {
    history.failure = new Error('no server');
    model.briefing.open();
    Widget.attach(panel, document.body);
    await untilDrawn(() => find('[role="alert"]'));
    expect(card()).toBeNull();
  });
});

describe('the reminder', () => {
  const trans = nullTranslator.load('aiserver');
  const briefingOf = (requestCount: number, unfinishedCount: number) =>
    ({ requestCount, unfinishedCount }) as IBriefing;

  it.each([
    [1, null, 'The last work on a.ipynb was 1 day ago.'],
    [5, briefingOf(0, 0), 'The last work on a.ipynb was 5 days ago.'],
    [
      5,
      briefingOf(1, 0),
      'The last work on a.ipynb was 5 days ago: 1 request.'
    ],
    [
      5,
      briefingOf(0, 2),
      'The last work on a.ipynb was 5 days ago: 2 not finished.'
    ],
    [
      5,
      briefingOf(3, 1),
      'The last work on a.ipynb was 5 days ago: 3 requests, 1 not finished.'
    ]
  ])('after %s days', (days, briefing, text) => {
    expect(reminderText({ name: 'a.ipynb', days, briefing }, trans)).toBe(text);
  });

  it('is a notification that closes itself, with a way to turn it off', () => {
    const activateById = jest.fn();
    const execute = jest.fn();
    const commands = { hasCommand: () => true, execute };
    const app = { commands, shell: { activateById } };
    const reminder = { name: 'a.ipynb', days: 5, briefing: null };
    const panel = { id: 'panel' } as never;
    showReminder({ ...reminder, panel }, app as never, trans);
    const [{ options, type }] = Notification.manager.notifications;
    expect(type).toBe('info');
    expect(options.autoClose).toBe(10_000);
    options.actions?.forEach(({ callback }) =>
      callback(new MouseEvent('click'))
    );
    expect(activateById).toHaveBeenCalledWith('panel');
    expect(execute.mock.calls.map(([command]) => command)).toEqual([
      CommandIDs.showLastTime,
      'settingeditor:open'
    ]);
    Notification.manager.dismiss();
  });
});
