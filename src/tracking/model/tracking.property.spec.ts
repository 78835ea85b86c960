/**
 * Any sequence of what people do to a notebook, on JupyterLab's own models.
 */
import * as fc from 'fast-check';

import { NOTES, Operation, operation, perform } from './tracking.deeds.fakes';
import { OpenNotebook, Page, playKernel } from './tracking.fakes';
import { held } from './tracking.receiver.fakes';

beforeAll(() => playKernel());
afterEach(() => document.body.replaceChildren());

/** What was on view, and where: `[cell, source]`. */
type Shown = Set<string>;

function look(open: OpenNotebook, shown: Shown): void {
  open.ids.forEach((id, index) =>
    shown.add(JSON.stringify([id, open.sources[index]]))
  );
}

async function check(operations: Operation[], documentWideUndo: boolean) {
  let open = await new Page().open(
    [
      { id: 'aa', source: 'a = 1\nb = 2' },
      { id: 'bb', source: 'c = 3' },
      { id: 'cc', type: 'markdown', source: '# 标题\n\ntext' },
      { id: 'dd', source: '' }
    ],
    { documentWideUndo }
  );
  const answers: [string, string][] = [['bb', 'c = 4']];
  const model = await open.ask(1, 'c = 4');
  await model.accept();
  await open.rest();
  const { receiver } = open.page;
  const notebookId = open.id;
  const shown: Shown = new Set();
  const ever: Shown = new Set();
  const saves: Map<string, string>[] = [];
  look(open, shown);

  for (const one of operations) {
    const before = open.ids.join();
    look(open, ever);
    if (NOTES.includes(one.do)) {
      look(open, shown);
    }
    const earlier = open.ids.map((id, at) => [id, open.sources[at]]);
    open = await perform(open, one, answers);
    look(open, ever);
    if (open.ids.join() !== before) {
      // Cells came, went or moved: both moments are noted.
      earlier.forEach(pair => shown.add(JSON.stringify(pair)));
      look(open, shown);
    }
    if (one.do === 'save' || one.do === 'reopen') {
      saves.push(new Map(open.ids.map((id, at) => [id, open.sources[at]])));
    }
  }
  await open.save();
  saves.push(new Map(open.ids.map((id, at) => [id, open.sources[at]])));
  look(open, shown);

  // No turn is lost.
  for (const [cellId, suggestion] of answers) {
    const { records } = receiver.session(notebookId, cellId)!;
    expect(
      records.some(one => one.ai_response?.suggestion === suggestion)
    ).toBe(true);
  }
  // Every source ever shown is in the record, byte for byte.
  for (const pair of shown) {
    const [cellId, source] = JSON.parse(pair);
    const session = receiver.session(notebookId, cellId);
    const known = (session?.records ?? []).flatMap(one => [
      one.source,
      one.user_request?.current_code,
      one.ai_response?.suggestion
    ]);
    expect(session ? known.includes(source) || !source : !source).toBe(true);
  }
  // No two cells share a history: what a cell's own events say was in that cell.
  const owners = new Map<string, string>();
  for (const [name, { records, forkedFrom }] of receiver.sessions) {
    const cellId = name.split('/')[1];
    const origin =
      forkedFrom && receiver.session(forkedFrom.notebookId, forkedFrom.cellId)!;
    for (const { id, type, source } of records) {
      const isInherited = origin?.records.some(one => id && one.id === id);
      if (!type || !id || isInherited) {
        continue;
      }
      expect(owners.get(id) ?? name).toBe(name);
      owners.set(id, name);
      if (typeof source === 'string' && type !== 'reject') {
        expect(ever).toContain(JSON.stringify([cellId, source]));
      }
    }
  }
  // The record says last what the cells hold.
  open.ids.forEach((id, index) => {
    const session = receiver.session(notebookId, id);
    expect(session ? held(session.records) : '').toBe(open.sources[index]);
  });
  // Each save can be told from the record as it was.
  const log = receiver.logs.get(notebookId)!;
  const marked = log.flatMap((line, at) => (line.saved ? [at] : []));
  const files = marked.map(at => receiver.asOf(notebookId, at));
  for (const save of saves) {
    expect(files).toContainEqual([...save]);
  }
  open.close();
}

describe('whatever is done to a notebook', () => {
  it.each([
    ['each cell undoes for itself', false],
    ['undo goes over the whole document', true]
  ])(
    'its history is whole, where %s',
    async (_, documentWideUndo) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(operation, { minLength: 1, maxLength: 25 }),
          async operations => {
            document.body.replaceChildren();
            await check(operations, documentWideUndo);
          }
        ),
        { numRuns: Number(process.env.AISERVER_RUNS ?? 8) }
      );
    },
    120_000
  );
});
