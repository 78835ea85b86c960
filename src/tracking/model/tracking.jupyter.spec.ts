/**
 * Random operations with JupyterLab's own models and a real Jupyter server, including renames,
 * duplicates and restarts.
 */
import { NotebookActions } from '@jupyterlab/notebook';
import { dangerDialog } from '@jupyterlab/testing';
import * as fc from 'fast-check';

import { request } from '../../api/request';
import type { Session, Step } from '../../api/types';
import { Operation, operation, perform } from './tracking.operations.fakes';
import { OpenNotebook, Page } from './tracking.fakes';
import { type JupyterServer, serverForTests } from './tracking.jupyter.fakes';

type Open = OpenNotebook<JupyterServer>;
type Row = [id: string, type: string, source: string];

const server = serverForTests();

type FileOperation = { do: 'rename' | 'duplicate' | 'restart' };
/** The notebook may be saved afterwards. */
type TargetedOperation = (Operation | FileOperation) & {
  in: number;
  isSaved: boolean;
};

const targetedOperation: fc.Arbitrary<TargetedOperation> = fc
  .tuple(
    fc.oneof(
      { weight: 20, arbitrary: operation },
      {
        weight: 3,
        arbitrary: fc.record<FileOperation>({
          do: fc.constantFrom('rename', 'duplicate', 'restart')
        })
      }
    ),
    fc.nat(3),
    fc.boolean()
  )
  .map(([operation, index, isSaved]) => ({ ...operation, in: index, isSaved }));

/** After a cut, JupyterLab duplicates a cell with its id. */
const DUPLICATED_AFTER_CUT = (
  [
    { do: 'cut', at: 0, to: 0 },
    { do: 'duplicate', at: 0 },
    { do: 'reopen' },
    { do: 'split', at: 0, offset: 0 }
  ] as Operation[]
).map(operation => ({ ...operation, in: 0, isSaved: false }));

class Expected {
  /** Must be recorded: JSON of `[cell id, source]`. */
  readonly shown = new Set<string>();
  /** The state at each save, as JSON. */
  readonly saves: string[] = [];
  /** Each with the id of its cell. */
  readonly answers: [cellId: string, code: string][] = [];
  /** Only for a duplicate: the last seq of each session when it was made, by cell id. */
  readonly inherited = new Map<string, number>();

  addShown(shown: Row[]): void {
    shown.forEach(([id, , source]) =>
      this.shown.add(JSON.stringify([id, source]))
    );
  }
}

function rows(open: Open): Row[] {
  return [...open.panel.content.model!.cells].map(
    ({ id, type, sharedModel }) => [id, type, sharedModel.getSource()]
  );
}

async function json<T>(path: string): Promise<T> {
  return (await request(server.settings, path)).json();
}

function sessionOf(notebookId: string, cellId: string): Promise<Session> {
  return json<Session>(`sessions/${notebookId}/${cellId}`);
}

/** Return the seq of the last record that a cell's session has inherited. */
function lastInherited(
  events: NonNullable<Session['events']>,
  cellId: string,
  inherited: number
): number {
  const origins = events.filter(
    ({ type, data }) =>
      type === 'copy' || (type === 'split' && data?.from !== cellId)
  );
  return Math.max(inherited, (origins.at(-1)?.seq ?? 1) - 1);
}

let counter = 0;

/** A notebook and its duplicates. */
class Workspace {
  readonly open: { notebook: Open; expected: Expected }[] = [];

  async begin(documentWideUndo = false): Promise<void> {
    const notebook = await new Page(server).open(
      [
        { id: 'aa', source: 'a = 1\nb = 2' },
        { id: 'bb', source: 'c = 3' },
        { id: 'cc', type: 'markdown', source: '# 标题\n\ntext' }
      ],
      { documentWideUndo }
    );
    const expected = new Expected();
    expected.answers.push(['bb', 'c = 4']);
    const model = await notebook.ask(1, 'c = 4');
    await model.decision.accept();
    this.open.push({ notebook, expected });
    await this.save(0);
  }

