/** The DataFrames of a request in the sidebar. */
import { CommandRegistry } from '@lumino/commands';
import { Widget } from '@lumino/widgets';

import type { SchemaChange, Step } from '../../../api/types';
import { CommandIDs } from '../../../tokens';
import { chooseEntry, openEntries } from '../../../ui/menuButton.fakes';
import { branchAt } from '../../model/cell/graph';
import { ReplayModel } from '../../model/replay';
import {
  FAKE_HOST,
  FakeHistory,
  FakeSubject,
  stepsOf
} from '../../model/replay.fakes';
import type { ReplayPanel } from '../panel';
import { createPanel, until } from '../panel.fakes';
import { countStepChanges } from './stepView';

const EVIL = '<img src="https://evil.example" onerror="alert(1)">';
const CHANGE: SchemaChange = {
  name: 'sales',
  added: [{ name: EVIL, dtype: 'object' }],
  removed: [{ name: 'city', dtype: 'object' }],
  retyped: [],
  addedCount: 1,
  removedCount: 1,
  retypedCount: 0,
  rows: { before: 10, after: 130 }
};

describe('the DataFrames of a request', () => {
  let panel: ReplayPanel;
  let model: ReplayModel;
  let subject: FakeSubject;
  let commands: CommandRegistry;
  const asked = jest.fn();

  async function open(more: Partial<Step>): Promise<void> {
    const history = new FakeHistory();
    const [first, last] = stepsOf('a = 0', 'a = 1');
    history.steps.set('a', [first, { ...last, ...more }]);
    subject = new FakeSubject();
    model = new ReplayModel(subject, history, FAKE_HOST);
    panel = createPanel(model, commands);
    Widget.attach(panel, document.body);
    await until(() => panel.node.textContent?.includes('make a = 1'));
  }
  const ENTRY = 'Ask again with today’s data';
  const more = () =>
    panel.node.querySelector<HTMLElement>(
      '[aria-label="More about this step"]'
    );

  beforeEach(() => {
    asked.mockReset();
    commands = new CommandRegistry();
    commands.addCommand(CommandIDs.askWithCurrentData, { execute: asked });
  });
  afterEach(() => {
    panel.dispose();
    model.dispose();
    document.body.textContent = '';
  });

  it('shows before the code how they have changed, as text (P12)', async () => {
    await open({ dataframes: ['sales'], schemaChanges: [CHANGE] });
    const note = await until(() => panel.node.querySelector('[role="note"]'));
    expect(note!.textContent).toContain(
      'sales has changed since the last request with it:'
    );
    expect(
      [...note!.querySelectorAll('li')].map(item => item.innerHTML)
    ).toEqual([
      `<ins>+ ${EVIL.replace('<', '&lt;').replace('>', '&gt;')} (object)</ins>`,
      '<del>− city</del>',
      '<span>120 more rows</span>'
    ]);
    const code = panel.node.querySelector('.jp-AIServer-Replay-code')!;
    expect(
      note!.compareDocumentPosition(code) & Node.DOCUMENT_POSITION_FOLLOWING
    ).toBeTruthy();
  });

  it('shows what an agent intended with a change, as text (P12)', async () => {
    const by = { author: 'agent', name: 'Codex', event: 'edit' } as const;
    await open({ kind: 'edit', title: `make a = 1 ${EVIL}`, ...by });
    const step = panel.node.querySelector('section.jp-AIServer-Replay-step')!;
    expect(step.textContent).toContain('Codex');
    const intent = step.querySelector('.jp-AIServer-Replay-request')!;
    expect(intent.textContent).toBe(`make a = 1 ${EVIL}`);
    expect(step.querySelector('img')).toBeNull();
  });

  it('P49: shows each of several answers to the request', async () => {
    const attempt = {
      seq: 2,
      timestamp: '2026-01-27T10:00:00.000Z',
      outcome: 'open' as const,
      model: 'p:small',
      receipt: { inputTokens: 100, outputTokens: 10 }
    };
    await open({
      turnId: 3,
      attempts: [
        { ...attempt, turnId: 2, code: 'a = 9', explanation: 'nine' },
        { ...attempt, turnId: 3, code: 'a = 1' }
      ]
    });
    const menu = await until(() =>
      panel.node.querySelector<HTMLSelectElement>(
        '[aria-label="Answers to this request"]'
      )
    );
    // In a narrow sidebar, only screen readers get the headings.
    expect(menu!.closest('h3')).toBeNull();
    expect([...menu!.options].map(({ text }) => text)).toEqual([
      '1 of 2 · small',
      '2 of 2 · small'
    ]);
    expect(model.step).toMatchObject({ code: 'a = 1', applied: true });
    menu!.value = '2';
    menu!.dispatchEvent(new Event('change', { bubbles: true }));
    await until(() => panel.node.textContent?.includes('nine'));
    expect(model.step).toMatchObject({
      code: 'a = 9',
      turnId: 2,
      applied: false,
      outcome: 'unused'
    });
    // To look at an answer changes nothing about what happened to the cell.
    expect(model.actions.hasUnrecordedEdits).toBe(false);
    expect(model.actions.canRestore).toBe(true);
    expect(branchAt(model.steps.all, model.step!)?.turnId).toBe(2);
    // The sum above the steps has the tokens of all answers; the first step’s aren’t known.
    expect(
      panel.node.querySelector('.jp-AIServer-Replay-totals')?.textContent
    ).toBe('at least 220 tokens');
    await model.showStep('a', { turnId: 3 });
    expect(model.step).toMatchObject({ turnId: 3, outcome: 'accepted' });
  });

  it('asks again about them, without sending anything', async () => {
    await open({ dataframes: ['sales', 'shops'] });
    chooseEntry((await until(more))!, ENTRY);
    expect(asked.mock.calls[0][0]).toEqual({
      text: 'make a = 1',
      dataframes: ['sales', 'shops']
    });
    expect(panel.node.querySelector('[role="note"]')).toBeNull();
  });

  it.each<[string, Partial<Step>]>([
    ['without DataFrames', {}],
    ['of the page itself', { dataframes: ['sales'], mode: 'repair' }]
  ])('has no entry for a request %s', async (_, fields) => {
    await open(fields);
    expect(openEntries(more()!)).not.toContain(ENTRY);
  });
});

describe('countStepChanges', () => {
  const changes = (before: string, code: string) =>
    countStepChanges({ ...stepsOf(code)[0], before });

  it('counts lines added and removed', () => {
    expect(changes('', 'a\nb')).toEqual({ added: 2, removed: 0 });
    expect(changes('a\nb', '')).toEqual({ added: 0, removed: 2 });
    expect(changes('a\nb', 'a\nb')).toEqual({ added: 0, removed: 0 });
    expect(changes('a\nb\nc', 'a\nx\nc')).toEqual({ added: 1, removed: 1 });
    expect(changes('a\nc', 'a\nb\nc')).toEqual({ added: 1, removed: 0 });
    expect(changes('a\nb', 'a')).toEqual({ added: 0, removed: 1 });
    expect(changes('\n\n\nb', '\nb')).toEqual({ added: 0, removed: 2 });
    expect(changes('a\n\nb', 'a\n\n\nb')).toEqual({ added: 1, removed: 0 });
  });

  it('compares with the code that the request started from', () => {
    const step = { ...stepsOf('a\nc')[0], before: 'zzz', base: 'a\nb' };
    expect(countStepChanges(step)).toEqual({ added: 1, removed: 1 });
  });
});
