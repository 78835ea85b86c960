import type { YNotebook } from '@jupyter/ydoc';
import { NotebookModel, type NotebookPanel } from '@jupyterlab/notebook';
import { NBTestUtils } from '@jupyterlab/notebook/lib/testutils';

import { NewCells } from './emptyCell';

type Cells = readonly (readonly ['code' | 'markdown', string])[];

function setup(cells: Cells, readOnly = false) {
  const content = NBTestUtils.createNotebook();
  content.model = new NotebookModel();
  const { sharedModel } = content.model;
  sharedModel.insertCells(
    0,
    cells.map(([cell_type, source]) => ({ cell_type, source }))
  );
  sharedModel.deleteCell(cells.length); // A new model has an empty cell.
  sharedModel.clearUndoHistory();
  content.activeCellIndex = 0;
  const context = { model: { readOnly } };
  const newCells = new NewCells({ content, context } as NotebookPanel);
  const sources = () =>
    content.widgets.map(({ model }) => model.sharedModel.getSource());
  return { content, newCells, sharedModel, sources };
}

const CODE: Cells = [
  ['code', 'x = 1'],
  ['code', 'y = 2']
];

describe('NewCells', () => {
  it('inserts a code cell below a cell with code or Markdown; an undo removes it', () => {
    for (const type of ['code', 'markdown'] as const) {
      const t = setup([[type, 'text'], CODE[1]]);
      const cell = t.newCells.provide('@df ')!;
      expect(t.content.widgets.indexOf(cell)).toBe(1);
      expect(cell.model.type).toBe('code');
      expect(t.content.activeCell).toBe(cell);
      t.sharedModel.undo();
      expect(t.sources()).toEqual(['text', 'y = 2']);
    }
  });

  it('uses an empty cell, and never removes it', () => {
    const t = setup([['code', '\n'], CODE[1]]);
    const cell = t.newCells.provide('@df ')!;
    expect(cell).toBe(t.content.widgets[0]);
    expect(t.newCells.onClosed(cell.model.id, '')).toBe(false);
    expect(t.sources()).toHaveLength(2);
  });

  it('inserts nothing into a read-only notebook', () => {
    const t = setup(CODE, true);
    expect(t.newCells.provide('')).toBe(t.content.widgets[0]);
    expect(t.sources()).toHaveLength(2);
  });

  it.each(['', '@df'])('removes an unused cell: row “%s”', text => {
    const t = setup(CODE);
    t.content.widgets[0].model.sharedModel.setSource('x = 3');
    const cell = t.newCells.provide('@df ')!;
    expect(t.newCells.onClosed(cell.model.id, text)).toBe(true);
    expect(t.sources()).toEqual(['x = 3', 'y = 2']);
    expect(t.content.activeCellIndex).toBe(0);
    // The removal itself is no undo step, and a redo brings nothing back.
    t.sharedModel.undo();
    t.sharedModel.redo();
    expect(t.sources()).toHaveLength(2);
  });

  it('removes a cell into whose row only clicks have inserted texts', () => {
    const t = setup(CODE);
    const { id } = t.newCells.provide('@df ')!.model;
    t.newCells.onInserted(id, '@df ', '@df @df.price ');
    expect(t.newCells.onClosed(id, '@df @df.price')).toBe(true);
    const typed = t.newCells.provide('@df ')!.model.id;
    t.newCells.onInserted(typed, 'mean of @df', 'mean of @df @df.price ');
    expect(t.newCells.onClosed(typed, 'mean of @df @df.price')).toBe(false);
  });

  it('keeps a cell that another person may use (P34)', () => {
    const t = setup(CODE);
    const cell = t.newCells.provide('')!;
    const { awareness } = t.sharedModel as YNotebook;
    awareness.states.set(7, {});
    expect(t.newCells.onClosed(cell.model.id, '')).toBe(false);
    expect(t.sources()).toHaveLength(3);
  });

  it('keeps a cell with code, with typed text, or from which a request was sent', () => {
    const t = setup(CODE);
    const first = t.newCells.provide('@df ')!;
    expect(t.newCells.onClosed(first.model.id, '@df mean')).toBe(false);
    t.content.activeCellIndex = 0;
    const second = t.newCells.provide('')!;
    second.model.sharedModel.setSource('z');
    expect(t.newCells.onClosed(second.model.id, '')).toBe(false);
    const third = t.newCells.provide('')!;
    t.newCells.onSent(third.model.id);
    expect(t.newCells.onClosed(third.model.id, '')).toBe(false);
    expect(t.sources()).toHaveLength(5);
  });

  it('ignores a cell that an undo has removed already', () => {
    const t = setup(CODE);
    const { id } = t.newCells.provide('')!.model;
    t.sharedModel.undo();
    expect(t.newCells.onClosed(id, '')).toBe(false);
    expect(t.sources()).toHaveLength(2);
  });
});
