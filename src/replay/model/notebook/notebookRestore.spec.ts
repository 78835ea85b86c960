/** P58: a whole notebook is restored as of a moment, with JupyterLab's models and a real server. */
import type { YNotebook } from '@jupyter/ydoc';
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookContent } from '@jupyterlab/nbformat';
import { NotebookActions } from '@jupyterlab/notebook';
import * as fc from 'fast-check';

import type { NotebookSnapshot, Timeline } from '../../../api/types';
import {
  OpenNotebook,
  Page,
  openSaved
} from '../../../tracking/model/tracking.fakes';
import {
  type JupyterServer,
  serverForTests
} from '../../../tracking/model/tracking.jupyter.fakes';
import {
  operation,
  perform
} from '../../../tracking/model/tracking.operations.fakes';
import { type INotebookPlan, NotebookRestore } from './notebookRestore';

type Open = OpenNotebook<JupyterServer>;

// The first request loads the server.
jest.setTimeout(60_000);

const CELLS = [
  { id: 'aa', source: 'a = 1' },
  { id: 'bb', source: 'b = 2' },
  { id: 'cc', type: 'markdown', source: '# Title' },
  { id: 'dd', source: 'd = 4' }
];

const server = serverForTests();

const shared = ({ panel }: Open) =>
  panel.context.model.sharedModel as YNotebook;
const contentOf = (open: Open) =>
  shared(open).toJSON() as unknown as INotebookContent;
const cellsOf = (open: Open) =>
  contentOf(open).cells.map(({ id, cell_type, source }) => [
    id,
    cell_type,
    source
  ]);
const cellsIn = ({ cells }: NotebookSnapshot) =>
  cells.map(({ cellId, type, source }) => [cellId, type, source]);

function restoreOf(open: Open, opened: string[] = []): NotebookRestore {
  const { identity, history, tracking } = open.page;
  return new NotebookRestore({
    ...{ identity, history, tracking },
    current: () => open.panel,
    contents: server.contents,
    open: async path => void opened.push(path)
  });
}

const timelineOf = (open: Open): Promise<Timeline> =>
  server.api.timeline(open.id);

/** Return the notebook after a moment; by default, after the last one. */
async function snapshotOf(open: Open, index = -1): Promise<NotebookSnapshot> {
  const { moments, version } = await timelineOf(open);
  return server.api.moment(open.id, moments.at(index)!.index, version);
}

async function planOf(
  open: Open,
  snapshot: NotebookSnapshot
): Promise<INotebookPlan> {
  const { cells } = await timelineOf(open);
  const hasHistory = (id: string) =>
    cells.some(({ cellId, steps }) => cellId === id && steps);
  return (await restoreOf(open).plan(open.id, snapshot, hasHistory))!;
}

const setup = () => openSaved(new Page(server), CELLS);

/** Change a cell, delete one, add one and move one. */
async function change(open: Open): Promise<void> {
  open.type(0, 'a = 100');
  await open.settle();
  open.select(1);
  NotebookActions.deleteCells(open.panel.content);
  await open.settle();
  shared(open).insertCell(0, { cell_type: 'code', source: 'new = 0' });
  await open.settle();
  shared(open).moveCell(3, 1);
  await open.settle();
  await open.save();
}

it('restores in place, with outputs, in one undo step and one change (P58)', async () => {
  const open = await setup();
  const before = contentOf(open);
  const snapshot = await snapshotOf(open);
  await change(open);
  const changed = contentOf(open);
  const { moments: oldMoments } = await timelineOf(open);

  const plan = await planOf(open, snapshot);
  expect(plan.counts).toEqual({
    changed: 1,
    returned: 1,
    removed: 1,
    moved: 1
  });
  expect(await restoreOf(open).restoreHere(plan)).toBeNull();
  await open.settle();
  expect(cellsOf(open)).toEqual(cellsIn(snapshot));
  const { cells } = contentOf(open);
  expect(cells.map(cell => cell.outputs)).toEqual(
    before.cells.map(cell => cell.outputs)
  );

  const { moments, cells: recorded } = await timelineOf(open);
  expect(moments).toHaveLength(oldMoments.length + 1);
  expect(moments.at(-1)).toMatchObject({
    author: 'person',
    restoredTo: snapshot.timestamp
  });
  expect(recorded.filter(cell => cell.deleted)).toMatchObject([
    { firstLine: 'new = 0' }
  ]);
  const last = await snapshotOf(open);
  expect(cellsIn(last)).toEqual(cellsIn(snapshot));

  shared(open).undo();
  await open.settle();
  expect(contentOf(open)).toEqual(changed);
  const again = await planOf(open, last);
  expect(await restoreOf(open).restoreHere(again)).toBeNull();
  expect(cellsOf(open)).toEqual(cellsIn(snapshot));
});

