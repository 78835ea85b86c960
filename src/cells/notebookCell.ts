/**
 * A cell of an open notebook. `NotebookCell` looks the widget up by the cell's id each time, because
 * JupyterLab may remove or recreate it at any time. Moving a cell, for example, deletes it and
 * inserts one with the same id.
 */
import { Cell, ICodeCellModel, MarkdownCell } from '@jupyterlab/cells';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { CellType, PrivacyLevel, UsedRulesFile } from '../api/types';
import {
  ICheck,
  ICheckedRequest,
  IProblem,
  checkSuggestion
} from '../kernel/check';
import { IDataValues, readDataValues } from '../kernel/dataValues';
import { IJoinKey, readJoinKeys } from '../kernel/joinKeys';
import { dataLanguage } from '../kernel/request';
import {
  type ICodeRun,
  type ISignal,
  readSignals,
  readState
} from '../kernel/signals';
import { IKernelVariables, readVariables } from '../kernel/variables';
import type { ICellKey, INotebookIdentity, ITracking } from '../tokens';
import type { Contributor } from '../records/contributor';
import { applySource } from './applySource';
import { runAsOwnWrite } from './ownWrites';
import { CellRun, executionRequestId } from './cellRun';
import { cellErrorText } from './cellError';
import { withOtherCells } from './namesInCells';
import {
  outputImages,
  outputText,
  resultImages,
  resultText
} from './outputText';
import type { IImage } from './plots/images';
import { isReadOnly } from './readOnly';
import {
  cellsBefore,
  codeCellsBefore,
  kernelNameOf,
  languageOf,
  toCellType
} from './context';
import { sourceOf } from './source';

export function findCell(panel: NotebookPanel, cellId: string): Cell | null {
  if (panel.isDisposed || panel.content.isDisposed) {
    return null;
  }
  return panel.content.widgets.find(cell => cell.model?.id === cellId) ?? null;
}

/** `error` and `output` are empty if there is none. */
export interface INumberedCell {
  readonly cellId: string;
  readonly source: string;
  readonly error: string;
  readonly output: string;
  readonly images: readonly IImage[];
}

export interface IRequestOptions {
  readonly rulesFiles?: readonly UsedRulesFile[];
  /** Whether the entries of memories are sent; by default true. */
  readonly usesMemory?: boolean;
  /** Whether the note of the notebook is sent; by default false. */
  readonly usesNote?: boolean;
  /** Whether models make and get summaries of older turns; by default true. */
  readonly condensesTurns?: boolean;
}

/** Has only public members, so that tests can pass a fake. */
export type ITarget = Pick<NotebookCell, keyof NotebookCell>;

export class NotebookCell {
  constructor(
    private readonly _panel: NotebookPanel,
    readonly cellId: string,
    private readonly _identity: INotebookIdentity,
    private readonly _trans: TranslationBundle,
    private readonly _tracking: ITracking | null = null,
    private readonly _requestOptions: () => IRequestOptions = () => ({})
  ) {}

  /** Null if the notebook has no id yet. */
  key(): ICellKey | null {
    const notebookId = this._identity.get(this._panel);
    return notebookId === null ? null : { notebookId, cellId: this.cellId };
  }

  /**
   * Prepare the notebook for a request, and return its id. See `INotebookIdentity.ensure`.
   *
   * @throws ApiError if a request to the server fails; Error with a sentence for the person if the
   * notebook can't be prepared.
   */
  async ensure(): Promise<string> {
    if (this._cell?.readOnly) {
      throw new Error(
        this._trans.__('This cell is read-only. Make it editable, then ask.')
      );
    }
    this._tracking?.captureBeforeRequest(this._panel);
    const notebookId = await this._identity.ensure(this._panel);
    // So that the earlier changes come before the request.
    await this._tracking?.settled(this._panel);
    return notebookId;
  }

  /** Null if the cell was deleted. */
  source(): string | null {
    return this._cell && sourceOf(this._cell.model.sharedModel);
  }

  error(): string | null {
    return cellErrorText(this._cell);
  }

