/**
 * Lets a person ask the requests that led to the shown version of a cell again, of another model.
 * The answers are a branch of the cell's history. They are compared with the original ones in a
 * table, which can be shown again later.
 *
 * Invariant: one history is asked again at a time. That continues while the sidebar is hidden or
 * shows another cell.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import type { ModelInfo } from '../../../api/types';
import { ICellKey, IOtherModelOptions, isSameCell } from '../../../tokens';
import type { ReplayPlayer } from '../player';
import type { ReplaySteps } from '../cell/steps';
import { IEarlierRequest, requestsTo } from './requests';
import { AgainRun, IAgainCell } from './run';
import { findTurn, IAgainRow, IFindings, storedRows } from './table';

export interface IAskAgainHost {
  /** Return the cell of the current notebook with this id; null if it isn't in the notebook. */
  findCell(cellId: string): IAgainCell | null;
  pickModel(options: IOtherModelOptions): void;
}

export interface IAgainForm {
  readonly key: ICellKey;
  readonly model: ModelInfo | null;
  readonly runsCode: boolean;
}

/** The table of a branch that was asked again before. */
interface IStoredTable {
  readonly key: ICellKey;
  readonly rows: readonly IAgainRow[];
  readonly problems: Map<number, number>;
}

export class AskAgain extends VDomModel {
  constructor(
    private readonly _steps: ReplaySteps,
    private readonly _player: ReplayPlayer,
    private readonly _host: IAskAgainHost | null
  ) {
    super();
    _steps.changed.connect(this._onStepsChanged, this);
  }

  get isAvailable(): boolean {
    return this._host !== null;
  }

  get form(): IAgainForm | null {
    return this._isShown(this._form?.key) ? this._form : null;
  }

  /** The requests of the shown cell that are or were asked again; null if there are none. */
  get run(): AgainRun | null {
    const isShown = this._isShown(this._run?.options.key) && !this.form;
    return isShown ? this._run : null;
  }

  /** Whether the requests of any cell are being asked again. */
  get isRunning(): boolean {
    return this._run?.phase === 'running';
  }

  /** The rows of the table and what was found out about its answers; null if there is no table. */
  get table(): { rows: readonly IAgainRow[]; findings: IFindings } | null {
    const { run } = this;
    if (run) {
      return { rows: run.rows, findings: run.findings };
    }
    const stored = this._stored;
    return stored && this._isShown(stored.key) && !this.form
      ? {
          rows: stored.rows,
          findings: { problems: stored.problems, runs: new Map() }
        }
      : null;
  }

  /** The requests that would be asked again for the shown version. */
  get requests(): readonly IEarlierRequest[] {
    return requestsTo(this._steps.all, this._player.position);
  }

  get canShowTable(): boolean {
    return storedRows(this._steps.all, this._player.position).length > 0;
  }

  /**
   * Show the form, or the requests of the active cell that are being asked again, once its steps
   * are loaded.
   */
  open(): void {
    const { isActiveCellShown, shownCell } = this._steps;
    this._isOpenRequested = !isActiveCellShown;
    if (!this._host || !isActiveCellShown || !shownCell) {
      return;
    }
    if (this.run?.phase !== 'running') {
      const { notebookId, cellId } = shownCell;
      const key = { notebookId, cellId };
      this._form = { key, model: this._lastModel, runsCode: false };
    }
    this.requestFocus();
  }

  /** Show the table of the branch that the current step belongs to. */
  async showTable(): Promise<void> {
    const { shownCell, all } = this._steps;
    const rows = storedRows(all, this._player.position);
    if (!shownCell || !rows.length || this.run?.phase === 'running') {
      return;
    }
    this.close();
    const { notebookId, cellId } = shownCell;
    const key = { notebookId, cellId };
    const stored = { key, rows, problems: new Map<number, number>() };
    this._stored = stored;
    this.requestFocus();
    for (const { request, turnId } of rows) {
      const step = findTurn(all, turnId);
      const code = step && step.outcome !== 'done' ? step.code : null;
      await this._countProblems(stored, request.turnId, request.code);
      await this._countProblems(stored, turnId, code);
    }
  }

