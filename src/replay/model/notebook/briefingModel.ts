/**
 * The card with the notebook's briefing, which is shown if the last work was some days ago, and by a
 * command. Invariant: a closed card is shown by itself again only after the person has worked in the
 * notebook in another period. The browser remembers this, also after a reload.
 */
import { PathExt } from '@jupyterlab/coreutils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { VDomModel } from '@jupyterlab/ui-components';
import { IMessageHandler, Message, MessageLoop } from '@lumino/messaging';

import type { SessionSummary } from '../../../api/types';
import { isReadOnly } from '../../../cells/readOnly';
import { daysBetween } from '../../../labels/time';
import type { IHistory, INotebookIdentity } from '../../../tokens';
import type { IReplaySubject } from '../activeCell';
import {
  findBriefing,
  IBriefing,
  isInNotebook,
  PERIOD_PAUSE_MS
} from './briefing';
import type { NotebookTimeline } from './timeline';

/** The prefix of the keys under which the ends of the periods are stored whose cards were closed. */
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
    this.isFocusRequested = true;
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

  /** The view resets this once it has focused the card. */
  isFocusRequested = false;

  private _afterDays = 3;
  /** The briefing of `_moments` at the time `_now`. */
  private _briefing: IBriefing | null = null;
  private _moments: NotebookTimeline['moments'] | null = null;
  private _now = NaN;
  /** The id of the notebook for which the card was opened; undefined if it was opened for none. */
  private _openedNotebook: string | null | undefined;
}

/** The largest history for which the timeline is requested; see `benchmarks/replay.py`. */
const MAX_RECORDS = 2000;

export interface IReminder {
  readonly panel: NotebookPanel;
  readonly name: string;
  readonly days: number;
  /** Null if the history is too large to be read now. */
  readonly briefing: IBriefing | null;
}

export class BriefingReminder {
  constructor(
    private readonly _options: {
      readonly identity: Pick<INotebookIdentity, 'get' | 'registered'>;
      readonly history: IHistory;
      readonly briefing: BriefingModel;
      readonly isTabShown: () => boolean;
      readonly remind: (reminder: IReminder) => void;
    }
  ) {}

  add(panel: NotebookPanel): void {
    const openTime = new Date();
    const check = () =>
      void this._check(panel, openTime).catch(() => undefined);
    const hook = (_: IMessageHandler, { type }: Message) => {
      if (type === 'after-show' || type === 'after-attach') {
        check();
      }
      return true;
    };
    MessageLoop.installMessageHook(panel, hook);
    panel.disposed.connect(() => MessageLoop.removeMessageHook(panel, hook));
    check();
  }

  private async _check(panel: NotebookPanel, openTime: Date): Promise<void> {
    const { identity, briefing, remind } = this._options;
    await identity.registered(panel);
    const isVisible = () => !panel.isDisposed && panel.isVisible;
    const notebookId = isVisible() ? identity.get(panel) : null;
    const isAllowed = briefing.afterDays > 0 && !isReadOnly(panel);
    if (notebookId === null || !isAllowed || this._checked.has(notebookId)) {
      return;
    }
    this._checked.add(notebookId);
    const now = new Date();
    const work = await this._findWork(notebookId, openTime, now);
    const isDue = work && briefing.isDue(work.end, now, notebookId);
    if (isDue && isVisible() && !this._options.isTabShown()) {
      const name = PathExt.basename(panel.context.path);
      const days = daysBetween(work.end, now);
      remind({ panel, name, days, briefing: work.briefing });
    }
  }

  /** Return the last work in a notebook; null if it can't be due. */
  private async _findWork(
    notebookId: string,
    openTime: Date,
    now: Date
  ): Promise<{ end: Date; briefing: IBriefing | null } | null> {
    const { api } = this._options.history;
    const summaries = await api.sessions(notebookId);
    const end = lastUpdate(summaries, openTime);
    if (!end || !this._options.briefing.isDue(end, now, notebookId)) {
      return null;
    }
    const counts = summaries.map(({ turns, events }) => turns + events);
    if (counts.reduce((sum, count) => sum + count, 0) > MAX_RECORDS) {
      return { end, briefing: null };
    }
    const { moments, cells } = await api.timeline(notebookId);
    const cellById = new Map(cells.map(cell => [cell.cellId, cell]));
    const isPresent = (id: string) => isInNotebook(cellById.get(id));
    const briefing = findBriefing(moments, isPresent, now);
    return briefing && { end: briefing.end, briefing };
  }

  private readonly _checked = new Set<string>();
}

/**
 * Return the time of the last change before the notebook was opened, which itself may record
 * changes made outside JupyterLab; null if there is none.
 */
function lastUpdate(
  summaries: readonly SessionSummary[],
  openTime: Date
): Date | null {
  const times = summaries
    .map(({ lastUpdated }) => Date.parse(lastUpdated))
    .filter(time => time < openTime.getTime());
  return times.length ? new Date(Math.max(...times)) : null;
}
