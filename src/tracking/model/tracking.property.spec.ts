/** Random operations on a notebook, with JupyterLab's own models. */
import * as fc from 'fast-check';

import {
  CAPTURING_OPERATIONS,
  Operation,
  operation,
  perform
} from './tracking.operations.fakes';
import { OpenNotebook, Page, fakeKernel } from './tracking.fakes';
import { lastSource } from './tracking.server.fakes';

beforeAll(() => fakeKernel());
afterEach(() => document.body.replaceChildren());

/** Sources that were displayed, each as JSON of `[cell id, source]`. */
type Shown = Set<string>;

function addShown(open: OpenNotebook, shown: Shown): void {
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
  await model.decision.accept();
  await open.settle();
  const { server } = open.page;
  const notebookId = open.id;
  const shown: Shown = new Set();
  const allShown: Shown = new Set();
  const saves: Map<string, string>[] = [];
  addShown(open, shown);

  for (const operation of operations) {
    const before = open.ids.join();
    addShown(open, allShown);
    if (CAPTURING_OPERATIONS.includes(operation.do)) {
      addShown(open, shown);
    }
    const earlier = open.ids.map((id, at) => [id, open.sources[at]]);
    open = await perform(open, operation, answers);
    addShown(open, allShown);
    if (open.ids.join() !== before) {
      // If cells were inserted, deleted or moved, the sources before and after are recorded.
      earlier.forEach(pair => shown.add(JSON.stringify(pair)));
      addShown(open, shown);
    }
    if (operation.do === 'save' || operation.do === 'reopen') {
      saves.push(new Map(open.ids.map((id, at) => [id, open.sources[at]])));
    }
  }
  await open.save();
  saves.push(new Map(open.ids.map((id, at) => [id, open.sources[at]])));
  addShown(open, shown);

  verifySessions(server, notebookId, answers, shown);
  verifyOwners(server, allShown);
  // The last recorded sources are the current ones.
  open.ids.forEach((id, index) => {
    const session = server.session(notebookId, id);
    expect(session ? lastSource(session.records) : '').toBe(
      open.sources[index]
    );
  });
  // Each save can be reconstructed.
  const log = server.logs.get(notebookId)!;
  const marked = log.flatMap((entry, at) => (entry.saved ? [at] : []));
  const files = marked.map(at => server.snapshot(notebookId, at));
  for (const save of saves) {
    expect(files).toContainEqual([...save]);
  }
  open.close();
}

function verifySessions(
  server: Page['server'],
  notebookId: string,
  answers: readonly [string, string][],
  shown: Shown
): void {
  // No turn is lost.
  for (const [cellId, suggestion] of answers) {
    const { records } = server.session(notebookId, cellId)!;
    expect(
      records.some(record => record.ai_response?.suggestion === suggestion)
    ).toBe(true);
  }
  // Every source that had to be recorded is recorded exactly.
  for (const pair of shown) {
    const [cellId, source] = JSON.parse(pair);
    const session = server.session(notebookId, cellId);
    const sources = (session?.records ?? []).flatMap(record => [
      record.source,
      record.user_request?.current_code,
      record.ai_response?.suggestion
    ]);
    expect(session ? sources.includes(source) || !source : !source).toBe(true);
  }
}

/** Cells share no events except inherited ones. Each recorded source was displayed in its cell. */
function verifyOwners(server: Page['server'], allShown: Shown): void {
  const owners = new Map<string, string>();
  for (const [name, { records, forkedFrom }] of server.sessions) {
    const cellId = name.split('/')[1];
    const origin =
      forkedFrom && server.session(forkedFrom.notebookId, forkedFrom.cellId)!;
    for (const { id, type, source } of records) {
      const isInherited = origin?.records.some(
        record => id && record.id === id
      );
      if (!type || !id || isInherited) {
        continue;
      }
      expect(owners.get(id) ?? name).toBe(name);
      owners.set(id, name);
      if (typeof source === 'string' && type !== 'reject') {
        expect(allShown).toContain(JSON.stringify([cellId, source]));
      }
    }
  }
}

/** After a cut, JupyterLab duplicates a cell with its id. */
const DUPLICATED_AFTER_CUT: Operation[][] = [
  [
    { do: 'cut', at: 0, to: 0 },
    { do: 'duplicate', at: 0 },
    { do: 'split', at: 4, offset: 1 },
    { do: 'run', at: 0, to: 0 }
  ],
  [
    { do: 'cut', at: 0, to: 0 },
    { do: 'duplicate', at: 0 },
    { do: 'reopen' },
    { do: 'split', at: 0, offset: 0 }
  ]
];

describe('random operations on a notebook', () => {
  it.each([
    ['undo is per cell', false],
    ['undo is document-wide', true]
  ])(
    'keep its history complete if %s',
    async (_, documentWideUndo) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(operation, { minLength: 1, maxLength: 25 }),
          async operations => {
            document.body.replaceChildren();
            await check(operations, documentWideUndo);
          }
        ),
        {
          numRuns: Number(process.env.AISERVER_RUNS ?? 8),
          examples: DUPLICATED_AFTER_CUT.map(operations => [operations])
        }
      );
    },
    120_000
  );
});
