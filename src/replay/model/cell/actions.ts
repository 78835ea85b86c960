/**
 * Actions on the current step: restore it, branch from it, insert it.
 *
 * Invariants:
 * - An action changes only the cell that the sidebar shows. If the person switches to another
 *   cell while a dialog is open, the action changes nothing.
 * - A restore never loses code: it can be undone in one step, its record contains the source that
 *   it replaced, and edits that no step contains are replaced only after a confirmation.
 * - A restore closes an open suggestion: it accepts the suggestion if that is the restored step,
 *   and rejects it otherwise. The cell's prompt row closes when it reads the record of this.
 * - No action runs code.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import type { EventBody, Step } from '../../../api/types';
import { IHistory, isSameCell } from '../../../tokens';
import type { IBranch } from '../../../records/branch';
import { branchAt, openTurn } from './graph';
import { sourceAfter } from '../../../records/fold';
import type { ReplayPlayer } from '../player';
import { findLastWorking } from '../../../records/runs';
import type { ReplaySteps } from './steps';
import type { IReplaySubject } from '../activeCell';
import type { SubjectChange } from '../subject';

/** The result of the last action; `unrecorded`: a step was restored, but recording this failed. */
export type ReplayNote =
  'restored' | 'accepted' | 'unrecorded' | 'branched' | 'inserted' | null;

/** The parts of JupyterLab that the replay needs. */
export interface IReplayHost {
  /** Ask whether step `index` may replace edits that no step contains. */
  confirmReplace(index: number): Promise<boolean>;
  /** Open the prompt row; the request continues from `branch`, if it is not null. */
  openPrompt(branch: IBranch | null): void;
  /** Open a notebook and bring it to the front. */
  openFile(path: string): Promise<void>;
}

export class ReplayActions extends VDomModel {
  constructor(options: {
    subject: IReplaySubject;
    history: IHistory;
    steps: ReplaySteps;
    player: ReplayPlayer;
    host: IReplayHost;
  }) {
    super();
    this._subject = options.subject;
    this._history = options.history;
    this._steps = options.steps;
    this._player = options.player;
    this._host = options.host;
    this._subject.changed.connect(this._onSubjectChanged, this);
  }

  /** The current step. */
  get step(): Step | null {
    return this._steps.all[this._player.position] ?? null;
  }

  /** Whether the cell's source is the code of the current step. */
  get isInCell(): boolean {
    return this.matchesCell(this._player.position);
  }

  /** Whether the cell's source is the code of step `index`. */
  matchesCell(index: number): boolean {
    const step = this._steps.all[index];
    const { isFollowing } = this._steps;
    return isFollowing && !!step && step.code === this._subject.source;
  }

  /** Whether the cell has been edited since its last step. */
  get hasUnrecordedEdits(): boolean {
    const last = this._steps.all[this._steps.all.length - 1];
    const isComparable = this._steps.isFollowing && !!last;
    return isComparable && sourceAfter(last) !== this._subject.source;
  }

  /** Whether the cell on show can be edited. */
  get isWritable(): boolean {
    return this._steps.isFollowing && this._subject.isWritable;
  }

  get canRestore(): boolean {
    return this._canApply(this.step);
  }

  /** The index of the last step that ran without an error; null if it can't be restored. */
  get lastWorkingStep(): number | null {
    const index = findLastWorking(this._steps.all);
    return index !== null && this._canApply(this._steps.all[index])
      ? index
      : null;
  }

  /** Whether a request can branch from the current step. */
  get canBranch(): boolean {
    const { step } = this;
    return !!step && hasCode(step) && this.isWritable;
  }

  get canInsert(): boolean {
    return !!this.step?.code && this._subject.canInsert;
  }

  /** The result of the last action; null once the cell changes again. */
  get note(): ReplayNote {
    return this._note;
  }

  /** Whether `undo` reverts the last action; an inserted cell can only be undone by JupyterLab. */
  get canUndo(): boolean {
    return this._note !== null && this._note !== 'inserted';
  }

  /** Restore the current step; resolves with whether it was restored. */
  restore(): Promise<boolean> {
    return this._apply(this._player.position, 'restored');
  }

