/**
 * The card with the notebook's briefing, at the top of the notebook tab. It is shown by itself if
 * the last work was some days ago, and by a command.
 *
 * Invariant: a closed card is shown by itself again only after the person has worked in the notebook
 * in another period. The browser remembers this, also after a reload.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import { daysBetween } from '../../../labels/time';
import type { IReplaySubject } from '../activeCell';
import {
  findBriefing,
  IBriefing,
  isInNotebook,
  PERIOD_PAUSE_MS
} from './briefing';
import type { NotebookTimeline } from './timeline';

/**
 * The prefix of a key for each notebook whose card was closed, with the end of the period as value.
 */
const STORAGE_PREFIX = 'aiserver:briefing:';

export class BriefingModel extends VDomModel {
  constructor(
    private readonly _subject: IReplaySubject,
    private readonly _timeline: NotebookTimeline
  ) {
    super();
  }

  get afterDays(): number {
    return this._afterDays;
  }
  set afterDays(value: number) {
    if (value !== this._afterDays) {
      this._afterDays = value;
      this.stateChanged.emit();
    }
  }

  /** Return the current notebook's briefing; null if there is none or the timeline isn't loaded. */
  find(now: Date): IBriefing | null {
    const { moments } = this._timeline;
    if (moments !== this._moments || now.getTime() !== this._now) {
      this._moments = moments;
      this._now = now.getTime();
      this._briefing = findBriefing(
        moments,
        cellId => isInNotebook(this._timeline.cell(cellId)),
        now
      );
    }
    return this._briefing;
  }

  isShown(now: Date): boolean {
    const briefing = this.find(now);
    if (this._openedNotebook === this._subject.notebookId) {
      // Until the timeline is loaded, it isn't known whether there is a briefing.
      const { isLoading, error } = this._timeline;
      return this.hasHistory || !(isLoading || error);
    }
    return briefing !== null && this.isDue(briefing.end, now);
  }

  get hasHistory(): boolean {
    return this._timeline.moments.length > 0;
  }

  /** Return whether the briefing about a period with this end is shown by itself. */
  isDue(
    end: Date,
    now: Date,
    notebookId: string | null = this._subject.notebookId
  ): boolean {
    const closedEnd = Date.parse(
      window.localStorage.getItem(`${STORAGE_PREFIX}${notebookId}`) ?? ''
    );
    // The pause before a later period is at least this long.
    const isClosed = end.getTime() - closedEnd <= PERIOD_PAUSE_MS;
    const { afterDays } = this;
    return afterDays > 0 && daysBetween(end, now) >= afterDays && !isClosed;
  }

  /** Show the card of the current notebook, whenever the last work was, and focus it. */
  open(): void {
    this._openedNotebook = this._subject.notebookId;
    this._isFocusRequested = true;
    this.stateChanged.emit();
  }

  close(now: Date): void {
    const end = this.find(now)?.end;
    const { notebookId } = this._subject;
    if (end && notebookId !== null) {
      window.localStorage.setItem(STORAGE_PREFIX + notebookId, end.toJSON());
    }
    this._openedNotebook = undefined;
    this.stateChanged.emit();
  }

  /** Return whether the view should focus the card, once after each call of `open`. */
  consumeFocusRequest(): boolean {
    const isRequested = this._isFocusRequested;
    this._isFocusRequested = false;
    return isRequested;
  }

  private _afterDays = 3;
  /** The briefing of `_moments` at the time `_now`. */
  private _briefing: IBriefing | null = null;
  private _isFocusRequested = false;
  private _moments: NotebookTimeline['moments'] | null = null;
  private _now = NaN;
  /** The id of the notebook for which the card was opened; undefined if it was opened for none. */
  private _openedNotebook: string | null | undefined;
}