it('refuses a running cell, a read-only notebook, and one that has changed', async () => {
  const open = await setup();
  const snapshot = await snapshotOf(open);
  await change(open);
  const changed = contentOf(open);
  const restore = restoreOf(open);
  const plan = await planOf(open, snapshot);
  const model = open.panel.content.widgets[0].model as ICodeCellModel;
  model.executionState = 'running';
  expect(await restore.restoreHere(plan)).toBe('running');
  model.executionState = 'idle';
  const last = open.ids.indexOf('aa');
  for (const [index, key] of [
    [0, 'deletable'],
    [last, 'editable']
  ] as const) {
    shared(open).cells[index].setMetadata(key, false);
    expect(await restore.restoreHere(plan)).toBe('readOnly');
    shared(open).cells[index].deleteMetadata(key);
  }
  expect(contentOf(open).cells.map(({ source }) => source)).toEqual(
    changed.cells.map(({ source }) => source)
  );
  const isPlanned = (id: string) =>
    plan.operations.some(({ cell }) => cell === id);
  const other = open.ids.findIndex(id => !isPlanned(id));
  const source = open.sources[other];
  open.type(other, 'more');
  expect(await restore.restoreHere(plan)).toBe('changed');
  open.type(other, source);
  open.type(last, 'a = 101');
  expect(await restore.restoreHere(plan)).toBe('changed');
  expect(open.sources[last]).toBe('a = 101');
  open.close();
  expect(await restore.restoreHere(plan)).toBe('changed');
});

it('writes copies that replace nothing and get ids and histories of their own', async () => {
  const open = await setup();
  const snapshot = await snapshotOf(open);
  await change(open);
  const changed = contentOf(open);
  const opened: string[] = [];
  const restore = restoreOf(open, opened);
  const plan = await planOf(open, snapshot);
  await restore.restoreCopy(plan);
  await restore.restoreCopy(plan);
  const name = open.panel.context.path.replace(/\.ipynb$/, '');
  const time = String.raw`\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d`;
  expect(opened).toEqual([
    expect.stringMatching(
      new RegExp(`^${name} \\(restored ${time}\\)\\.ipynb$`)
    ),
    expect.stringMatching(new RegExp(`\\(restored ${time} 2\\)\\.ipynb$`))
  ]);
  expect(contentOf(open)).toEqual(changed);
  const copy = await new Page(server).openPath(opened[0]);
  expect(cellsOf(copy)).toEqual(cellsIn(snapshot));
  expect(copy.id).not.toBe(open.id);
  const { steps } = await server.api.replay({
    notebookId: copy.id,
    cellId: 'bb'
  });
  expect(steps.map(({ kind }) => kind)).toContain('turn');
});

it('keeps a key in a cell for which the history has a mark', async () => {
  const open = await setup();
  const key = `sk-proj-${'a1B2c3D4'.repeat(6)}`;
  open.type(0, `key = "${key}"\na = 1`);
  await open.save();
  const snapshot = await snapshotOf(open);
  expect(cellsIn(snapshot)[0][2]).toMatch(/‹redacted:/);
  open.type(1, 'b = 3');
  await open.save();
  const plan = await planOf(open, snapshot);
  expect(plan.counts).toMatchObject({ changed: 1 });
  await restoreOf(open).restoreHere(plan);
  expect(open.sources.slice(0, 2)).toEqual([`key = "${key}"\na = 1`, 'c = 4']);
  open.type(0, `a = 2\nkey = "${key}"`);
  await restoreOf(open).restoreHere(await planOf(open, snapshot));
  expect(open.sources[0]).toBe(`key = "${key}"\na = 1`);
});

it('empties a cell that had no code yet', async () => {
  const open = await setup();
  shared(open).insertCell(0, { cell_type: 'code', id: 'new' });
  await open.settle();
  open.type(1, 'a = 2');
  await open.save();
  const snapshot = await snapshotOf(open);
  expect(snapshot.cells[0]).toMatchObject({ cellId: 'new', step: null });
  open.type(0, 'late = 1');
  await open.save();
  await restoreOf(open).restoreHere(await planOf(open, snapshot));
  expect(open.sources[0]).toBe('');
});

it('restores any moment after random operations, and undoes it exactly', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: 4, maxLength: 8 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      async (operations, fraction) => {
        let open = await setup();
        for (const item of operations) {
          open = await perform(open, item, []);
        }
        await open.save();
        const { moments } = await timelineOf(open);
        const index = Math.floor(fraction * moments.length);
        const snapshot = await snapshotOf(open, index);
        const before = contentOf(open);
        const plan = await planOf(open, snapshot);
        expect(await restoreOf(open).restoreHere(plan)).toBeNull();
        await open.settle();
        const wanted = cellsIn(snapshot).filter(([, , source]) => source);
        const actual = cellsOf(open).filter(([, , source]) => source);
        expect(actual).toEqual(wanted);
        expect(
          cellsIn(await snapshotOf(open)).filter(([, , source]) => source)
        ).toEqual(wanted);
        if (plan.operations.length) {
          expect((await timelineOf(open)).moments).toHaveLength(
            moments.length + 1
          );
          shared(open).undo();
          await open.settle();
          expect(contentOf(open).cells).toEqual(before.cells);
        }
        open.close();
      }
    ),
    { numRuns: 25 }
  );
}, 300_000);
