import { ReactWidget, showDialog } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import React from 'react';
import { act } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';

import { ApiError } from '../../../api/request';
import type { RunSummary } from '../../../api/types';
import { CommandIDs } from '../../../tokens';
import { FakeAgents, runOf } from '../model/agents.fakes';
import { AgentRuns } from '../model/runs';
import { RunsView } from './runsView';
import { UndoPreview } from './undoDialog';

jest.mock('@jupyterlab/apputils', () => {
  const actual = jest.requireActual('@jupyterlab/apputils');
  return { ...actual, showDialog: jest.fn() };
});
const dialog = showDialog as unknown as jest.Mock;

const EVIL = '<img src=x onerror=alert(1)>';
const trans = nullTranslator.load('aiserver');

async function setup(...list: RunSummary[]) {
  const server = new FakeAgents();
  server.agents.runs = list;
  const executed: unknown[] = [];
  const runs = new AgentRuns({
    api: server,
    page: 'page1',
    pathOf: id => (id === 'nb' ? 'a.ipynb' : null),
    runCells: (id, cells) => executed.push([id, cells])
  });
  const commands = new CommandRegistry();
  for (const id of [CommandIDs.nextProposal, CommandIDs.acceptRun]) {
    commands.addCommand(id, {
      execute: args => void executed.push([id, args])
    });
  }
  const visited: string[] = [];
  const widget = ReactWidget.create(
    <RunsView
      notebookId="nb"
      locale="en"
      now={new Date('2026-11-30T09:00:00Z')}
      numberOf={id => ['aa', 'bb'].indexOf(id) + 1 || null}
      goTo={id => visited.push(id)}
      find={query => visited.push(query)}
      {...{ runs, commands, trans }}
    />
  );
  const settle = () =>
    act(async () => {
      MessageLoop.flush();
      await new Promise(resolve => setTimeout(resolve));
    });
  await act(async () => {
    Widget.attach(widget, document.body);
    MessageLoop.flush();
  });
  await settle();
  const { node } = widget;
  const button = (name: string) =>
    [...node.querySelectorAll('button')].find(it =>
      it.textContent!.includes(name)
    );
  const click = async (name: string) => {
    await act(async () => button(name)!.click());
    await settle();
  };
  const text = () => node.textContent ?? '';
  return {
    server,
    runs,
    widget,
    node,
    button,
    click,
    text,
    settle,
    executed,
    visited
  };
}

beforeEach(() => dialog.mockReset());
afterEach(() => document.body.replaceChildren());

