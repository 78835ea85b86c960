/**
 * Two windows of one notebook without a shared document: each saves over what the other wrote.
 */
import * as fc from 'fast-check';

import { Operation, operation, perform } from './tracking.deeds.fakes';
import { OpenNotebook, Page, asked, playKernel } from './tracking.fakes';

beforeAll(() => playKernel());
afterEach(() => document.body.replaceChildren());

type Rows = [string, string][];

function rows(open: OpenNotebook): Rows {
  return open.ids.map((id, index) => [id, open.sources[index]]);
}

/** The same notebook in another window, as its file is now. */
function another(open: OpenNotebook): Promise<OpenNotebook> {
  const cells = [...open.panel.content.model!.cells].map(
    ({ id, type, sharedModel }) => ({
      id,
      type,
      source: sharedModel.getSource()
    })
  );
  const { receiver } = open.page;
  return new Page(receiver).open(cells, { notebookId: open.id });
}

/** The last save, as the record has it. */
function lastSave(open: OpenNotebook): Rows | null {
  const { receiver } = open.page;
  const log = receiver.logs.get(open.id) ?? [];
  return log.at(-1)?.saved ? receiver.asOf(open.id, log.length - 1) : null;
}

async function setSource(
  open: OpenNotebook,
  index: number,
  source: string
): Promise<void> {
  open.type(index, source);
  await open.rest();
}

describe('a save over what another window wrote', () => {
  it('is recorded as what was written', async () => {
    const first = await asked();
    await first.save();
    const second = await another(first);
    await setSource(second, 0, 'a = 2');
    await second.save();
    expect(lastSave(second)).toEqual(rows(second));
    await first.save(); // of a window in which nothing was changed
    expect(lastSave(first)).toEqual(rows(first));
    expect(rows(first)[0]).toEqual(['aa', 'a = 1\nb = 2']);
    const { receiver } = first.page;
    const sources = receiver.events(first.id, 'aa').map(({ source }) => source);
    expect(sources).toContain('a = 2'); // No version is lost.
  });

  it('is recorded so where the other window had not saved', async () => {
    const first = await asked();
    await first.save();
    const second = await another(first);
    const model = await second.ask(0, 'a = 3');
    await model.accept();
    await second.rest();
    await first.save();
    expect(lastSave(first)).toEqual(rows(first));
  });

  it('is of that moment, though it was changed before the server answered', async () => {
    const first = await asked();
    await first.save();
    const second = await another(first);
    await setSource(second, 0, 'a = 2');
    await second.save();
    const saving = first.panel.context.save();
    const written = rows(first);
    await saving;
    first.type(0, 'a = 9');
    first.page.tracking.leave();
    await first.rest();
    const { receiver } = first.page;
    const log = receiver.logs.get(first.id)!;
    const at = log.map(line => line.saved).lastIndexOf(true);
    expect(receiver.asOf(first.id, at)).toEqual(written);
    expect(receiver.asOf(first.id, log.length - 1)[0]).toEqual(['aa', 'a = 9']);
  });

  it.each([1, 2, 3, 4])(
    'is recorded once it can be, where %s answers were lost',
    async lost => {
      const first = await asked();
      await first.save();
      const second = await another(first);
      await setSource(second, 0, 'a = 2');
      await second.save();
      const { receiver } = first.page;
      receiver.lost = lost;
      await setSource(first, 1, 'c = 5');
      await first.save();
      const written = rows(first);
      await setSource(first, 0, 'a = 7');
      first.page.tracking.leave();
      await first.rest();
      for (let time = 0; first.page.history.hasUnsent && time < 10; time++) {
        first.page.history.notify({ notebookId: first.id, cellId: 'cc' });
        await first.rest();
      }
      expect(first.page.history.hasUnsent).toBe(false);
      const log = receiver.logs.get(first.id)!;
      const files = log.flatMap((line, at) =>
        line.saved ? [receiver.asOf(first.id, at)] : []
      );
      expect(files).toContainEqual(written);
    }
  );

  it('leaves cells alone of which nothing is kept', async () => {
    const first = await asked();
    first.page.tracking.scope = 'ai';
    await first.rest();
    await first.save();
    const second = await another(first);
    second.page.tracking.scope = 'ai';
    await setSource(second, 0, 'a = 2');
    await setSource(second, 1, 'c = 6');
    await second.save();
    const before = first.kinds('aa').length;
    await first.save();
    expect(first.kinds('aa')).toHaveLength(before);
    expect(Object.fromEntries(lastSave(first)!).bb).toBe('c = 4');
  });

  it('is recorded as written, whatever is done in both', async () => {
    const deed = fc.tuple(operation, fc.boolean(), fc.boolean());
    await fc.assert(
      fc.asyncProperty(
        fc.array(deed, { minLength: 2, maxLength: 25 }),
        async (deeds: [Operation, boolean, boolean][]) => {
          document.body.replaceChildren();
          const first = await asked();
          await first.save();
          const windows = [first, await another(first)];
          const { id } = first;
          const saves: Rows[] = [];
          const save = async (at: number) => {
            await windows[at].save();
            saves.push(rows(windows[at]));
            expect(lastSave(windows[at])).toEqual(saves.at(-1));
          };
          for (const [done, where, saved] of deeds) {
            const at = Number(where);
            windows[at] = await perform(windows[at], done, []);
            await windows[at].rest();
            // JupyterLab can give a copy of an only cell its id; then no record tells them apart.
            fc.pre(new Set(windows[at].ids).size === windows[at].ids.length);
            if (saved) {
              await save(at);
            }
          }
          await save(0);
          await save(1);
          // What was true of a save stays true, whatever came later.
          const { receiver } = first.page;
          const log = receiver.logs.get(id)!;
          const files = log.flatMap((line, at) =>
            line.saved ? [receiver.asOf(id, at)] : []
          );
          saves.forEach(one => expect(files).toContainEqual(one));
          windows.forEach(open => open.close());
        }
      ),
      { numRuns: Number(process.env.AISERVER_RUNS ?? 8) }
    );
  }, 120_000);
});