  private async _countProblems(
    { key, problems }: IStoredTable,
    turnId: number | null,
    code: string | null
  ): Promise<void> {
    const cell = this._host?.findCell(key.cellId);
    if (cell && turnId !== null && code !== null) {
      const count = await cell.countProblems(code);
      if (count !== null) {
        problems.set(turnId, count);
        this.stateChanged.emit();
      }
    }
  }

  close(): void {
    if (this.form) {
      this._form = null;
    } else if (this.run && !this.isRunning) {
      this._run = null;
    } else if (!this.run) {
      this._stored = null;
    }
    this.stateChanged.emit();
  }

  pickModel(x: number, y: number): void {
    const chosen = this._form?.model?.id ?? null;
    const choose = (model: ModelInfo) => {
      this._lastModel = model;
      this._setForm({ model });
    };
    this._host?.pickModel({ x, y, chosen, choose });
  }

  setRunsCode(runsCode: boolean): void {
    this._setForm({ runsCode });
  }

  /** Whether the answers of the shown cell can be run. */
  get canRun(): boolean {
    return this._cell?.canRun ?? false;
  }

  /** Whether `start` would ask the requests of the shown version. */
  get canStart(): boolean {
    const { form, isRunning, requests } = this;
    return !!form?.model && !isRunning && requests.length > 0 && !!this._cell;
  }

  /** Ask the requests that led to the shown version again, with the choices in the form. */
  async start(): Promise<void> {
    const { form, requests, _cell: cell } = this;
    if (!this.canStart || !cell || !form?.model) {
      return;
    }
    this._form = this._stored = null;
    this._run = new AgainRun(
      {
        key: form.key,
        cell,
        model: form.model,
        runsCode: form.runsCode && cell.canRun,
        onChanged: () => !this.isDisposed && this.stateChanged.emit()
      },
      requests
    );
    await this._run.proceed();
  }

  /** Ask the remaining requests of the shown cell, after a failure or a stop. */
  async proceed(): Promise<void> {
    const { run, _cell: cell } = this;
    if (run && cell) {
      run.options.cell = cell;
    }
    await run?.proceed();
  }

  /** Stop the requests that are being asked again, of any cell. */
  stop(): void {
    this._run?.stop();
  }

  /** Ask the view to focus the form or the table as soon as it is drawn. */
  requestFocus(): void {
    this._isFocusRequested = true;
    this.stateChanged.emit();
  }

  /** Return whether the view should focus the form or the table; then it no longer should. */
  takeFocusRequest(): boolean {
    const isRequested = this._isFocusRequested;
    this._isFocusRequested = false;
    return isRequested;
  }

  override dispose(): void {
    this._run?.stop();
    super.dispose();
  }

  private _isShown(key: ICellKey | undefined): boolean {
    return key !== undefined && isSameCell(key, this._steps.shownCell);
  }

  /** The shown cell; null if it isn't the active cell. */
  private get _cell(): IAgainCell | null {
    const { isActiveCellShown, shownCell } = this._steps;
    return isActiveCellShown && shownCell
      ? (this._host?.findCell(shownCell.cellId) ?? null)
      : null;
  }

  private _setForm(change: Partial<IAgainForm>): void {
    if (this._form && !this.isDisposed) {
      this._form = { ...this._form, ...change };
      this.stateChanged.emit();
    }
  }

  private _onStepsChanged(): void {
    if (this._isOpenRequested && this._steps.isActiveCellShown) {
      this.open();
    }
  }

  private _form: IAgainForm | null = null;
  private _isFocusRequested = false;
  /** Whether the form must be shown when the steps of the active cell are loaded. */
  private _isOpenRequested = false;
  /** The model that was chosen last, which the next form proposes. */
  private _lastModel: ModelInfo | null = null;
  private _run: AgainRun | null = null;
  private _stored: IStoredTable | null = null;
}
