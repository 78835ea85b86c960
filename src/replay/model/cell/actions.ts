/**
 * The actions that the sidebar offers for the current step: put its code into the cell (restore),
 * continue from it with another request (branch), and insert its code as a new cell.
 *
 * Invariants:
 * - Restoring and branching change only the cell that the sidebar shows. If the person switches to
 *   another cell while the confirmation dialog is open, no cell is changed.
 * - A restore never loses code. One undo reverts it, and the replaced source is recorded in the
 *   history. If the cell was edited since its last step, the person must confirm the restore.
 * - A restore closes an open suggestion. If the restored step is the suggestion, the suggestion is
 *   accepted, as the cell's prompt row shows it, otherwise it is rejected. When the acceptance or
 *   rejection is recorded, the row closes.
 * - No action runs code.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import type { EventBody, Step } from '../../../api/types';
import {
  type ICellKey,
  IHistory,
  type IShownAnswers,
  isSameCell
} from '../../../tokens';
import type { IBranch } from '../../../records/branch';
import { branchAt, findOpenTurn } from './graph';
import { sourceAfter } from '../../../records/fold';
import type { ReplayPlayer } from '../player';
import { findLastWorking } from '../../../records/runs';
import type { ReplaySteps } from './steps';
import type { IReplaySubject, SubjectChange } from '../activeCell';
import { copyText } from '../../../ui/focus';

/** `unrecorded` means that a step was restored, but recording the restore failed. */
export type ActionResult =
  | 'restored'
  | 'accepted'
  | 'unrecorded'
  | 'branched'
  | 'copied'
  | 'inserted'
  | null;

export interface IReplayHost {
  confirmReplace(index: number): Promise<boolean>;
  openPrompt(branch: IBranch | null): void;
  openFile(path: string): Promise<void>;
  /** Return the open answers of a cell as its prompt row shows them; null if there are none. */
  shownAnswers(key: ICellKey): IShownAnswers | null;
  /** Accept an open answer as the row shows it. Resolves to true if its code was written. */
  acceptAnswer(key: ICellKey, turnId: number): Promise<boolean>;
}

export class ReplayActions extends VDomModel {
  constructor(
    private readonly _subject: IReplaySubject,
    private readonly _history: IHistory,
    private readonly _steps: ReplaySteps,
    private readonly _player: ReplayPlayer,
    private readonly _host: IReplayHost
  ) {
    super();
    _subject.changed.connect(this._onSubjectChanged, this);
  }

  get step(): Step | null {
    return this._steps.at(this._player.position);
  }

  /** Whether the active cell is shown in the sidebar and contains the current step's code. */
  get isCurrentStepInCell(): boolean {
    return this.isInCell(this.step);
  }

  isInCell(step: Step | null): boolean {
    const { isActiveCellShown } = this._steps;
    return isActiveCellShown && step?.code === this._subject.source;
  }

  get hasUnrecordedEdits(): boolean {
    const lastStep = this._steps.all.at(-1);
    return (
      this._steps.isActiveCellShown &&
      !!lastStep &&
      sourceAfter(lastStep) !== this._subject.source
    );
  }

  get isWritable(): boolean {
    return this._steps.isActiveCellShown && this._subject.isWritable;
  }

  get canRestore(): boolean {
    return this._canApply(this.step);
  }

  get restorableWorkingIndex(): number | null {
    const index = findLastWorking(this._steps.all);
    return index !== null && this._canApply(this._steps.all[index])
      ? index
      : null;
  }

  get canBranch(): boolean {
    const { step } = this;
    return !!step && hasCode(step) && this.isWritable;
  }

  get canInsert(): boolean {
    return !!this.step?.code && this._subject.canInsert;
  }

  /** The result of the last action; null once the cell is edited or another cell is shown. */
  lastResult: ActionResult = null;

  /** Whether the last action changed the cell, so that `undo` can revert it. */
  get canUndo(): boolean {
    return ![null, 'copied', 'inserted'].includes(this.lastResult);
  }

  restore(): Promise<boolean> {
    return this._apply(this.step, 'restored');
  }

  async restoreLastWorking(): Promise<boolean> {
    const index = this.restorableWorkingIndex;
    const step = index === null ? null : this._steps.all[index];
    return this._apply(step, 'restored');
  }

  /**
   * Open the prompt row for a request that continues from the current step. If the cell contains
   * other code, restore the step first. Return whether the prompt row was opened.
   */
  async branch(): Promise<boolean> {
    const { step } = this;
    if (!this.canBranch || !step) {
      return false;
    }
    const branch = branchAt(this._steps.all, step);
    const isReady =
      this.isCurrentStepInCell || (await this._apply(step, 'branched'));
    if (isReady) {
      this._host.openPrompt(branch);
    }
    return isReady;
  }

