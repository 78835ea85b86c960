/**
 * Notices that cells vanish from an open notebook, or have vanished since its last recorded save,
 * although no person deleted them. Only what is missing at the time of the decision counts, because
 * programs may delete cells and insert them again.
 */
import type { ICell } from '@jupyterlab/nbformat';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { ContributorBody, Moment } from '../../../api/types';
import { recordedCell } from '../../../cells/recordedCell';
import { sourceOf } from '../../../cells/source';
import { FILE_ON_DISK } from '../../../records/contributor';
import type {
  ICellDeletion,
  IHistory,
  INotebookIdentity,
  ITracking
} from '../../../tokens';
import { findMissing, type ICellText, isLoss } from './losses';

/** The time from a deletion to the decision, in milliseconds. */
const DELAY_MS = 800;
/** Deletions within this time add up, in milliseconds. */
const PERIOD_MS = 60_000;
/** The prefix of the keys under which the ids of cells are stored that needn't come back. */
const STORAGE_PREFIX = 'aiserver:losses:';

/** Cells that vanished from a notebook although no person deleted them. */
export interface ILoss {
  readonly panel: NotebookPanel;
  /** All cells before, in order. */
  readonly before: readonly ICellText[];
  readonly cells: Map<string, ICell>;
  readonly contributor: ContributorBody;
  /** The time at which the notebook still had all of them. */
  readonly time: Date;
}

/** Deletions in a notebook that the person hasn't decided about. */
type PendingLoss = { -readonly [Field in keyof ILoss]: ILoss[Field] } & {
  mayBeWanted: boolean;
  timer?: number;
  dismiss?: () => void;
};

export class LossDetector {
  constructor(
    private readonly _options: {
      readonly tracking: ITracking;
      readonly history: Pick<IHistory, 'api'>;
      readonly identity: Pick<INotebookIdentity, 'get'>;
      /** Return whether the person is doing something now that may delete cells. */
      readonly isPersonActing: () => boolean;
      /** Announce a loss. Returns a function that removes the announcement. */
      readonly announce: (loss: ILoss) => () => void;
    }
  ) {
    _options.tracking.cellsDeleted.connect(
      (_, deletion) => void this._onDeletion(deletion)
    );
  }

  /** Compare a notebook that was opened with its state after the last save that was recorded. */
  async checkOpened(panel: NotebookPanel): Promise<void> {
    const { tracking, identity, announce } = this._options;
    await panel.context.ready;
    const [time, opened] = [new Date(), cellsOf(panel)];
    await tracking.settled(panel);
    const notebookId = panel.isDisposed ? null : identity.get(panel);
    if (notebookId === null || !tracking.isTracked(panel)) {
      return;
    }
    const last = await this._findLast(panel, notebookId, opened, time);
    const ids = window.localStorage.getItem(STORAGE_PREFIX + notebookId);
    const before = last?.before ?? [];
    const missing = findMissing(before, opened).filter(
      ({ id, source }) => source.trim() && !ids?.split(' ').includes(id)
    );
    if (last && isLoss(missing, before, false)) {
      const { api } = this._options.history;
      const cells = await Promise.all(
        missing.map(cell => recordedCell(api, notebookId, cell))
      );
      announce({
        panel,
        ...last,
        cells: new Map(cells.map(cell => [cell.id as string, cell]))
      });
    }
  }

  /** Forget a loss. If the person accepts it, it isn't announced the next time either. */
  settle({ panel, cells }: ILoss, isAccepted: boolean): void {
    this._losses.delete(panel);
    const notebookId = this._options.identity.get(panel);
    if (isAccepted && notebookId !== null) {
      const ids = [...cells.keys()].join(' ');
      window.localStorage.setItem(STORAGE_PREFIX + notebookId, ids);
    }
  }

