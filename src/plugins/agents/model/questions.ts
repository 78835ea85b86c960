/**
 * Answers the server's questions about open notebooks and their kernels: reads, changes and runs cells.
 *
 * Invariant: what an agent changes is recorded, or it isn't changed.
 */
import { CodeCell } from '@jupyterlab/cells';
import type { ICell } from '@jupyterlab/nbformat';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';

import type { PrivacyLevel } from '../../../api/types';
import { repairCellIds } from '../../../cells/cellIds';
import { languageOf } from '../../../cells/context';
import { NotebookCell, findCell } from '../../../cells/notebookCell';
import {
  applyOperations,
  findRefusal,
  type IRefusal,
  type Operation
} from '../../../cells/operations';
import { runAsOwnWrite } from '../../../cells/ownWrites';
import { readDataValues, withValues } from '../../../kernel/dataValues';
import { dataLanguage } from '../../../kernel/request';
import { readVariables } from '../../../kernel/variables';
import type { IWriteAuthor } from '../../../records/contributor';
import { isForbidden } from '../../../state/features';
import type { INotebookIdentity, ITracking } from '../../../tokens';
import type { Answer, PermitQuestion, Question } from './messages';

/** Characters of a cell's outputs; those of plots can be millions. */
const MAX_OUTPUTS = 100_000;
/** Matches the messages of a kernel that are outputs, by the names of nbformat. */
const OUTPUT = /^(stream|display_data|execute_result|error)$/;

export interface IQuestionsOptions {
  /** Return the open notebook with this path; null if there is none. */
  readonly find: (path: string) => NotebookPanel | null;
  readonly identity: INotebookIdentity;
  readonly tracking: ITracking;
  /** Ask the person; resolves to null if they don't decide. */
  readonly askPerson: (
    question: PermitQuestion,
    panel: NotebookPanel
  ) => Promise<boolean | null>;
}

type RanCell = Extract<Answer, { type: 'ran' }>['cells'][number];

export class Questions {
  constructor(private readonly _options: IQuestionsOptions) {}

  async answer(question: Question): Promise<Answer> {
    const panel = this._options.find(question.path);
    if (!panel) {
      return refusal('gone');
    }
    await panel.context.ready;
    switch (question.type) {
      case 'apply':
        return this._apply(panel, question.operations, question.author);
      case 'run':
        return runCells(panel, question.cells, question.author);
      case 'execute':
        return runCode(panel, question.code);
      case 'permit': {
        const allowed = await this._options.askPerson(question, panel);
        return { type: 'permitted', allowed };
      }
      case 'check':
        return this._check(panel, question.source, question.cell);
      case 'data':
        return describeData(panel, question.name, question.level);
      case 'read':
        return {
          type: 'cells',
          notebookId: this._options.identity.get(panel),
          cells: panel.context.model.sharedModel.cells.map(cell =>
            withoutLargeOutputs(cell.toJSON())
          )
        };
    }
  }

  private async _check(
    panel: NotebookPanel,
    source: string,
    cellId: string | null
  ): Promise<Answer> {
    const trans = nullTranslator.load('aiserver');
    const { identity } = this._options;
    const cell = new NotebookCell(panel, cellId ?? '', identity, trans);
    const request = { source: '', mode: 'agent' };
    const check = await cell.checkSuggestion(source, request);
    return check ? { type: 'checked', ...check } : refusal('busy');
  }

  private async _apply(
    panel: NotebookPanel,
    operations: readonly Operation[],
    author: IWriteAuthor
  ): Promise<Answer> {
    const { identity, tracking } = this._options;
    repairCellIds(panel.context.model);
    const refused = findRefusal(panel, operations);
    if (refused) {
      return refused;
    }
    try {
      await identity.registered(panel);
      if (!identity.get(panel)) {
        await identity.ensure(panel);
      }
    } catch {
      return refusal('busy');
    }
    const fullAuthor = { data: {}, ...author, cellData: dataOf(operations) };
    const cellIds = [...new Set(operations.map(({ cell }) => cell))];
    const answer = await tracking.recordWrite(
      panel,
      cellIds,
      () =>
        // The person may have gone on typing.
        findRefusal(panel, operations) ??
        runAsOwnWrite(() => applyOperations(panel, operations), fullAuthor)
    );
    return answer ?? refusal('busy');
  }
}