  output(): string {
    return resultText(this._cell);
  }

  images(): IImage[] {
    return resultImages(this._cell);
  }

  async check(code: string): Promise<readonly IProblem[] | null> {
    return (await this.checkSuggestion(code))?.problems ?? null;
  }

  /**
   * Check `code` in the kernel without running it. Null if the cell isn't a code cell, or the kernel
   * isn't one of Python, is busy or doesn't reply.
   */
  async checkSuggestion(
    code: string,
    request?: ICheckedRequest
  ): Promise<ICheck | null> {
    const kernel = this._pythonKernel;
    const ownCode = this.source() ?? '';
    const check =
      kernel && this.cellType === 'code'
        ? await checkSuggestion(kernel, code, ownCode, request).catch(
            () => null
          )
        : null;
    const { model } = this._panel.content;
    const above = model ? codeCellsBefore(model, this.cellId) : [];
    return check && withOtherCells(check, above, this._otherCode());
  }

  /**
   * The number of the run whose result the cell has; null if there is none of its current code, or
   * the code failed.
   */
  runCount(): number | null {
    const model = this._cell?.model as Partial<ICodeCellModel> | undefined;
    const isCurrent = model && !model.isDirty && this.error() === null;
    return isCurrent ? (model.executionCount ?? null) : null;
  }

  /** Return the state of the variables that code names, for `resultSignals`; null as for a check. */
  async kernelState(code: string): Promise<string | null> {
    const kernel = this.cellType === 'code' ? this._pythonKernel : null;
    return kernel ? readState(kernel, code).catch(() => null) : null;
  }

  /** Return the signals of the cell's result; null as for a check. */
  async resultSignals(run: ICodeRun, state: string): Promise<ISignal[] | null> {
    const kernel = this._pythonKernel;
    return kernel
      ? readSignals(kernel, run, state, this.output()).catch(() => null)
      : null;
  }

  /** Return the code of the nearest code cell above that isn't a request; else an empty text. */
  codeAbove(): string {
    const { model } = this._panel.content;
    return (model && codeCellsBefore(model, this.cellId).pop()) ?? '';
  }

  /**
   * Return the kernel's variables with their values; null if the kernel isn't one of Python or R, is
   * busy or doesn't reply. `examples` values are read from each text column and text index.
   */
  async variables(examples: number): Promise<IKernelVariables | null> {
    const { _kernel: kernel, _language: language } = this;
    return kernel && language
      ? readVariables(kernel, language, examples, true).catch(() => null)
      : null;
  }

  /**
   * Return the values of a DataFrame that a privacy level includes; null as for `variables`, or if
   * there is no such DataFrame.
   */
  async dataValues(
    name: string,
    level: Exclude<PrivacyLevel, 'schema'>
  ): Promise<IDataValues | null> {
    const { _kernel: kernel, _language: language } = this;
    return kernel && language
      ? readDataValues(kernel, language, name, level).catch(() => null)
      : null;
  }

  /** Return keys by which variables can be joined; empty if a Python kernel can't tell now. */
  async joinKeys(names: readonly string[]): Promise<IJoinKey[]> {
    const kernel = this._pythonKernel;
    return kernel ? readJoinKeys(kernel, names).catch(() => []) : [];
  }

  /** Replace the cell's code in one undo step. Return false if it was deleted or is read-only. */
  apply(source: string): boolean {
    const cell = this._cell;
    if (!cell || cell.readOnly) {
      return false;
    }
    applySource(cell, source);
    return true;
  }

  /**
   * Insert a Markdown cell below this one, in one undo step, and make it active. It stays
   * unrendered, because rendering may load images from the web. Return false if this cell was
   * deleted or the notebook is read-only.
   */
  insertMarkdownBelow(source: string, contributor: Contributor): boolean {
    const { content } = this._panel;
    const index = this._cell ? content.widgets.indexOf(this._cell) : -1;
    const sharedModel = content.model?.sharedModel;
    if (index < 0 || !sharedModel || content.model?.readOnly) {
      return false;
    }
    const cell = { cell_type: 'markdown', source, metadata: {} } as const;
    runAsOwnWrite(() => sharedModel.insertCell(index + 1, cell), {
      contributor
    });
    const inserted = content.widgets[index + 1];
    if (inserted instanceof MarkdownCell) {
      inserted.rendered = false;
    }
    content.activeCellIndex = index + 1;
    content.mode = 'edit';
    return true;
  }

