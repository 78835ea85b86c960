/**
 * What can be done with the step on show: put it back, go on from it, insert it.
 *
 * What must hold:
 * - Whatever is done is done to the cell that is shown, or not at all; also where the person
 *   was asked first and something changed meanwhile (P34).
 * - Nothing is lost by it: a restore is one undo step (P35) and is recorded with what it
 *   replaced, and who would replace what no step holds yet is asked first.
 * - A restore decides on a proposal that is open: it accepts it if that is the step restored,
 *   and rejects it otherwise. Rows that show the proposal close when they read that record.
 * - Nothing is run by it (P13).
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import type { EventBody, Step } from '../../../api/types';
import type { IHistory } from '../../../tokens';
import type { IBranch } from '../../../records/branch';
import { after, branchAt, openTurn } from './graph';
import type { ReplayPlayer } from '../player';
import { lastClean } from './runs';
import type { ReplaySteps } from './steps';
import type { IReplaySubject, SubjectChange } from '../subject';

/** What became of the last thing that was done. */
export type ReplayNote =
  'restored' | 'accepted' | 'unrecorded' | 'branched' | 'inserted' | null;

/** What a model can't do itself. */
export interface IReplayAsking {
  /** Whether to put step `index` back although the cell was changed since its last step. */
  mayReplace(index: number): Promise<boolean>;
  /** Let the person ask; the request continues from this one, if any. */
  goOn(branch: IBranch | null): void;
}

export class ReplayActions implements IDisposable {
  constructor(options: {
    subject: IReplaySubject;
    history: IHistory;
    steps: ReplaySteps;
    player: ReplayPlayer;
    asking: IReplayAsking;
  }) {
    this._subject = options.subject;
    this._history = options.history;
    this._steps = options.steps;
    this._player = options.player;
    this._asking = options.asking;
    this._subject.changed.connect(this._onSubjectChanged, this);
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The step on show. */
  get step(): Step | null {
    return this._steps.all[this._player.position] ?? null;
  }

  /** Whether the cell on show holds the step on show. */
  get isInCell(): boolean {
    return this.holds(this._player.position);
  }

  /** Whether the cell on show holds the code of step `index`. */
  holds(index: number): boolean {
    const step = this._steps.all[index];
    const { isFollowing } = this._steps;
    return isFollowing && !!step && step.code === this._subject.source;
  }

  /** Whether the cell holds what no step left there: a person has changed it since. */
  get isEditedSince(): boolean {
    const last = this._steps.all[this._steps.all.length - 1];
    const isShown = this._steps.isFollowing && !!last;
    return isShown && after(last) !== this._subject.source;
  }

  /** Whether code can be put into the cell on show. */
  get isWritable(): boolean {
    return this._steps.isFollowing && this._subject.isWritable;
  }

  get canRestore(): boolean {
    return this._canPut(this.step);
  }

  /** Where the last run without an error is, if the cell no longer holds its code. */
  get cleanStep(): number | null {
    const at = lastClean(this._steps.all);
    return at !== null && this._canPut(this._steps.all[at]) ? at : null;
  }

  /** Whether the step on show can be gone on from. */
  get canBranch(): boolean {
    const { step } = this;
    return !!step && hasCode(step) && this.isWritable;
  }

  get canInsert(): boolean {
    return !!this.step?.code && this._subject.canInsert;
  }

  /** What became of the last thing that was done; gone when the cell changes again. */
  get note(): ReplayNote {
    return this._note;
  }

  /** Whether what was done can be taken back here. */
  get canUndo(): boolean {
    return this._note !== null && this._note !== 'inserted';
  }

  /** Put the step on show back into its cell; whether that was done. */
  restore(): Promise<boolean> {
    return this._put(this._player.position, 'restored');
  }

  /** Put the last version that ran without an error back into its cell. */
  async restoreClean(): Promise<boolean> {
    const at = this.cleanStep;
    return at !== null && (await this._put(at, 'restored'));
  }

  /** Put the step on show into the cell, and let the person ask: the request goes on from it. */
  async branch(): Promise<boolean> {
    const { step } = this;
    if (!this.canBranch || !step) {
      return false;
    }
    const branch = branchAt(this._steps.all, step.index);
    const isThere =
      this.isInCell || (await this._put(this._player.position, 'branched'));
    if (isThere) {
      this._asking.goOn(branch);
    }
    return isThere;
  }

  /** Put the step on show into a new cell below the active one. */
  insertBelow(): void {
    const { step } = this;
    if (this.canInsert && step) {
      this._player.pause();
      this._subject.insertBelow(step.code);
      this._say('inserted');
    }
  }

  /** Take the restore back. */
  undo(): void {
    if (this.canUndo && this._steps.isFollowing) {
      this._subject.undo();
    }
  }

  /** Say no more of what was done. */
  dismiss(): void {
    if (this._note !== null) {
      this._say(null);
    }
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._subject.changed.disconnect(this._onSubjectChanged, this);
      Signal.clearData(this);
    }
  }