/** Describe all DataFrames, or one with the values that the level includes. */
async function describeData(
  panel: NotebookPanel,
  name: string | null,
  level: PrivacyLevel
): Promise<Answer> {
  const kernel = panel.sessionContext.session?.kernel;
  const language = dataLanguage(languageOf(panel));
  if (!kernel || !language) {
    return refusal('busy');
  }
  try {
    const all = (await readVariables(kernel, language)).frames;
    const frames = all.filter(frame => name === null || frame.name === name);
    if (name === null || level === 'schema' || !frames.length) {
      return { type: 'described', frames };
    }
    const values = await readDataValues(kernel, language, name, level);
    const described = values ? [withValues(frames[0], values)] : [];
    return { type: 'described', frames: described };
  } catch {
    return refusal('busy');
  }
}

/** Return a cell without outputs that no agent could read. */
function withoutLargeOutputs(cell: ICell): ICell {
  const isLarge = JSON.stringify(cell.outputs ?? []).length > MAX_OUTPUTS;
  return isLarge ? { ...cell, outputs: [] } : cell;
}

function refusal(code: IRefusal['code']): IRefusal {
  return { type: 'refused', code, cells: [] };
}

/** Return the data of the events of each cell; of several operations, the first counts. */
function dataOf(
  operations: readonly Operation[]
): ReadonlyMap<string, Record<string, unknown>> {
  return new Map(
    [...operations]
      .reverse()
      .map(operation => [
        operation.cell,
        operation.op === 'insert'
          ? { inserted: true }
          : 'base' in operation
            ? { base: operation.base }
            : {}
      ])
  );
}

/** Run cells one after another until one fails. The person goes on typing where they are. */
async function runCells(
  panel: NotebookPanel,
  cellIds: readonly string[],
  author?: IWriteAuthor
): Promise<Answer> {
  const cells: RanCell[] = [];
  for (const id of cellIds) {
    const hasFailed = cells.some(({ status }) => status !== 'ok');
    const status = hasFailed ? 'aborted' : await runCell(panel, id, author);
    const cell = findCell(panel, id);
    const isCode = cell instanceof CodeCell && status !== 'aborted';
    cells.push({
      id,
      status,
      executionCount: isCode ? cell.model.executionCount : null,
      outputs: isCode ? cell.model.outputs.toJSON() : []
    });
  }
  return { type: 'ran', cells };
}

async function runCell(
  panel: NotebookPanel,
  id: string,
  author?: IWriteAuthor
): Promise<RanCell['status']> {
  const { content, sessionContext } = panel;
  const cell = findCell(panel, id);
  // JupyterLab would open a dialog.
  const isBlocked =
    !sessionContext.session?.kernel || sessionContext.pendingInput;
  if (!cell || isBlocked || isForbidden('running')) {
    return 'aborted';
  }
  const { mode } = content;
  const run = () => NotebookActions.runCells(content, [cell], sessionContext);
  const running = author ? runAsOwnWrite(run, author) : run();
  content.mode = mode; // `runCells` leaves the editor.
  try {
    return (await running) ? 'ok' : 'error';
  } catch {
    return 'aborted'; // The kernel has stopped.
  }
}

/** Run code as JupyterLab runs a cell, but without one, and without a number. */
async function runCode(panel: NotebookPanel, code: string): Promise<Answer> {
  const { session, pendingInput } = panel.sessionContext;
  if (!session?.kernel || pendingInput || isForbidden('running')) {
    return refusal('busy');
  }
  const future = session.kernel.requestExecute({
    code,
    store_history: false,
    allow_stdin: false,
    stop_on_error: false
  });
  const outputs: object[] = [];
  let size = 0;
  future.onIOPub = ({ header: { msg_type }, content }) => {
    const isOutput = OUTPUT.test(msg_type);
    size += isOutput ? JSON.stringify(content).length : 0;
    if (isOutput && size <= MAX_OUTPUTS) {
      outputs.push({ output_type: msg_type, ...content });
    }
  };
  const status = await future.done.then(
    ({ content }) => (content.status === 'abort' ? 'aborted' : content.status),
    () => 'aborted' as const // The kernel has stopped.
  );
  return {
    type: 'ran',
    cells: [{ id: null, status, executionCount: null, outputs }]
  };
}