  async act({
    in: target,
    isSaved,
    ...operation
  }: TargetedOperation): Promise<void> {
    const index = target % this.open.length;
    const { notebook, expected } = this.open[index];
    switch (operation.do) {
      case 'rename':
        await this.save(index);
        await notebook.panel.context.rename(`名 ${++counter}.ipynb`);
        await notebook.settle();
        break;
      case 'duplicate':
        await this.save(index);
        await this._duplicate(index);
        break;
      case 'restart':
        await server.kill();
        // Edits while the server is down wait in the queue.
        notebook.type(0, `offline = ${++counter}`);
        notebook.page.tracking.captureAll();
        expected.addShown(rows(notebook));
        await notebook.settle();
        await server.begin();
        await this.save(index);
        break;
      case 'reopen':
        await this.save(index);
        this.open[index].notebook = await notebook.reopen();
        break;
      default: {
        const id = 'at' in operation ? this._cell(notebook, operation.at) : '';
        const answer =
          operation.do === 'generate' ? `answer = ${++counter}` : '';
        const performed = answer ? { ...operation, text: answer } : operation;
        const before = rows(notebook);
        await perform(notebook, performed as Operation, []);
        if (answer) {
          expected.answers.push([id, answer]);
        }
        const after = rows(notebook);
        if (`${before.map(([id]) => id)}` !== `${after.map(([id]) => id)}`) {
          // If cells come, go or move, both lists are recorded.
          expected.addShown(before);
          expected.addShown(after);
        }
        if (isSaved) {
          await this.save(index);
        }
      }
    }
  }

  /** Save a notebook and remember its state. */
  async save(index: number): Promise<void> {
    const { notebook, expected } = this.open[index];
    await notebook.settle();
    await notebook.save();
    expected.addShown(rows(notebook));
    expected.saves.push(JSON.stringify(rows(notebook)));
  }

  private _cell(notebook: Open, at: number): string {
    return notebook.ids[at % notebook.ids.length];
  }

  /** Copy the file, as JupyterLab does, and open it in another page. */
  private async _duplicate(index: number): Promise<void> {
    if (this.open.length > 2) {
      return;
    }
    const { notebook, expected } = this.open[index];
    const { path } = await server.contents.copy(
      notebook.panel.context.path,
      ''
    );
    const duplicate = await new Page(server).openPath(path);
    expect(duplicate.id).not.toBe(notebook.id);
    const inherited = new Expected();
    expected.answers.forEach(item => inherited.answers.push(item));
    expected.shown.forEach(item => inherited.shown.add(item));
    for (const { cellId } of await duplicate.page.history.api.sessions(
      duplicate.id
    )) {
      const { events } = await sessionOf(duplicate.id, cellId);
      inherited.inherited.set(cellId, events?.at(-1)?.seq ?? 0);
    }
    this.open.push({ notebook: duplicate, expected: inherited });
    await this.save(this.open.length - 1);
  }
}

async function check(
  operations: TargetedOperation[],
  documentWideUndo: boolean,
  onOperation: (name: string) => void
) {
  const workspace = new Workspace();
  await workspace.begin(documentWideUndo);
  for (const operation of operations) {
    onOperation(operation.do);
    await workspace.act(operation);
  }
  const owners = new Map<string, string>();
  for (const [index, { notebook, expected }] of workspace.open.entries()) {
    await workspace.save(index);
    expect(notebook.page.history.hasUnsent).toBe(false);
    await verify(notebook, expected, owners);
  }
  workspace.open.forEach(({ notebook }) => notebook.close());
}

async function verify(
  notebook: Open,
  expected: Expected,
  owners: Map<string, string>
): Promise<void> {
  const { id } = notebook;
  const summaries = await notebook.page.history.api.sessions(id);
  const sessions = new Map<string, Session>();
  for (const { cellId } of summaries) {
    sessions.set(cellId, await sessionOf(id, cellId));
  }
  verifyAnswers(sessions, expected);
  await verifySources(id, [...sessions.keys()], expected);
  verifyOwners(id, sessions, expected, owners);
  await verifySaves(notebook, expected);
}

/** No turn is lost. */
function verifyAnswers(
  sessions: ReadonlyMap<string, Session>,
  expected: Expected
): void {
  for (const [cellId, code] of expected.answers) {
    const turns = sessions.get(cellId)?.interactions ?? [];
    // In Markdown and bash cells, the code may be part of the explanation.
    const answers = turns
      .map(({ ai_response: { suggestion, explanation } }) => [
        suggestion,
        explanation
      ])
      .join('\n');
    expect(`${cellId}: ${answers}`).toContain(code);
  }
}