  private _canPut(step: Step | null): boolean {
    const isOther = step?.code !== this._subject.source;
    return !!step && hasCode(step) && this.isWritable && isOther;
  }

  /**
   * Put a step into the cell: one undo step, and recorded. Nothing is awaited between the last
   * look at the cell and the change of it. If only the record fails, `note` says so.
   */
  private async _put(
    at: number,
    done: 'restored' | 'branched'
  ): Promise<boolean> {
    const step = this._steps.all[at] ?? null;
    const { shown } = this._steps;
    if (!step || !shown || !this._canPut(step)) {
      return false;
    }
    this._player.pause();
    if (this.isEditedSince && !(await this._asking.mayReplace(at))) {
      return false;
    }
    const now = this._steps.shown;
    const isSame =
      now?.cellId === shown.cellId && now.notebookId === shown.notebookId;
    if (!isSame || this._isDisposed || !this._canPut(step)) {
      return false;
    }
    const events = this._eventsOf(step, this._subject.source);
    const isAccepted = done === 'restored' && events[0].type === 'accept';
    const note = isAccepted ? 'accepted' : done;
    this._isApplying = true;
    try {
      this._subject.apply(step.code);
    } finally {
      this._isApplying = false;
    }
    this._say(note);
    const key = { notebookId: shown.notebookId, cellId: shown.cellId };
    try {
      await this._history.record(key, events);
    } catch {
      if (this._note === note) {
        this._say('unrecorded');
      }
    }
    return true;
  }

  /** The record of a restore, which also decides on the open proposal. */
  private _eventsOf(step: Step, replaced: string): EventBody[] {
    const proposal = openTurn(this._steps.all);
    const turnId = proposal?.turnId;
    if (proposal?.index === step.index) {
      const accepted = { type: 'accept', turnId, source: step.code };
      return [
        this.isEditedSince ? { ...accepted, data: { replaced } } : accepted
      ];
    }
    const data = { from_seq: step.seq, replaced };
    const restored = { type: 'restore', source: step.code, data };
    return proposal ? [{ type: 'reject', turnId }, restored] : [restored];
  }

  private _say(note: ReplayNote): void {
    this._note = note;
    this._changed.emit();
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    if (change === 'source' && !this._isApplying && this._note !== null) {
      this._say(null);
    }
  }

  private readonly _asking: IReplayAsking;
  private readonly _history: IHistory;
  private readonly _player: ReplayPlayer;
  private readonly _steps: ReplaySteps;
  private readonly _subject: IReplaySubject;
  private _changed = new Signal<this, void>(this);
  private _isApplying = false;
  private _isDisposed = false;
  private _note: ReplayNote = null;
}

/** Whether the step has a version to put back: a request that failed may have none. */
function hasCode(step: Step): boolean {
  const failed = step.outcome === 'error' || step.outcome === 'cancelled';
  return step.kind !== 'turn' || !failed || step.code !== '';
}