  /** Restore the last version that ran without an error. */
  async restoreLastWorking(): Promise<boolean> {
    const index = this.lastWorkingStep;
    return index !== null && (await this._apply(index, 'restored'));
  }

  /** Restore the current step if necessary, and open the prompt row to continue from it. */
  async branch(): Promise<boolean> {
    const { step } = this;
    if (!this.canBranch || !step) {
      return false;
    }
    const branch = branchAt(this._steps.all, step.index);
    const isRestored =
      this.isInCell || (await this._apply(this._player.position, 'branched'));
    if (isRestored) {
      this._host.openPrompt(branch);
    }
    return isRestored;
  }

  /** Insert the current step's code into a new cell below the active cell. */
  insertBelow(): void {
    const { step } = this;
    if (this.canInsert && step) {
      this._player.pause();
      this._subject.insertBelow(step.code);
      this._setNote('inserted');
    }
  }

  /** Revert the last restore. */
  undo(): void {
    if (this.canUndo && this._steps.isFollowing) {
      this._subject.undo();
    }
  }

  /** Set the note to null. */
  dismiss(): void {
    if (this._note !== null) {
      this._setNote(null);
    }
  }

  private _canApply(step: Step | null): boolean {
    const isDifferent = step?.code !== this._subject.source;
    return !!step && hasCode(step) && this.isWritable && isDifferent;
  }

  /**
   * Write a step's code into the cell, and record that. Nothing is awaited between the last check
   * of the cell and its change. If only recording fails, the note becomes `unrecorded`.
   *
   * @returns Whether the cell was changed.
   */
  private async _apply(
    index: number,
    action: 'restored' | 'branched'
  ): Promise<boolean> {
    const step = this._steps.all[index] ?? null;
    const { shown } = this._steps;
    if (!step || !shown || !this._canApply(step)) {
      return false;
    }
    this._player.pause();
    if (this.hasUnrecordedEdits && !(await this._host.confirmReplace(index))) {
      return false;
    }
    // The person may have switched to another cell while the dialog was open.
    const isStillShown = isSameCell(this._steps.shown, shown);
    if (!isStillShown || this.isDisposed || !this._canApply(step)) {
      return false;
    }
    const events = this._buildEvents(step, this._subject.source);
    const isAccepted = action === 'restored' && events[0].type === 'accept';
    const note = isAccepted ? 'accepted' : action;
    this._isApplying = true;
    try {
      this._subject.apply(step.code);
    } finally {
      this._isApplying = false;
    }
    this._setNote(note);
    const key = { notebookId: shown.notebookId, cellId: shown.cellId };
    try {
      await this._history.record(key, events);
    } catch {
      if (this._note === note) {
        this._setNote('unrecorded');
      }
    }
    return true;
  }

  /**
   * Build the events that record a restore and accept or reject an open suggestion. `replaced` is
   * the source that the restore replaces.
   */
  private _buildEvents(step: Step, replaced: string): EventBody[] {
    const suggestion = openTurn(this._steps.all);
    const turnId = suggestion?.turnId;
    if (suggestion?.index === step.index) {
      const accepted = { type: 'accept', turnId, source: step.code };
      return [
        this.hasUnrecordedEdits ? { ...accepted, data: { replaced } } : accepted
      ];
    }
    const data = { from_seq: step.seq, replaced };
    const restored = { type: 'restore', source: step.code, data };
    return suggestion ? [{ type: 'reject', turnId }, restored] : [restored];
  }

  private _setNote(note: ReplayNote): void {
    this._note = note;
    this.stateChanged.emit();
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    if (change === 'source' && !this._isApplying && this._note !== null) {
      this._setNote(null);
    }
  }

  private readonly _host: IReplayHost;
  private readonly _history: IHistory;
  private readonly _player: ReplayPlayer;
  private readonly _steps: ReplaySteps;
  private readonly _subject: IReplaySubject;
  private _isApplying = false;
  private _note: ReplayNote = null;
}

/** Whether a step has code to restore; a failed request may have none. */
function hasCode(step: Step): boolean {
  const hasFailed = step.outcome === 'error' || step.outcome === 'cancelled';
  return step.kind !== 'turn' || !hasFailed || step.code !== '';
}
