/** The notebook tab and the search tab in the DOM. */
import { Widget } from '@lumino/widgets';

import type { Moment, NotebookSnapshot, SearchHit } from '../../api/types';
import { ReplayModel } from '../model/replay';
import {
  FAKE_HOST,
  FakeHistory,
  FakeSubject,
  stepsOf,
  summaryOf
} from '../model/replay.fakes';
import type { ReplayPanel } from './panel';
import { createPanel } from './panel.fakes';
import { untilDrawn } from '../../ui/drawn.fakes';

const EVIL =
  '<img src="https://evil.example/x.png" onerror="alert(1)"> <b>b</b> ![x](y)';

const momentOf = (index: number, more: Partial<Moment> = {}): Moment => ({
  index,
  timestamp: `2026-01-27T10:0${index}:00.000Z`,
  kind: 'turn',
  cellId: 'a',
  step: index,
  author: 'model',
  outcome: 'accepted',
  title: `wish ${index}`,
  saved: false,
  ...more
});

const snapshotOf = (
  index: number,
  sources: Record<string, string>,
  changed = 'a',
  deleted: NotebookSnapshot['deleted'] = []
): NotebookSnapshot => ({
  version: 'v',
  index,
  timestamp: '2026-01-27T10:00:00.000Z',
  cells: Object.entries(sources).map(([cellId, source]) => ({
    cellId,
    type: 'code',
    source,
    step: index,
    changed: cellId === changed
  })),
  deleted
});

const hitOf = (turnId: number, more: Partial<SearchHit> = {}): SearchHit => ({
  notebookId: 'nb',
  cellId: 'b',
  path: 'here.ipynb',
  turnId,
  seq: turnId,
  step: turnId - 1,
  timestamp: '2026-01-27T10:00:00.000Z',
  author: 'model',
  model: null,
  intent: `wish ${turnId}`,
  where: 'code',
  snippet: [
    { text: 'df = pd.', hit: false },
    { text: 'read_csv', hit: true }
  ],
  score: 1,
  ...more
});

