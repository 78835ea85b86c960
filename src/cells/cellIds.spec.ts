import { YNotebook } from '@jupyter/ydoc';
import type { INotebookContent } from '@jupyterlab/nbformat';
import { NotebookModel } from '@jupyterlab/notebook';

import { repairCellIds, repairedIds } from './cellIds';

const UUIDS = [
  'b3f1c7aa-0000-4000-8000-000000000001',
  'b3f1c7aa-0000-4000-8000-000000000002'
];

function repair(cells: { id: string; tool?: unknown }[]): string[] {
  let count = 0;
  return repairedIds(cells, () => `new-${++count}`);
}

describe('repairedIds', () => {
  it('keeps valid, unique ids', () => {
    const cells = [{ id: 'a' }, { id: 'B_c-9' }, { id: 'x'.repeat(64) }];
    expect(repair(cells)).toEqual(cells.map(cell => cell.id));
  });

  it('replaces duplicate, invalid, long and empty ids', () => {
    const cells = ['a', 'a', '$x', 'x'.repeat(65), '', '单元'].map(id => ({
      id
    }));
    expect(repair(cells)).toEqual([
      'a',
      'new-1',
      'new-2',
      'new-3',
      'new-4',
      'new-5'
    ]);
  });

  it('uses the ids of Colab, Databricks or Kaggle if all ids were generated', () => {
    const cells = [
      { id: UUIDS[0], tool: 'uSyI3fA' },
      { id: UUIDS[1] },
      { id: UUIDS[1].replace('2', '3'), tool: 'with space' }
    ];
    expect(repair(cells)).toEqual(['uSyI3fA', cells[1].id, cells[2].id]);
  });

  it('ignores ids of other tools if a cell has an id that wasn’t generated', () => {
    for (const id of ['own', 'uSyI3fA']) {
      const cells = [
        { id, tool: 'uSyI3fA' },
        { id: UUIDS[1], tool: 'uSyI3fB' }
      ];
      expect(repair(cells)).toEqual([id, UUIDS[1]]);
    }
    // Cells copied in Colab may share an id.
    const copies = UUIDS.map(id => ({ id, tool: 'same' }));
    expect(repair(copies)).toEqual(UUIDS);
  });
});

describe('repairCellIds', () => {
  it('changes the cells in place, without an undo step', () => {
    const model = new NotebookModel();
    const shared = model.sharedModel as YNotebook;
    const cells = ['same', 'same', '$no'].map(id => ({
      cell_type: 'markdown',
      id,
      source: 'text',
      metadata: {}
    }));
    model.fromJSON({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
    shared.clearUndoHistory();
    const before = [...model.cells];
    expect(repairCellIds(model)).toBe(true);
    expect([...model.cells]).toEqual(before);
    const ids = [...model.cells].map(cell => cell.id);
    expect(ids[0]).toBe('same');
    expect(new Set(ids).size).toBe(ids.length);
    expect(shared.canUndo()).toBe(false);
    expect(model.toJSON()).toMatchObject({
      nbformat_minor: 5,
      cells: ids.map(id => ({ id }))
    });
    expect(repairCellIds(model)).toBe(false);
    model.dispose();
  });

  it('persists ids in notebooks of an nbformat without them', () => {
    const model = new NotebookModel();
    const cell = { cell_type: 'code', source: 'a', metadata: {}, outputs: [] };
    const file = { cells: [cell], metadata: {}, nbformat: 4 };
    model.fromJSON({ ...file, nbformat_minor: 2 } as never);
    const before = model.toJSON() as INotebookContent;
    expect(before.cells[0]).not.toHaveProperty('id');
    repairCellIds(model);
    const [{ id }] = [...model.cells];
    const saved = model.toJSON() as INotebookContent;
    expect(saved).toMatchObject({ nbformat_minor: 5, cells: [{ id }] });
    const reopened = new NotebookModel();
    reopened.fromJSON(saved);
    expect([...reopened.cells][0].id).toBe(id);
    model.dispose();
    reopened.dispose();
  });

  it.each([
    [{ id: 'uSyI3fA' }, {}, 'uSyI3fA'],
    [{ 'application/vnd.databricks.v1+cell': { nuid: 'n' } }, {}, 'n'],
    [{ _cell_guid: 'guid' }, {}, 'guid'],
    // The server has compared the ids of a notebook with histories.
    [{ id: 'uSyI3fA' }, { aiserver: { notebook_id: 'nb' } }, UUIDS[0]]
  ])('uses the id that another tool keeps as %j', (own, metadata, expected) => {
    const model = new NotebookModel();
    const cell = { cell_type: 'raw', id: UUIDS[0], source: '', metadata: own };
    const file = { cells: [cell], metadata, nbformat: 4, nbformat_minor: 5 };
    model.fromJSON(file as never);
    repairCellIds(model);
    expect([...model.cells][0].id).toBe(expected);
    model.dispose();
  });
});