  copy(): void {
    const { step } = this;
    if (step?.code) {
      copyText(step.code);
      this._setLastResult('copied');
    }
  }

  insertBelow(): void {
    const { step } = this;
    if (this.canInsert && step) {
      this._player.pause();
      this._subject.insertBelow(step.code);
      this._setLastResult('inserted');
    }
  }

  undo(): void {
    if (this.canUndo && this._steps.isActiveCellShown) {
      this._subject.undo();
    }
  }

  clearLastResult(): void {
    if (this.lastResult !== null) {
      this._setLastResult(null);
    }
  }

  private _canApply(step: Step | null): boolean {
    const isDifferent = step?.code !== this._subject.source;
    const isRestorable = !!step && hasCode(step) && isDifferent;
    const isChecking = !!step && this._steps.answersInRow(step)?.isChecking;
    return isRestorable && this.isWritable && !isChecking;
  }

  /**
   * Write a step's code into the cell, and record this. Return whether the cell was changed. Nothing
   * is awaited between the last check and the change of the cell.
   */
  private async _apply(
    step: Step | null,
    action: 'restored' | 'branched'
  ): Promise<boolean> {
    const { shownCell } = this._steps;
    if (!step || !shownCell || !this._canApply(step)) {
      return false;
    }
    this._player.pause();
    if (
      this.hasUnrecordedEdits &&
      !(await this._host.confirmReplace(step.index))
    ) {
      return false;
    }
    // The person may have switched to another cell while the dialog was open.
    const isStillShown = isSameCell(this._steps.shownCell, shownCell);
    if (!isStillShown || this.isDisposed || !this._canApply(step)) {
      return false;
    }
    const { notebookId, cellId } = shownCell;
    const key = { notebookId, cellId };
    const { turnId = 0 } = step;
    if (this._steps.answersInRow(step)?.codes.has(turnId)) {
      return this._acceptInRow(key, turnId);
    }
    await this._write(key, step, action);
    return true;
  }

  private async _write(
    key: ICellKey,
    step: Step,
    action: 'restored' | 'branched'
  ): Promise<void> {
    const events = this._buildEvents(step, this._subject.source);
    const isAccepted = action === 'restored' && events[0].type === 'accept';
    const result = isAccepted ? 'accepted' : action;
    this._isApplying = true;
    try {
      this._subject.apply(step.code);
    } finally {
      this._isApplying = false;
    }
    this._setLastResult(result);
    try {
      await this._history.record(key, events);
    } catch {
      if (this.lastResult === result) {
        this._setLastResult('unrecorded');
      }
    }
  }

  /** Let the prompt row accept the answer that it shows, so that it records what was changed. */
  private async _acceptInRow(key: ICellKey, turnId: number): Promise<boolean> {
    this._isApplying = true;
    const accepted = this._host.acceptAnswer(key, turnId);
    this._isApplying = false;
    const isAccepted = await accepted;
    if (isAccepted) {
      this._setLastResult('accepted');
    }
    return isAccepted;
  }

  /** Return an `accept` of the open suggestion, or a `restore` after a `reject` of it. */
  private _buildEvents(step: Step, replaced: string): EventBody[] {
    const suggestion = findOpenTurn(this._steps.all);
    if (suggestion?.index === step.index) {
      const { turnId } = step;
      const accept = { type: 'accept', turnId, source: step.code };
      return [
        this.hasUnrecordedEdits ? { ...accept, data: { replaced } } : accept
      ];
    }
    const data = { from_seq: step.seq, replaced };
    const restore = { type: 'restore', source: step.code, data };
    return suggestion
      ? [{ type: 'reject', turnId: suggestion.turnId }, restore]
      : [restore];
  }

  private _setLastResult(result: ActionResult): void {
    this.lastResult = result;
    this.stateChanged.emit();
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    if (change === 'source' && !this._isApplying) {
      this.clearLastResult();
    }
  }

  /** Whether an action is changing the cell's source. This change doesn't clear `lastResult`. */
  private _isApplying = false;
}

/** Empty code counts as code, because a cell can be empty; but a failed turn has none. */
function hasCode(step: Step): boolean {
  const hasFailed = step.outcome === 'error' || step.outcome === 'cancelled';
  return step.kind !== 'turn' || !hasFailed || step.code !== '';
}