describe('the notebook and search tabs', () => {
  let subject: FakeSubject;
  let history: FakeHistory;
  let model: ReplayModel;
  let panel: ReplayPanel;
  let opened: string[];

  beforeAll(() => {
    // jsdom has no layout: give all elements a size.
    const sized = (name: string, value: number) =>
      Object.defineProperty(Element.prototype, name, {
        configurable: true,
        value
      });
    sized('clientHeight', 400);
    sized('clientWidth', 400);
    Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
      configurable: true,
      value: 40
    });
  });

  beforeEach(() => {
    subject = new FakeSubject();
    history = new FakeHistory();
    history.steps.set('a', stepsOf('a = 0', 'a = 1', 'a = 2'));
    history.steps.set('b', stepsOf('b = 0', 'b = 1', 'b = 2'));
    history.summaryList = [summaryOf('a')];
    history.timelineResult = {
      version: 'v',
      moments: [0, 1, 2].map(index => momentOf(index)),
      cells: []
    };
    history.snapshots.set(0, snapshotOf(0, { a: 'a = 0' }));
    history.snapshots.set(1, snapshotOf(1, { a: 'a = 1', b: 'b = 1' }, 'b'));
    history.snapshots.set(
      2,
      snapshotOf(2, { a: 'a = 1', b: 'b = 2' }, '', [
        {
          cellId: 'x',
          type: 'code',
          source: 'x = 1',
          step: 1,
          changed: false,
          predecessor: 'a'
        }
      ])
    );
    opened = [];
    model = new ReplayModel(subject, history, {
      ...FAKE_HOST,
      openFile: async path => {
        opened.push(path);
        subject.notebookId = 'other';
        subject.emitChange('activeCell');
      }
    });
    panel = createPanel(model);
  });

  afterEach(() => {
    panel.dispose();
    model.dispose();
  });

  const find = (selector: string) =>
    panel.node.querySelector<HTMLElement>(selector)!;
  const slider = () => find('[role="slider"]');
  const button = (label: string | RegExp) =>
    [...panel.node.querySelectorAll('button')].find(node =>
      (node.getAttribute('aria-label') ?? node.textContent ?? '').match(label)
    )!;
  const press = (node: HTMLElement, key: string) =>
    node.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  const rows = () =>
    [...panel.node.querySelectorAll('li[data-index]')].map(
      row => row.querySelector('button')?.getAttribute('aria-label') ?? ''
    );

  async function show(tab: string): Promise<void> {
    Widget.attach(panel, document.body);
    await untilDrawn(() => button(tab));
    button(tab).click();
    await untilDrawn(
      () => button(tab).getAttribute('aria-selected') === 'true'
    );
  }

  it('titles a cell by its last accepted request, or by its code alone', async () => {
    history.summaryList = [summaryOf('a'), summaryOf('b')];
    history.timelineResult.moments = [
      momentOf(0),
      momentOf(1, { title: 'Fix this error:\nNameError: x' }),
      momentOf(2, { outcome: 'rejected' }),
      momentOf(3, { outcome: 'open' }),
      momentOf(4, { cellId: 'b', outcome: 'unused' })
    ];
    await show('Notebook');
    const list = '.jp-AIServer-Replay-overview li .jp-AIServer-Replay-cell';
    await untilDrawn(() => find(`${list} .jp-AIServer-Replay-intent`));
    const texts = [...panel.node.querySelectorAll(list)].map(cell =>
      [...cell.children].map(node => node.textContent)
    );
    expect(texts.slice(0, 2)).toEqual([
      ['Fix: NameError x', expect.any(String)],
      [expect.any(String)]
    ]);
  });

  it('moves through the moments by keyboard, and describes its position (P38)', async () => {
    await show('Notebook');
    await untilDrawn(slider);
    expect(slider().getAttribute('aria-valuetext')).toBe('Now');
    expect(slider().getAttribute('aria-valuemax')).toBe('4');
    press(slider(), 'Home');
    await untilDrawn(() => slider().getAttribute('aria-valuenow') === '1');
    expect(slider().getAttribute('aria-valuetext')).toMatch(
      /^Change 1 of 3: wish 0, /
    );
    await untilDrawn(() => rows().length === 1);
    press(slider(), 'ArrowRight');
    await untilDrawn(() => rows().length === 2);
    expect(rows()).toEqual(['Cell 1: a = 1', 'Cell 2, changed: b = 1']);
    expect(find('li.jp-mod-changed code').textContent).toBe('b = 1');
    press(slider(), 'End');
    await untilDrawn(() => slider().getAttribute('aria-valuetext') === 'Now');
    await untilDrawn(() => find('[aria-label="Notebook cells"]'));
  });

  it('marks the lines that a moment changed, and folds the other lines of a long cell', async () => {
    const long = Array.from({ length: 30 }, (_, i) => `x${i} = ${i}`);
    const before = long.join('\n');
    const source = before.replace('x20 = 20', 'x20 = 21');
    const snapshot = snapshotOf(1, { a: source, b: 'b = 1' });
    history.snapshots.set(1, {
      ...snapshot,
      cells: [{ ...snapshot.cells[0], before }, snapshot.cells[1]]
    });
    await show('Notebook');
    await untilDrawn(slider);
    model.timeline.player.goTo(1);
    await untilDrawn(() => find('li ins'));
    expect(find('li del').textContent).toBe('x20 = 20');
    expect(find('li ins').textContent).toBe('x20 = 21');
    expect(find('li ins > b').textContent).toBe('1');
    expect(find('li.jp-mod-changed code').textContent).not.toContain('x5 =');
    expect(
      find('li.jp-mod-changed button').getAttribute('aria-description')
    ).toBe('Lines added: 1, removed: 1');
    button('more lines').click();
    await untilDrawn(() => find('li code')?.textContent?.includes('x5 = 5'));
    expect(find('li[data-index="1"] ins')).toBeNull();
  });

  it('labels sources that were first recorded after the moment', async () => {
    const snapshot = snapshotOf(1, { a: 'a = 1', b: '' });
    const cells = snapshot.cells.map(cell => ({ ...cell, step: null }));
    history.snapshots.set(1, { ...snapshot, cells });
    await show('Notebook');
    await untilDrawn(slider);
    model.timeline.player.goTo(1);
    await untilDrawn(() => rows().length === 2);
    const [seen, unseen] = panel.node.querySelectorAll('li[data-index]');
    expect(seen.textContent).toContain('a = 1');
    expect(seen.textContent).toContain('first recorded version');
    expect(unseen.textContent).toContain('not recorded yet');
    expect(unseen.textContent).not.toContain('first recorded version');
  });

  it('shows a deleted cell at its old position, and restores it', async () => {
    await show('Notebook');
    await untilDrawn(slider);
    model.timeline.player.goTo(2);
    await untilDrawn(() => rows().length === 3 && rows()[0]);
    expect(rows()).toEqual([
      'Cell 1: a = 1',
      'Deleted cell: x = 1',
      'Cell 2: b = 2'
    ]);
    button('Restore cell').click();
    await untilDrawn(() => subject.sources.has('x'));
    expect(subject.sources.get('x')).toBe('x = 1');
    expect(subject.activeId).toBe('x');
    await untilDrawn(() => !button('Restore cell'));
  });

  it('opens the cell tab at the step of the moment', async () => {
    await show('Notebook');
    await untilDrawn(slider);
    model.timeline.player.goTo(1);
    await untilDrawn(() => rows().length === 2);
    button('Cell 2, changed').click();
    // (The previous cell may be shown briefly.)
    await untilDrawn(() => model.steps.shownCell?.cellId === 'b' && model.step);
    expect(model.selectedTab).toBe('cell');
    expect(model.step?.index).toBe(1);
  });

  it('names a cell by its position in every tab', async () => {
    const isNamed = (text: string) => panel.node.textContent!.includes(text);
    history.searchResults = {
      ...history.searchResults,
      results: [hitOf(2), hitOf(3, { cellId: 'x' })],
      total: 2
    };
    await show('Notebook');
    await untilDrawn(() => rows().length && find('.jp-AIServer-Replay-prompt'));
    const prompts = panel.node.querySelectorAll('.jp-AIServer-Replay-prompt');
    expect([...prompts].map(({ textContent }) => textContent)).toEqual([
      '1',
      '2',
      '3'
    ]);
    model.timeline.player.goTo(1);
    await untilDrawn(() => button('Cell 2, changed') && button(/^Cell [12]$/));
    button('Cell 2, changed').click();
    await untilDrawn(() => find('h2')?.textContent === 'Cell 2');
    button('Search').click();
    await untilDrawn(() => find('input[type="search"]'));
    model.search.query = 'csv';
    await untilDrawn(() => find('li[data-index="1"]'));
    expect(isNamed('Cell 2')).toBe(true);
    expect(isNamed('Deleted cell')).toBe(true);
  });

  it('shows the authorship of lines', async () => {
    const none = {
      byModel: 0,
      byPerson: 0,
      byAgent: 0,
      byProgram: 0,
      byUnknown: 0,
      existing: 0,
      names: {}
    };
    const total = {
      ...none,
      lines: 10,
      byModel: 7,
      byPerson: 1,
      byAgent: 1,
      existing: 1,
      turns: 2,
      models: { 'openai:gpt': 7 },
      names: { bot: 1 }
    };
    const cell = { ...none, type: 'code', turns: 1, lines: 0 };
    history.reportResult = {
      cells: [
        {
          ...cell,
          cellId: 'a',
          lines: 3,
          byPerson: 1,
          byAgent: 1,
          existing: 1,
          models: {},
          names: { bot: 1 }
        },
        { ...cell, cellId: 'empty', models: {} },
        {
          ...cell,
          cellId: 'b',
          lines: 7,
          byModel: 7,
          models: total.models
        }
      ],
      total
    };
    await show('Notebook');
    await untilDrawn(() => panel.node.textContent?.includes('70% by AI'));
    expect(panel.node.textContent).toContain(
      '10% by hand10% by agents10% existing'
    );
    const more = button(/10 lines/);
    expect(more.getAttribute('aria-expanded')).toBe('false');
    expect(panel.node.textContent).not.toContain('gpt');
    more.click();
    await untilDrawn(() => more.getAttribute('aria-expanded') === 'true');
    expect(find('ul[aria-label="Lines by contributor"]').textContent).toBe(
      'gpt: 7 linesbot: 1 line'
    );
    const each = find('[aria-label="Authorship by cell"]');
    expect([...each.children].map(row => row.textContent)).toEqual([
      'Cell 13 lines33% by hand · 33% by agents · 33% existingbot',
      'Cell 37 lines100% by AIgpt'
    ]);
    each.querySelectorAll('button')[1].click();
    await untilDrawn(() => subject.activeId === 'b');
  });

  it('draws only the visible cells of a thousand, and reaches all by keyboard (P37)', async () => {
    const sources: Record<string, string> = {};
    for (let index = 0; index < 1000; index++) {
      sources[`c${index}`] = `x = ${index}`;
    }
    history.snapshots.set(0, snapshotOf(0, sources, ''));
    await show('Notebook');
    await untilDrawn(slider);
    press(slider(), 'Home');
    await untilDrawn(() => rows().length > 5);
    expect(rows().length).toBeLessThan(60);
    const first = find('li[data-index="0"] button');
    expect(first.closest('li')!.getAttribute('aria-setsize')).toBe('1000');
    first.focus();
    press(first, 'ArrowDown');
    await untilDrawn(() =>
      document.activeElement?.getAttribute('aria-label')?.startsWith('Cell 2:')
    );
    expect(
      panel.node.querySelectorAll('li button[tabindex="0"]:not([title^="Go"])')
        .length
    ).toBeLessThan(4);
  });

  it('renders foreign text as text, in the notebook and in results (P12)', async () => {
    history.timelineResult.moments[0] = momentOf(0, { title: EVIL });
    history.snapshots.set(0, snapshotOf(0, { a: EVIL }));
    history.searchResults = {
      ...history.searchResults,
      results: [
        hitOf(1, { intent: EVIL, snippet: [{ text: EVIL, hit: true }] })
      ],
      total: 1
    };
    await show('Notebook');
    await untilDrawn(slider);
    press(slider(), 'Home');
    await untilDrawn(() => find('li code')?.textContent === EVIL);
    const strange = 'img, a, script, [onerror]';
    expect(panel.node.querySelector(strange)).toBeNull();
    button('Search').click();
    model.search.query = 'b';
    await untilDrawn(() => find('mark'));
    expect(find('mark').textContent).toBe(EVIL);
    expect(panel.node.querySelector(strange)).toBeNull();
  });

  it('shows characters that change the reading order (Trojan Source)', async () => {
    history.snapshots.set(0, snapshotOf(0, { a: 'a = 1 \u202e# x' }));
    await show('Notebook');
    await untilDrawn(slider);
    press(slider(), 'Home');
    await untilDrawn(() => find('li code')?.textContent === 'a = 1 •# x');
  });

  it('searches while typing, marks matches, and opens a result at its step', async () => {
    history.searchResults = {
      ...history.searchResults,
      results: [hitOf(2)],
      total: 1
    };
    await show('Search');
    await untilDrawn(() => find('input[type="search"]'));
    expect(document.activeElement).not.toBe(find('input[type="search"]'));
    model.search.requestFocus();
    await untilDrawn(
      () => document.activeElement === find('input[type="search"]')
    );
    expect(panel.node.textContent).toContain('Find an earlier request');
    button('read_csv').click();
    await untilDrawn(() => find('mark'));
    expect(find('mark').textContent).toBe('read_csv');
    expect(find('[role="status"]').textContent).toBe('1 result');
    const input = find('input[type="search"]');
    input.focus();
    press(input, 'ArrowDown');
    const hit = find('li[data-index="0"] button');
    await untilDrawn(() => document.activeElement === hit);
    press(hit, 'ArrowUp');
    await untilDrawn(() => document.activeElement === input);
    press(input, 'Enter');
    await untilDrawn(
      () => model.selectedTab === 'cell' && model.step?.index === 1
    );
    expect(model.steps.shownCell?.cellId).toBe('b');
  });

  it('opens results in other notebooks, and marks missing notebooks', async () => {
    history.searchResults = {
      ...history.searchResults,
      results: [
        hitOf(1, { notebookId: 'other', path: 'deep/there.ipynb' }),
        hitOf(2, { notebookId: 'lost', path: null })
      ],
      total: 2
    };
    await show('Search');
    model.search.scope = 'project';
    model.search.query = 'csv';
    await untilDrawn(() => find('li[data-index="1"]'));
    expect(find('li[data-index="0"]').textContent).toContain('there.ipynb');
    const lost = find('li[data-index="1"] button');
    expect(lost.getAttribute('aria-disabled')).toBe('true');
    lost.click();
    expect(opened).toEqual([]);
    find('li[data-index="0"] button').click();
    await untilDrawn(() => model.selectedTab === 'cell');
    expect(opened).toEqual(['deep/there.ipynb']);
    await untilDrawn(() => model.steps.shownCell?.notebookId === 'other');
  });

  it('searches by author, and names the agent of a change', async () => {
    const change = { turnId: null, seq: 4, author: 'agent' } as const;
    const intent = { where: 'code', intent: '' } as const;
    history.searchResults = {
      ...history.searchResults,
      results: [hitOf(1, { ...change, ...intent, name: 'Codex' }), hitOf(2)],
      total: 2
    };
    await show('Search');
    await untilDrawn(() => find('input[type="search"]'));
    button('by:agent').click();
    expect(model.search.query).toBe('by:agent');
    await untilDrawn(() => find('li[data-index="1"]'));
    expect(find('li[data-index="0"]').textContent).toContain('No intent given');
    expect(find('li[data-index="0"]').textContent).toContain('Codex');
    expect(find('li[data-index="1"]').textContent).not.toContain('Codex');
  });

  it('offers to search all notebooks if there are no results', async () => {
    await show('Search');
    model.search.query = 'nothing_of_that';
    await untilDrawn(() => panel.node.textContent?.includes('No results'));
    button('Search all notebooks').click();
    expect(model.search.scope).toBe('project');
    expect(panel.node.querySelector('input[disabled]')).toBeTruthy(); // by meaning
  });
});