  private async _onDeletion(deletion: ICellDeletion): Promise<void> {
    const { panel, before, deleted } = deletion;
    const isPersonActing = this._options.isPersonActing();
    const time = new Date();
    const contributor = await deletion.contributor;
    let loss = this._losses.get(panel);
    if (contributor.kind === 'person') {
      deleted.forEach((_, id) => loss?.cells.delete(id));
      return;
    }
    if (!loss || time.getTime() - loss.time.getTime() > PERIOD_MS) {
      const cells = new Map<string, ICell>();
      loss = { panel, before, cells, contributor, time, mayBeWanted: true };
      this._losses.set(panel, loss);
    }
    const oldIds = new Set(loss.before.map(({ id }) => id));
    loss.before = [
      ...loss.before,
      ...before.filter(({ id }) => !oldIds.has(id))
    ];
    loss.contributor = contributor;
    loss.mayBeWanted &&= isPersonActing && contributor.kind !== 'agent';
    deleted.forEach((cell, id) => loss.cells.set(id, cell as ICell));
    loss.timer ??= window.setTimeout(() => this._decide(loss), DELAY_MS);
  }

  private _decide(loss: PendingLoss): void {
    const { panel, before, cells, mayBeWanted } = loss;
    loss.timer = undefined;
    const missing = panel.isDisposed
      ? []
      : findMissing(before, cellsOf(panel)).filter(({ id }) => cells.has(id));
    if (
      this._losses.get(panel) === loss &&
      isLoss(missing, before, mayBeWanted)
    ) {
      loss.dismiss?.();
      loss.dismiss = this._options.announce({
        ...loss,
        cells: new Map(missing.map(({ id }) => [id, cells.get(id)!]))
      });
    }
  }

  /** Return the cells at the last save before the notebook was opened; null if none is recorded. */
  private async _findLast(
    { context }: NotebookPanel,
    notebookId: string,
    opened: readonly ICellText[],
    openTime: Date
  ) {
    const { api } = this._options.history;
    const ids = new Set(opened.map(({ id }) => id));
    const summaries = await api.sessions(notebookId);
    if (summaries.every(({ cellId }) => ids.has(cellId))) {
      return null; // Don't read the timeline, which may be long.
    }
    const { moments, version } = await api.timeline(notebookId);
    const earlier = moments
      .filter(
        moment => !isUnasked(moment) && new Date(moment.timestamp) < openTime
      )
      .reverse();
    // The server saves a shared notebook after each change, and the page doesn't record it.
    const isSaved = ({ saved }: { saved: boolean }) =>
      saved || !!context.model.collaborative;
    const last = earlier.find(isSaved) ?? earlier.at(0);
    if (!last) {
      return null;
    }
    const deletions = moments
      .slice(last.index + 1)
      .filter(({ kind }) => kind === 'delete' || kind === 'merge');
    const removed = deletions
      .filter(moment => !isUnasked(moment))
      .flatMap(moment => [moment, ...(moment.furtherSteps ?? [])])
      .map(({ cellId }) => cellId);
    const { cells } = await api.moment(notebookId, last.index, version);
    const before = cells
      .filter(({ cellId }) => !removed.includes(cellId))
      .map(cell => ({ ...cell, id: cell.cellId }));
    const agent = deletions.find(isUnasked);
    const contributor: ContributorBody = agent
      ? { kind: 'agent', name: agent.name }
      : { kind: 'program', name: FILE_ON_DISK };
    return { before, contributor, time: new Date(last.timestamp) };
  }

  private readonly _losses = new WeakMap<NotebookPanel, PendingLoss>();
}

/** Whether an agent made a change by itself: with AI Server's tools, it gives an intent. */
function isUnasked({ author, title }: Moment): boolean {
  return author === 'agent' && !title;
}

function cellsOf({ context }: NotebookPanel): ICellText[] {
  const { cells } = context.model.sharedModel;
  return cells.map(cell => ({ id: cell.getId(), source: sourceOf(cell) }));
}