describe('the runs of agents', () => {
  it('are no section if there are none', async () => {
    const t = await setup();
    expect(t.text()).toBe('');
    expect(t.node.querySelector('section')).toBeNull();
  });

  it('show name, intent, cells and state, and unfold', async () => {
    const refused = [
      { tool: 'edit_cell', cell: 'bb', reason: `No, ${EVIL}.` },
      { tool: 'run_cells', reason: 'It may not run cells.' }
    ];
    const proposals = { open: 1, accepted: 2, rejected: 0 };
    const shown = { intent: EVIL, refused, proposals, code: [EVIL] };
    const run = runOf({ ...shown, cells: ['aa', 'x'] });
    const t = await setup(run);
    const row = t.button('Claude Code')!;
    expect(row.textContent).toContain(`${EVIL}2 cells · finished`);
    expect(row.getAttribute('aria-expanded')).toBe('false');
    await t.click('Claude Code');
    expect(row.getAttribute('aria-expanded')).toBe('true');
    expect(t.text()).toContain(
      '2 changes · 1 waiting · 2 accepted · 3 cells read'
    );
    expect(t.text()).toContain(`Cell 2: No, ${EVIL}.It may not run cells.`);
    expect(t.text()).toContain(`Run without a cell${EVIL}`);
    expect(t.node.querySelector('img')).toBeNull();
    expect(t.button('Deleted cell')!.disabled).toBe(true);
    await t.click('Cell 1');
    await t.click('Find its changes');
    expect(t.visited).toEqual(['aa', 'run:run1']);
  });

  it('say how many proposals wait, and go to the next one', async () => {
    const open = (count: number) => ({
      proposals: { open: count, accepted: 0, rejected: 0 }
    });
    const t = await setup(runOf(open(2)), runOf({ ...open(1), run: 'run2' }));
    expect(t.node.querySelector('[role="status"]')!.textContent).toBe(
      '3 waiting'
    );
    await t.click('Next');
    await t.click('Claude Code');
    await t.click('Accept all of this run');
    expect(t.executed).toEqual([
      [CommandIDs.nextProposal, {}],
      [CommandIDs.acceptRun, { run: 'run1' }]
    ]);
    t.server.agents.runs.forEach(run => (run.proposals.open = 0));
    t.runs.refresh('nb');
    await act(() => new Promise(resolve => setTimeout(resolve, 800)));
    expect(t.node.querySelector('[role="status"]')!.textContent).toBe('');
    expect(t.button('Next')).toBeUndefined();
  });

  it('are fetched only while they are shown, and for this notebook', async () => {
    const t = await setup(runOf());
    const lists = () => t.server.calls.length;
    expect(lists()).toBe(1);
    t.runs.refresh('other');
    await act(() => new Promise(resolve => setTimeout(resolve, 800)));
    expect(lists()).toBe(1);
    await act(async () => t.widget.dispose());
    t.runs.refresh('nb');
    await new Promise(resolve => setTimeout(resolve, 800));
    expect(lists()).toBe(1);
  });

  it('can be undone after a look at what that does, and redone', async () => {
    const t = await setup(runOf());
    await t.click('Claude Code');
    t.server.result.cells = [
      {
        ...{ cellId: 'aa', action: 'merge', now: 'b', after: 'c' },
        conflicts: [{ lines: [2, 3], before: 'old line' }]
      }
    ];
    dialog.mockResolvedValueOnce({ button: { accept: false } });
    await t.click('Undo run…');
    expect(t.server.calls.slice(1)).toEqual([
      ['undo', 'nb', 'run1', 'a.ipynb', true],
      ['list', 'nb']
    ]);
    dialog.mockResolvedValueOnce({ button: { accept: true } });
    await t.click('Undo run…');
    expect(t.server.calls.at(-2)).toEqual([
      'undo',
      'nb',
      'run1',
      'a.ipynb',
      false
    ]);
    expect(t.executed).toEqual([]);
    expect(t.text()).toContain('Undone');
    expect(t.text()).toContain('2 cells · undone');
    expect(t.button('Undo run…')).toBeUndefined();
    await t.click('Redo');
    expect(t.server.calls.at(-2)).toEqual(['redo', 'nb', 'run1', 'a.ipynb']);
    expect(t.button('Redo')).toBeUndefined();
  });

  it('can be undone so that the changed cells run afterwards', async () => {
    const t = await setup(runOf());
    await t.click('Claude Code');
    const cell = { now: 'b', after: 'c', conflicts: [] };
    t.server.result.cells = [
      { ...cell, cellId: 'aa', action: 'restore' },
      { ...cell, cellId: 'bb', action: 'return', now: null },
      { ...cell, cellId: 'cc', action: 'remove', after: null },
      { ...cell, cellId: 'dd', action: 'keep', after: 'b' }
    ];
    dialog.mockImplementationOnce(async ({ buttons }) => ({
      button: buttons.at(-1)
    }));
    await t.click('Undo run…');
    expect(t.executed).toEqual([['nb', ['aa', 'bb']]]);
    const [{ buttons, defaultButton }] = dialog.mock.calls[0];
    expect(buttons[defaultButton].label).toBe('Undo');
  });

  it('can’t be undone while the agent works, or if they changed nothing', async () => {
    const t = await setup(
      runOf({ state: 'active' }),
      runOf({ run: 'run2', agent: { name: 'Codex' }, edits: 0 })
    );
    await t.click('Claude Code');
    expect(t.button('Undo run…')!.disabled).toBe(true);
    await t.click('Claude Code');
    await t.click('Codex');
    expect(t.button('Undo run…')).toBeUndefined();
  });

  it('let the person choose what the agent may do, up to the cap', async () => {
    const t = await setup(runOf());
    t.server.agents.cap = 'edit';
    t.runs.show(null);
    t.runs.show('nb');
    await t.settle();
    await t.click('Claude Code');
    const select = t.node.querySelector('select')!;
    expect(select.labels![0].textContent).toContain('Claude Code may');
    expect([...select.options].map(({ text }) => text)).toEqual([
      'Off',
      'Read',
      'Propose',
      'Edit'
    ]);
    expect(select.value).toBe('propose');
    await act(async () => {
      select.value = 'read';
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await t.settle();
    expect(t.server.calls).toContainEqual([
      'choose',
      'nb',
      'Claude Code',
      'read',
      'page1'
    ]);
    expect(select.value).toBe('read');
    expect(t.text()).toContain('changes nothing');
  });

  it('say why an action failed, until the next one', async () => {
    const t = await setup(runOf({ state: 'undone', canRedo: true }));
    await t.click('Claude Code');
    t.server.failure = new ApiError(409, 'conflict', 'The run is active.');
    await t.click('Redo');
    const alert = () => t.node.querySelector('[role="alert"]')?.textContent;
    expect(alert()).toBe('The run is active.');
    await t.click('Redo');
    expect(alert()).toBeUndefined();
  });

  it('are at first the newest five', async () => {
    const list = [1, 2, 3, 4, 5, 6, 7].map(id => runOf({ run: `run${id}` }));
    const t = await setup(...list);
    const count = () =>
      t.node.querySelectorAll('.jp-AIServer-Agents-run').length;
    expect(count()).toBe(5);
    await t.click('Show all 7 runs');
    expect(count()).toBe(7);
  });
});

describe('the preview of an undo', () => {
  it('says what happens to each cell, and marks conflicts', () => {
    const cell = { now: 'x', after: null, conflicts: [] };
    const html = renderToStaticMarkup(
      <UndoPreview
        {...{ trans, numberOf: (id: string) => Number(id) }}
        undo={{
          order: [],
          cells: [
            { ...cell, cellId: '1', action: 'remove' },
            {
              ...{ ...cell, cellId: '2', action: 'merge', after: EVIL },
              conflicts: [{ lines: [3, 4], before: 'old line' }]
            },
            { ...cell, cellId: '3', action: 'keep', after: 'x' }
          ]
        }}
      />
    );
    const node = document.createElement('div');
    node.innerHTML = html;
    const [removed, merged, kept] = [...node.querySelectorAll('li')];
    expect(removed.textContent).toBe(
      'Cell 1 is removed, because the agent added it'
    );
    expect(merged.querySelector('[role="note"]')!.textContent).toBe(
      'Lines 3–4 were changed after the agent, so they stay.Before the agent:old line'
    );
    expect(merged.querySelector('details pre')!.textContent).toBe(EVIL);
    expect(kept.textContent).toBe('Cell 3 stays as it is');
    expect(node.querySelector('img')).toBeNull();
  });
});
