/**
 * Any sequence of what people do to a notebook, on JupyterLab's own models.
 */
import { NotebookActions } from '@jupyterlab/notebook';
import * as fc from 'fast-check';

import type { ICellModel } from '@jupyterlab/cells';
import { OpenNotebook, Page, playKernel } from './tracking.fakes';
import { held } from './tracking.receiver.fakes';

beforeAll(() => playKernel());
afterEach(() => document.body.replaceChildren());

const TEXTS = [
  '',
  'x = 1',
  'x = 1\n\ny = 2',
  '\nprint("你好 📈")\n',
  'raise ValueError',
  'a\n\n\nb\r\n\tc  ',
  '%%bash\necho 1\n'
];

type Operation =
  | { do: 'type'; at: number; text: string }
  | { do: 'run' | 'delete' | 'copy' | 'cut' | 'merge'; at: number; to: number }
  | { do: 'move'; at: number; down: boolean }
  | { do: 'split'; at: number; offset: number }
  | { do: 'retype'; at: number; kind: 'code' | 'markdown' | 'raw' }
  | { do: 'generate'; at: number; text: string; accept: boolean }
  | { do: 'paste' | 'insert' | 'duplicate'; at: number }
  | { do: 'undo' | 'redo' | 'save' | 'leave' | 'reopen' };

const at = fc.nat(9);
const text = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'grapheme', maxLength: 12 })
);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('type' as const), at, text })
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...(['run', 'delete', 'copy', 'cut', 'merge'] as const)
      ),
      at,
      to: fc.nat(2)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      at,
      down: fc.boolean()
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('split' as const),
      at,
      offset: fc.nat(20)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('retype' as const),
      at,
      kind: fc.constantFrom(
        'code' as const,
        'markdown' as const,
        'raw' as const
      )
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('generate' as const),
      at,
      text,
      accept: fc.boolean()
    })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(...(['paste', 'insert', 'duplicate'] as const)),
      at
    })
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...(['undo', 'undo', 'redo', 'save', 'leave', 'reopen'] as const)
      )
    })
  }
);

/** What was on view, and where: `[cell, source]`. */
type Shown = Set<string>;

function look(open: OpenNotebook, shown: Shown): void {
  open.ids.forEach((id, index) =>
    shown.add(JSON.stringify([id, open.sources[index]]))
  );
}

async function perform(
  open: OpenNotebook,
  operation: Operation,
  answers: [string, string][]
): Promise<OpenNotebook> {
  const { content } = open.panel;
  const count = content.widgets.length;
  const index = 'at' in operation ? operation.at % count : 0;
  switch (operation.do) {
    case 'type':
      open.type(index, operation.text);
      break;
    case 'run':
      await open.run(index, Math.min(count - 1, index + operation.to));
      break;
    case 'delete':
    case 'copy':
    case 'cut':
    case 'merge':
      open.select(index, Math.min(count - 1, index + operation.to));
      ({
        delete: NotebookActions.deleteCells,
        copy: NotebookActions.copy,
        cut: NotebookActions.cut,
        merge: NotebookActions.mergeCells
      })[operation.do](content);
      break;
    case 'move':
      open.select(index);
      NotebookActions[operation.down ? 'moveDown' : 'moveUp'](content);
      break;
    case 'split':
      open.cursor(
        index,
        Math.min(operation.offset, open.sources[index].length)
      );
      NotebookActions.splitCell(content);
      break;
    case 'retype':
      open.select(index);
      NotebookActions.changeCellType(content, operation.kind);
      break;
    case 'generate': {
      const id = open.ids[index];
      const model = await open.ask(index, operation.text);
      answers.push([id, operation.text]);
      if (operation.accept) {
        await model.accept();
      } else {
        await model.reject();
      }
      break;
    }
    case 'paste':
      open.select(index);
      NotebookActions.paste(content);
      break;
    case 'duplicate':
      open.select(index);
      NotebookActions.duplicate(content);
      break;
    case 'insert':
      open.select(index);
      NotebookActions.insertBelow(content);
      break;
    case 'undo':
    case 'redo':
      NotebookActions[operation.do](content);
      break;
    case 'save':
      await open.save();
      break;
    case 'leave':
      open.page.tracking.leave();
      break;
    case 'reopen': {
      await open.save();
      const cells = [...content.model!.cells].map((cell: ICellModel) => ({
        id: cell.id,
        type: cell.type,
        source: cell.sharedModel.getSource()
      }));
      const notebookId = open.id;
      const { receiver } = open.page;
      open.close();
      await open.rest();
      return new Page(receiver).open(cells, { notebookId });
    }
  }
  await open.rest();
  return open;
}

/** Operations that note what is on view before they do anything. */
const NOTES: readonly string[] = ['run', 'generate', 'save', 'leave', 'reopen'];

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
  const files = marked.map(at => asOf(at));
  for (const save of saves) {
    expect(files).toContainEqual([...save]);
  }
  open.close();

  function asOf(end: number): [string, string][] {
    const lines = log.slice(0, end + 1);
    const order = lines.filter(line => line.order).at(-1)!.order!;
    return order.map(id => {
      const seq = lines.filter(line => id in line.cells).at(-1)?.cells[id];
      const session = receiver.session(notebookId, id);
      const records = session?.records ?? [];
      const next = log.slice(end + 1).find(line => id in line.cells);
      const until = next ? (seq ?? 0) : Infinity;
      // What no line names (a turn, an accept) lies before it if nothing of the cell comes after.
      return [id, held(records.filter(one => one.seq <= until)) ?? ''];
    });
  }
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