  async run(): Promise<boolean> {
    const cell = this._cell;
    if (cell === null) {
      return false;
    }
    const { content, sessionContext } = this._panel;
    const run = new CellRun(
      sessionContext,
      () => executionRequestId(cell),
      () => NotebookActions.runCells(content, [cell], sessionContext)
    );
    this._run = run;
    try {
      return await run.result;
    } finally {
      this._run = this._run === run ? null : this._run;
    }
  }

  /** Interrupt the kernel once it runs this cell. If it has died, nothing runs any more. */
  async interrupt(): Promise<void> {
    if (await this._run?.hasStarted) {
      const { session } = this._panel.sessionContext;
      await session?.kernel?.interrupt().catch(() => undefined);
    }
  }

  /** Return the cell with this number, counted from 1; null if there is none. */
  cellAt(number: number): INumberedCell | null {
    const cell = this._panel.content.widgets[number - 1];
    const { outputs } = (cell?.model ?? {}) as Partial<ICodeCellModel>;
    return cell
      ? {
          cellId: cell.model.id,
          source: sourceOf(cell.model.sharedModel),
          error: cellErrorText(cell) ?? '',
          output: outputText(outputs),
          images: outputImages(outputs)
        }
      : null;
  }

  /** Return the numbers and first lines of the other cells that aren't empty. */
  cellTitles(): { number: number; title: string }[] {
    return this._panel.content.widgets.flatMap((cell, index) => {
      const title = sourceOf(cell.model.sharedModel).trim().split('\n')[0];
      const isOther = cell.model.id !== this.cellId;
      return title && isOther ? [{ number: index + 1, title }] : [];
    });
  }

  /** Return a cell's position, from 1; null if no cell has this id. */
  cellNumber(cellId: string): number | null {
    const cells = [...(this._panel.context.model?.cells ?? [])];
    return cells.findIndex(({ id }) => id === cellId) + 1 || null;
  }

  get notebookPath(): string {
    return this._panel.context.localPath;
  }

  get isReadOnly(): boolean {
    return isReadOnly(this._panel);
  }

  /** The cell's current type, which a person can change; `code` if it was deleted. */
  get cellType(): CellType {
    return toCellType(this._cell?.model.type ?? 'code');
  }

  /** Return the fields of a request about the cell's type and the notebook around it. */
  surroundings() {
    const { model } = this._panel.context;
    const {
      rulesFiles = [],
      usesMemory = true,
      usesNote = false,
      condensesTurns = true
    } = this._requestOptions();
    return {
      ...(!condensesTurns && { condensesTurns }),
      language: languageOf(this._panel),
      cellType: this.cellType,
      context: {
        cells: cellsBefore(model, this.cellId),
        kernel: kernelNameOf(this._panel),
        ...(rulesFiles.length && { rulesFiles: [...rulesFiles] }),
        ...(!usesMemory && { usesMemory }),
        ...(usesNote && { usesNote })
      }
    };
  }

  private _otherCode(): string[] {
    const cells = [...(this._panel.context.model?.cells ?? [])];
    return cells
      .filter(({ id, type }) => id !== this.cellId && type === 'code')
      .map(({ sharedModel }) => sourceOf(sharedModel));
  }

  private get _kernel() {
    return this._panel.sessionContext.session?.kernel;
  }

  private get _language() {
    return dataLanguage(languageOf(this._panel));
  }

  private get _pythonKernel() {
    return this._language === 'python' ? this._kernel : null;
  }

  private get _cell(): Cell | null {
    return findCell(this._panel, this.cellId);
  }

  private _run: CellRun | null = null;
}
