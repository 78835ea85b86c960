/**
 * Lets a person ask the requests that led to the shown version of a cell again, of another model.
 * The answers are a branch of the cell's history, and are compared with the original ones in a
 * table. Invariant: one history is asked again at a time, also while the sidebar is hidden or shows
 * another cell.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import type { ModelInfo } from '../../../api/types';
import { ICellKey, IOtherModelOptions, isSameCell } from '../../../tokens';
import type { ReplayPlayer } from '../player';
import type { ReplaySteps } from '../cell/steps';
import { IEarlierRequest, requestsTo } from './requests';
import { addProblems, AgainRun, IAgainCell } from './run';
import { findTurn, IAgainRow, IFindings, storedRows } from './table';

export interface IAskAgainHost {
  findCell(cellId: string): IAgainCell | null;
  pickModel(options: IOtherModelOptions): void;
}

interface IAgainTable {
  readonly rows: readonly IAgainRow[];
  readonly findings: IFindings;
}

export interface IAgainForm {
  readonly key: ICellKey;
  readonly model: ModelInfo | null;
  readonly runsCode: boolean;
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

  get table(): IAgainTable | null {
    if (this.run) {
      return this.run;
    }
    return this._isShown(this._stored?.key) && !this.form ? this._stored : null;
  }

  get requests(): readonly IEarlierRequest[] {
    return requestsTo(this._steps.all, this._player.position);
  }

  get canShowTable(): boolean {
    return storedRows(this._steps.all, this._player.position).length > 0;
  }

  /** Show the form, or the requests that are being asked again, once the cell's steps are loaded. */
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
    const problems = new Map<number, number>();
    this._stored = { key, rows, findings: { problems, runs: new Map() } };
    this.requestFocus();
    const count = async (turnId: number, code: string | null) => {
      const cell = this._host?.findCell(cellId);
      const onChanged = () => this.stateChanged.emit();
      await (cell && addProblems(problems, cell, turnId, code, onChanged));
    };
    for (const { request, turnId } of rows) {
      const step = findTurn(all, turnId);
      await count(request.turnId, request.code);
      if (turnId !== null && step && step.outcome !== 'done') {
        await count(turnId, step.code);
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

  get canRun(): boolean {
    return this._cell?.canRun ?? false;
  }

  get canStart(): boolean {
    const { form, isRunning, requests } = this;
    return !!form?.model && !isRunning && requests.length > 0 && !!this._cell;
  }

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

  async proceed(): Promise<void> {
    const { run, _cell: cell } = this;
    if (run && cell) {
      run.options.cell = cell;
    }
    await run?.proceed();
  }

  stop(): void {
    this._run?.stop();
  }

  requestFocus(): void {
    this.isFocusRequested = true;
    this.stateChanged.emit();
  }

  /** The view resets this once it has focused the form or the table. */
  isFocusRequested = false;

  override dispose(): void {
    this._run?.stop();
    super.dispose();
  }

  private _isShown(key: ICellKey | undefined): boolean {
    return key !== undefined && isSameCell(key, this._steps.shownCell);
  }

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
  /** Whether the form must be shown when the steps of the active cell are loaded. */
  private _isOpenRequested = false;
  private _lastModel: ModelInfo | null = null;
  private _run: AgainRun | null = null;
  private _stored: (IAgainTable & { key: ICellKey }) | null = null;
}
