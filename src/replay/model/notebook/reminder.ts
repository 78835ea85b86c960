/**
 * Reminds a person of the last work in a notebook that is opened again after some days.
 *
 * Invariants:
 * - The person is reminded of a notebook at most once per page, and not before it is visible.
 * - Before a notebook is visible, nothing is requested. Then one list of summaries is requested. The
 *   timeline is requested only if the last work was long enough ago and the history isn't large.
 * - A failure is never shown: the reminder is left out.
 */
import { PathExt } from '@jupyterlab/coreutils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { IMessageHandler, Message, MessageLoop } from '@lumino/messaging';

import type { SessionSummary } from '../../../api/types';
import { isReadOnly } from '../../../cells/readOnly';
import { daysBetween } from '../../../labels/time';
import type { IHistory, INotebookIdentity } from '../../../tokens';
import { findBriefing, IBriefing, isInNotebook } from './briefing';
import type { BriefingModel } from './briefingModel';

/**
 * The largest history for which the timeline is requested. That of 30,000 records takes the server
 * a second; see `benchmarks/replay.py`.
 */
const MAX_RECORDS = 2000;

export interface IReminder {
  readonly panel: NotebookPanel;
  readonly name: string;
  readonly days: number;
  /** Null if the history is too large to be read now. */
  readonly briefing: IBriefing | null;
}

export interface IReminderOptions {
  readonly identity: Pick<INotebookIdentity, 'get' | 'registered'>;
  readonly history: IHistory;
  readonly briefing: BriefingModel;
  /** Return whether the sidebar shows the notebook tab. */
  readonly isTabShown: () => boolean;
  readonly remind: (reminder: IReminder) => void;
}

export class BriefingReminder {
  constructor(private readonly _options: IReminderOptions) {}

  /** Remind the person of the work in an open notebook as soon as it is visible. */
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
    const { identity, history, briefing, remind } = this._options;
    await identity.registered(panel);
    const isVisible = () => !panel.isDisposed && panel.isVisible;
    const notebookId = isVisible() ? identity.get(panel) : null;
    const isAllowed = briefing.afterDays > 0 && !isReadOnly(panel);
    if (notebookId === null || !isAllowed || this._checked.has(notebookId)) {
      return;
    }
    this._checked.add(notebookId);
    const summaries = await history.api.sessions(notebookId);
    const now = new Date();
    const lastTime = lastUpdate(summaries, openTime);
    if (!lastTime || !briefing.isDue(lastTime, now, notebookId)) {
      return;
    }
    const isTooLarge = isLarge(summaries);
    const lastBriefing = isTooLarge
      ? null
      : await this._findBriefing(notebookId, now);
    const end = isTooLarge ? lastTime : lastBriefing?.end;
    const isDue = end && briefing.isDue(end, now, notebookId);
    if (isDue && isVisible() && !this._options.isTabShown()) {
      const name = PathExt.basename(panel.context.path);
      const days = daysBetween(end, now);
      remind({ panel, name, days, briefing: lastBriefing });
    }
  }

  /** Return the briefing of a notebook; null if there is none. */
  private async _findBriefing(
    notebookId: string,
    now: Date
  ): Promise<IBriefing | null> {
    const { api } = this._options.history;
    const { moments, cells } = await api.timeline(notebookId);
    const cellById = new Map(cells.map(cell => [cell.cellId, cell]));
    const isPresent = (id: string) => isInNotebook(cellById.get(id));
    return findBriefing(moments, isPresent, now);
  }

  /** The ids of the notebooks that were visible. */
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

function isLarge(summaries: readonly SessionSummary[]): boolean {
  const counts = summaries.map(({ turns, events }) => turns + events);
  return counts.reduce((sum, count) => sum + count, 0) > MAX_RECORDS;
}