/** Every displayed source can be restored exactly. */
async function verifySources(
  id: string,
  cellIds: readonly string[],
  expected: Expected
): Promise<void> {
  const codes = new Map<string, Set<string>>();
  for (const cellId of cellIds) {
    const { steps } = await json<{ steps: Step[] }>(
      `sessions/${id}/${cellId}/replay`
    );
    const sources = steps.flatMap(({ code, before }) => [code, before]);
    codes.set(cellId, new Set(sources));
  }
  for (const pair of expected.shown) {
    const [cellId, source] = JSON.parse(pair) as [string, string];
    const sources = codes.get(cellId) ?? new Set();
    expect([cellId, source, sources.has(source) || !source]).toEqual([
      cellId,
      source,
      true
    ]);
  }
}

/** No two cells share an event, except inherited ones. */
function verifyOwners(
  id: string,
  sessions: ReadonlyMap<string, Session>,
  expected: Expected,
  owners: Map<string, string>
): void {
  for (const [cellId, session] of sessions) {
    const events = session.events ?? [];
    const name = `${id}/${cellId}`;
    const first = lastInherited(
      events,
      cellId,
      expected.inherited.get(cellId) ?? 0
    );
    for (const event of events.filter(({ seq }) => seq > first)) {
      if (event.id) {
        const owner = owners.get(event.id) ?? name;
        expect([event.type, event.id, owner]).toEqual([
          event.type,
          event.id,
          name
        ]);
        owners.set(event.id, name);
      }
    }
  }
}

/** Each save is a moment, and the last moment is the current state. */
async function verifySaves(notebook: Open, expected: Expected): Promise<void> {
  const { id } = notebook;
  const { moments } = await notebook.page.history.api.timeline(id);
  const saved: string[] = [];
  for (const { index, saved: isSaved } of moments) {
    if (isSaved || index === moments.length - 1) {
      const { cells } = await notebook.page.history.api.moment(id, index);
      const rows = cells.map(cell => [cell.cellId, cell.type, cell.source]);
      saved.push(JSON.stringify(rows));
    }
  }
  expected.saves.forEach(save => expect(saved).toContain(save));
  expect(saved.at(-1)).toBe(JSON.stringify(rows(notebook)));
}

describe('one notebook in two pages', () => {
  it('record the written state of each save (P26)', async () => {
    const workspace = new Workspace();
    await workspace.begin();
    const [{ notebook: first, expected }] = workspace.open;
    const second = await new Page(server).openPath(first.panel.context.path);
    const written: string[] = [];
    const save = async (open: Open) => {
      await overwrite(open);
      written.push(JSON.stringify(rows(open)));
    };
    second.type(0, 'other = 1');
    await second.settle();
    await save(second);
    first.type(1, 'c = 5');
    await first.settle();
    await save(first);
    second.select(2);
    NotebookActions.deleteCells(second.panel.content);
    await second.settle();
    await save(second);
    await save(first);
    expected.saves.push(...written);
    expected.addShown(rows(first));
    await verify(first, expected, new Map());
    [first, second].forEach(open => open.close());
  }, 60_000);
});

/** Overwrite the file if JupyterLab asks, which it doesn't always do. */
async function overwrite(open: Open): Promise<void> {
  let isSaved = false;
  // Before JupyterLab asks, it writes the times of both saves to the console.
  const warn = jest.spyOn(console, 'warn').mockImplementation();
  const saving = open.save().finally(() => (isSaved = true));
  while (!isSaved) {
    await dangerDialog().catch(() => undefined);
  }
  await saving;
  warn.mockRestore();
}

describe('random operations on notebooks', () => {
  it('keep their histories complete and separate (P28, P36)', async () => {
    const performed: string[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.array(targetedOperation, { minLength: 10, maxLength: 25 }),
        fc.boolean(),
        async (operations, documentWideUndo) => {
          document.body.replaceChildren();
          await check(operations, documentWideUndo, name =>
            performed.push(name)
          );
        }
      ),
      {
        numRuns: Number(process.env.AISERVER_RUNS ?? 4),
        // A fixed seed, so that runs are reproducible.
        seed: Number(process.env.AISERVER_SEED ?? 5),
        endOnFailure: true,
        examples: [[DUPLICATED_AFTER_CUT, false]]
      }
    );
    expect(performed.length).toBeGreaterThan(30);
  }, 300_000);
});
