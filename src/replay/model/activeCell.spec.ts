import { YNotebook } from '@jupyter/ydoc';
import { CodeCellModel } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import { ActiveCell, type SubjectChange } from './activeCell';
import type { INotebookIdentity } from '../../tokens';

/** Create the parts of JupyterLab that `ActiveCell` needs. Only the cells' models are real. */
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
  const activeCell = new ActiveCell(
    tracker as unknown as INotebookTracker,
    identity as unknown as INotebookIdentity
  );
  const changes: SubjectChange[] = [];
  activeCell.changed.connect((_, change) => changes.push(change));
  const activate = (index: number) => {
    content.activeCell = widgets[index];
    tracker.activeCellChanged.emit();
  };
  const type = (index: number, source: string) =>
    models[index].sharedModel.setSource(source);
  const common = { cells, activate, content, activeCell, identity, models };
  return { ...common, panel, changes, shared, tracker, type, widgets };
}

describe('ActiveCell', () => {
  it('describes the active cell and all other cells', () => {
    const { activeCell, activate } = setup();
    expect(activeCell.notebookId).toBe('nb');
    expect(activeCell.cell).toEqual({
      id: 'c0',
      type: 'code',
      number: 1,
      firstLine: 'a = 1'
    });
    expect(activeCell.source).toBe('\n  a = 1\nmore');
    expect(activeCell.cells().map(({ id }) => id)).toEqual(['c0', 'c1']);
    activate(1);
    expect(activeCell.cell).toMatchObject({ id: 'c1', number: 2 });
    expect(activeCell.cells()[1].number).toBe(2);
    expect(activeCell.numberOf('none')).toBeNull();
  });

  it('gets the history of a cell that isn’t in the notebook (P28)', () => {
    const { activate, activeCell, panel, shared } = setup();
    activate(1);
    const { id, source } = shared.cells[1];
    const taken = shared.cells[0].id;
    expect(activeCell.takeHistory(taken)).toBe(false);
    expect(activeCell.takeHistory('lost')).toBe(true);
    expect(shared.cells.map(cell => cell.id)).toEqual([taken, 'lost']);
    expect(shared.cells[1].source).toBe(source);
    shared.undo();
    expect(shared.cells[1].id).toBe(id);
    panel.context.contentsModel.writable = false;
    expect(activeCell.takeHistory('lost')).toBe(false);
  });

  it('emits and listens to no signals while inactive', () => {
    const t = setup();
    t.activate(1);
    t.type(1, 'b = 2');
    t.cells.changed.emit();
    expect(t.changes).toEqual([]);
    t.activeCell.isActive = true;
    t.activeCell.isActive = false;
    t.activate(0);
    t.type(0, 'a = 2');
    t.tracker.currentChanged.emit();
    t.identity.changed.emit(t.panel);
    expect(t.changes).toEqual([]);
    expect(t.activeCell.source).toBe('a = 2'); // The source is not cached.
  });

  it('emits changes of the active cell, its source and the list of cells', () => {
    const t = setup();
    t.activeCell.isActive = true;
    t.type(0, 'a = 2');
    expect(t.changes).toEqual(['source']);
    t.activate(1);
    expect(t.changes).toEqual(['source', 'activeCell']);
    t.type(0, 'a = 3'); // This cell is no longer active.
    expect(t.changes).toEqual(['source', 'activeCell']);
    t.type(1, 'b = 2');
    t.cells.changed.emit();
    t.models[1].executionCount = 7;
    expect(t.changes.slice(2)).toContain('source');
    expect(t.changes.slice(2)).toContain('cells');
    t.identity.changed.emit({});
    const count = t.changes.length;
    t.identity.changed.emit(t.panel);
    expect(t.changes.slice(count)).toEqual(['activeCell']);
  });

  it('does not accumulate connections over a thousand activations', () => {
    const t = setup();
    t.activeCell.isActive = true;
    for (let i = 0; i < 1000; i++) {
      t.activate(i % 2);
    }
    t.activate(1);
    t.changes.length = 0;
    t.type(1, 'b = 9');
    expect(t.changes.filter(change => change === 'source')).toHaveLength(1);
    t.cells.changed.emit();
    expect(t.changes.filter(change => change === 'cells')).toHaveLength(1);
  });

  it('writes into the active cell in one undo step (P35)', () => {
    const t = setup();
    t.activate(1);
    t.activeCell.apply('b = 1\nprint(b)');
    expect(t.models[1].sharedModel.getSource()).toBe('b = 1\nprint(b)');
    t.activeCell.undo();
    expect(t.models[1].sharedModel.getSource()).toBe('b = 1');
    expect(t.models[0].sharedModel.getSource()).toBe('\n  a = 1\nmore');
  });

  it('is not writable if the cell or the notebook is read-only', () => {
    const t = setup();
    expect(t.activeCell.isWritable).toBe(true);
    t.widgets[0].readOnly = true;
    expect(t.activeCell.isWritable).toBe(false);
    t.widgets[0].readOnly = false;
    t.panel.context.contentsModel.writable = false;
    expect(t.activeCell.isWritable).toBe(false);
  });

  it('is empty without a notebook, and can be disposed twice', () => {
    const t = setup();
    t.activeCell.isActive = true;
    t.tracker.currentWidget = null;
    t.tracker.currentChanged.emit();
    expect(t.activeCell.hasNotebook).toBe(false);
    expect(t.activeCell.notebookId).toBeNull();
    expect(t.activeCell.cell).toBeNull();
    expect(t.activeCell.cells()).toEqual([]);
    t.activeCell.dispose();
    t.activeCell.dispose();
    const count = t.changes.length;
    t.tracker.currentChanged.emit();
    expect(t.changes).toHaveLength(count);
  });
});
