/** The times at which proposals of agents are shown, and the acceptance of all of a run. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import type { IWaitingProposal } from '../../../tokens';
import { runOf } from './agents.fakes';
import { Proposals } from './proposals';

function setup(ids = ['aa', 'bb', 'cc']) {
  const content = {
    widgets: ids.map(id => ({ model: { id } })),
    activeCellIndex: 0,
    get activeCell() {
      return this.widgets[this.activeCellIndex];
    },
    mode: 'command',
    activeCellChanged: new Signal<object, void>({}),
    stateChanged: new Signal<object, void>({}),
    deselectAll: jest.fn(),
    scrollToItem: jest.fn(async () => undefined)
  };
  const fake = { content, isVisible: true };
  const panel = fake as unknown as NotebookPanel;
  const waiting = new Map<string, Partial<IWaitingProposal>>();
  const shown: string[] = [];
  const accepted: unknown[] = [];
  const rows = {
    showProposal: async (_: unknown, id: string, takesFocus = false) => {
      shown.push(takesFocus ? `${id} focused` : id);
      const proposal = waiting.get(id);
      const base = { turnId: 1, run: 'run1', isCellEdited: false };
      return proposal ? { ...base, ...proposal } : null;
    },
    acceptAnswer: async (_: unknown, id: string, turnId: number) => {
      accepted.push([id, turnId]);
      waiting.delete(id);
      return true;
    }
  };
  const currentChanged = new Signal<object, NotebookPanel | null>({});
  const proposals = new Proposals(rows, { currentChanged } as never);
  return {
    content,
    fake,
    panel,
    waiting,
    shown,
    accepted,
    proposals,
    currentChanged
  };
}

describe('a proposal that arrives', () => {
  it('is shown at once, unless the person types in its cell', () => {
    const t = setup();
    t.proposals.add(t.panel, 'aa');
    t.content.mode = 'edit';
    t.proposals.add(t.panel, 'aa');
    t.proposals.add(t.panel, 'bb');
    expect(t.shown).toEqual(['aa', 'bb']);
    t.content.activeCellIndex = 2;
    t.content.activeCellChanged.emit();
    t.content.activeCellChanged.emit();
    expect(t.shown).toEqual(['aa', 'bb', 'aa']);
    t.content.activeCellIndex = 0;
    t.proposals.add(t.panel, 'aa');
    t.content.mode = 'command';
    t.content.stateChanged.emit();
    expect(t.shown).toEqual(['aa', 'bb', 'aa', 'aa']);
  });

  it('waits until its notebook is visible', () => {
    const t = setup();
    t.fake.isVisible = false;
    t.proposals.add(t.panel, 'bb');
    expect(t.shown).toEqual([]);
    t.currentChanged.emit(null);
    t.fake.isVisible = true;
    t.currentChanged.emit(t.panel);
    expect(t.shown).toEqual(['bb']);
  });
});

describe('the next proposal', () => {
  it('is the next one below the active cell, then from the top', async () => {
    const t = setup(['aa', 'bb', 'cc', 'dd']);
    const runs = [runOf({ cells: ['dd', 'bb', 'aa', 'gone'] })];
    t.waiting.set('aa', {}).set('dd', {});
    expect(await t.proposals.showNext(t.panel, runs)).toBe(true);
    expect(t.content.activeCellIndex).toBe(3);
    expect(await t.proposals.showNext(t.panel, runs)).toBe(true);
    expect(t.content.activeCellIndex).toBe(0);
    expect(t.shown).toEqual(['bb focused', 'dd focused', 'aa focused']);
    expect(t.content.scrollToItem).toHaveBeenLastCalledWith(0, 'smart');
    t.waiting.clear();
    expect(await t.proposals.showNext(t.panel, runs)).toBe(false);
  });
});

describe('all proposals of a run', () => {
  it('are accepted, but for those that would overwrite lines of the person', async () => {
    const t = setup(['aa', 'bb', 'cc', 'dd']);
    t.waiting
      .set('aa', { turnId: 4 })
      .set('bb', { isCellEdited: true })
      .set('cc', { run: 'run2' });
    const run = runOf({
      cells: ['bb', 'aa', 'cc', 'dd'],
      proposals: { open: 3, accepted: 0, rejected: 0 }
    });
    expect(await t.proposals.acceptAll(t.panel, run)).toEqual({
      accepted: 1,
      left: 2
    });
    expect(t.accepted).toEqual([['aa', 4]]);
  });
});
