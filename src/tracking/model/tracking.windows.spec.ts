/**
 * One notebook in two pages, without jupyter-collaboration: a save in one overwrites the changes of
 * the other in the file.
 */
import * as fc from 'fast-check';

import { Operation, operation, perform } from './tracking.operations.fakes';
import { OpenNotebook, Page, openWithTurn, fakeKernel } from './tracking.fakes';

beforeAll(() => fakeKernel());
afterEach(() => document.body.replaceChildren());

/** `[id, source]` */
type Rows = [string, string][];

function rows(open: OpenNotebook): Rows {
  return open.ids.map((id, index) => [id, open.sources[index]]);
}

function openInSecondPage(open: OpenNotebook): Promise<OpenNotebook> {
  const cells = [...open.panel.content.model!.cells].map(
    ({ id, type, sharedModel }) => ({
      id,
      type,
      source: sharedModel.getSource()
    })
  );
  const { server } = open.page;
  return new Page(server).open(cells, { notebookId: open.id });
}

function lastSave(open: OpenNotebook): Rows | null {
  const { server } = open.page;
  const log = server.logs.get(open.id) ?? [];
  return log.at(-1)?.saved ? server.snapshot(open.id, log.length - 1) : null;
}

async function setSource(
  open: OpenNotebook,
  index: number,
  source: string
): Promise<void> {
  open.type(index, source);
  await open.settle();
}

describe('a save over changes of another page', () => {
  it('is recorded as of the save, despite changes before the server responds', async () => {
    const first = await openWithTurn();
    await first.save();
    const second = await openInSecondPage(first);
    await setSource(second, 0, 'a = 2');
    await second.save();
    const saving = first.panel.context.save();
    const written = rows(first);
    await saving;
    first.type(0, 'a = 9');
    first.page.tracking.captureAll();
    await first.settle();
    const { server } = first.page;
    const log = server.logs.get(first.id)!;
    const at = log.map(entry => entry.saved).lastIndexOf(true);
    expect(server.snapshot(first.id, at)).toEqual(written);
    expect(server.snapshot(first.id, log.length - 1)[0]).toEqual([
      'aa',
      'a = 9'
    ]);
  });

  it.each([1, 2, 3, 4])('is recorded after %s lost responses', async count => {
    const first = await openWithTurn();
    await first.save();
    const second = await openInSecondPage(first);
    await setSource(second, 0, 'a = 2');
    await second.save();
    const { server } = first.page;
    server.lostResponses = count;
    await setSource(first, 1, 'c = 5');
    await first.save();
    const written = rows(first);
    await setSource(first, 0, 'a = 7');
    first.page.tracking.captureAll();
    await first.settle();
    for (let round = 0; first.page.history.hasUnsent && round < 10; round++) {
      first.page.history.notify({ notebookId: first.id, cellId: 'cc' });
      await first.settle();
    }
    expect(first.page.history.hasUnsent).toBe(false);
    const log = server.logs.get(first.id)!;
    const files = log.flatMap((entry, at) =>
      entry.saved ? [server.snapshot(first.id, at)] : []
    );
    expect(files).toContainEqual(written);
  });

  it('ignores cells without a session', async () => {
    const first = await openWithTurn();
    first.page.tracking.scope = 'ai';
    await first.settle();
    await first.save();
    const second = await openInSecondPage(first);
    second.page.tracking.scope = 'ai';
    await setSource(second, 0, 'a = 2');
    await setSource(second, 1, 'c = 6');
    await second.save();
    const before = first.kinds('aa').length;
    await first.save();
    expect(first.kinds('aa')).toHaveLength(before);
    expect(Object.fromEntries(lastSave(first)!).bb).toBe('c = 4');
  });

  it('is recorded with the written state after random operations in both', async () => {
    const targetedOperation = fc.tuple(operation, fc.boolean(), fc.boolean());
    await fc.assert(
      fc.asyncProperty(
        fc.array(targetedOperation, { minLength: 2, maxLength: 25 }),
        async (operations: [Operation, boolean, boolean][]) => {
          document.body.replaceChildren();
          const first = await openWithTurn();
          await first.save();
          const notebooks = [first, await openInSecondPage(first)];
          const { id } = first;
          const saves: Rows[] = [];
          const save = async (at: number) => {
            await notebooks[at].save();
            saves.push(rows(notebooks[at]));
            expect(lastSave(notebooks[at])).toEqual(saves.at(-1));
          };
          for (const [action, inSecond, isSaved] of operations) {
            const at = Number(inSecond);
            notebooks[at] = await perform(notebooks[at], action, []);
            await notebooks[at].settle();
            // JupyterLab may give the copy of the only cell the same id, which is then ambiguous.
            fc.pre(
              new Set(notebooks[at].ids).size === notebooks[at].ids.length
            );
            if (isSaved) {
              await save(at);
            }
          }
          await save(0);
          await save(1);
          // Later changes don't alter the state of a save.
          const { server } = first.page;
          const log = server.logs.get(id)!;
          const files = log.flatMap((entry, at) =>
            entry.saved ? [server.snapshot(id, at)] : []
          );
          saves.forEach(save => expect(files).toContainEqual(save));
          notebooks.forEach(open => open.close());
        }
      ),
      { numRuns: Number(process.env.AISERVER_RUNS ?? 8) }
    );
  }, 120_000);
});
