import { YNotebook } from '@jupyter/ydoc';
import { CodeCellModel } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import type { SubjectChange } from './subject';
import type { INotebookIdentity } from '../../tokens';
import { ActiveCell } from './activeCell';

/** As much of JupyterLab as following needs; the cells' models are the real ones. */
function setup(sources = ['\n  a = 1\nmore', 'b = 1']) {
  const shared = new YNotebook();
  const models = sources.map((source, index) => {
    shared.insertCell(index, { id: `c${index}`, cell_type: 'code', source });
    return new CodeCellModel({ sharedModel: shared.getCell(index) as never });
  });
  const widgets = models.map(model => ({ model, readOnly: false }));
  const cells = {
    changed: new Signal<unknown, void>({}),
    [Symbol.iterator]: () => models[Symbol.iterator]()
  };
  const content = {
    model: { cells, sharedModel: shared },
    widgets,
    activeCell: widgets[0],
    codeMimetype: 'text/x-ipython'
  };
  const panel = {
    content,
    context: { contentsModel: { writable: true }, model: { readOnly: false } }
  };
  const tracker = {
    currentWidget: panel as unknown as NotebookPanel | null,
    currentChanged: new Signal<unknown, void>({}),
    activeCellChanged: new Signal<unknown, void>({})
  };
  const identity = {
    changed: new Signal<unknown, unknown>({}),
    get: () => 'nb'
  };
  const followed = new ActiveCell({
    tracker: tracker as unknown as INotebookTracker,
    identity: identity as unknown as INotebookIdentity
  });
  const told: SubjectChange[] = [];
  followed.changed.connect((_, change) => told.push(change));
  const activate = (index: number) => {
    content.activeCell = widgets[index];
    tracker.activeCellChanged.emit();
  };
  const type = (index: number, source: string) =>
    models[index].sharedModel.setSource(source);
  const every = { cells, activate, content, followed, identity, models };
  return { ...every, panel, told, tracker, type, widgets };
}

describe('ActiveCell', () => {
  it('describes the active cell and all others', () => {
    const { followed, activate } = setup();
    expect(followed.notebookId).toBe('nb');
    expect(followed.cell).toEqual({
      id: 'c0',
      type: 'code',
      number: 1,
      firstLine: 'a = 1'
    });
    expect(followed.source).toBe('\n  a = 1\nmore');
    expect(followed.cells().map(({ id }) => id)).toEqual(['c0', 'c1']);
    activate(1);
    expect(followed.cell).toMatchObject({ id: 'c1', number: 2 });
    expect(followed.cells()[1].number).toBe(2);
    expect(followed.numberOf('none')).toBeNull();
  });

  it('is silent and connected to nothing while inactive', () => {
    const t = setup();
    t.activate(1);
    t.type(1, 'b = 2');
    t.cells.changed.emit();
    expect(t.told).toEqual([]);
    t.followed.isActive = true;
    t.followed.isActive = false;
    t.activate(0);
    t.type(0, 'a = 2');
    t.tracker.currentChanged.emit();
    t.identity.changed.emit(t.panel);
    expect(t.told).toEqual([]);
    expect(t.followed.source).toBe('a = 2'); // It never says what is old.
  });

  it('tells where it is, what the cell holds and which cells there are', () => {
    const t = setup();
    t.followed.isActive = true;
    t.type(0, 'a = 2');
    expect(t.told).toEqual(['source']);
    t.activate(1);
    expect(t.told).toEqual(['source', 'activeCell']);
    t.type(0, 'a = 3'); // No longer the active one.
    expect(t.told).toEqual(['source', 'activeCell']);
    t.type(1, 'b = 2');
    t.cells.changed.emit();
    t.models[1].executionCount = 7;
    expect(t.told.slice(2)).toContain('source');
    expect(t.told.slice(2)).toContain('cells');
    t.identity.changed.emit({});
    const count = t.told.length;
    t.identity.changed.emit(t.panel);
    expect(t.told.slice(count)).toEqual(['activeCell']);
  });

  it('does not gather connections over a thousand cells', () => {
    const t = setup();
    t.followed.isActive = true;
    for (let i = 0; i < 1000; i++) {
      t.activate(i % 2);
    }
    t.activate(1);
    t.told.length = 0;
    t.type(1, 'b = 9');
    expect(t.told.filter(change => change === 'source')).toHaveLength(1);
    t.cells.changed.emit();
    expect(t.told.filter(change => change === 'cells')).toHaveLength(1);
  });

  it('writes into the active cell in one step, which undo takes back (P35)', () => {
    const t = setup();
    t.activate(1);
    t.followed.apply('b = 1\nprint(b)');
    expect(t.models[1].sharedModel.getSource()).toBe('b = 1\nprint(b)');
    t.followed.undo();
    expect(t.models[1].sharedModel.getSource()).toBe('b = 1');
    expect(t.models[0].sharedModel.getSource()).toBe('\n  a = 1\nmore');
  });

  it('knows what may not be written', () => {
    const t = setup();
    expect(t.followed.isWritable).toBe(true);
    t.widgets[0].readOnly = true;
    expect(t.followed.isWritable).toBe(false);
    t.widgets[0].readOnly = false;
    t.panel.context.contentsModel.writable = false;
    expect(t.followed.isWritable).toBe(false);
  });

  it('has nothing to say without a notebook, and can be disposed twice', () => {
    const t = setup();
    t.followed.isActive = true;
    t.tracker.currentWidget = null;
    t.tracker.currentChanged.emit();
    expect(t.followed.hasNotebook).toBe(false);
    expect(t.followed.notebookId).toBeNull();
    expect(t.followed.cell).toBeNull();
    expect(t.followed.cells()).toEqual([]);
    t.followed.dispose();
    t.followed.dispose();
    const count = t.told.length;
    t.tracker.currentChanged.emit();
    expect(t.told).toHaveLength(count);
  });
});
