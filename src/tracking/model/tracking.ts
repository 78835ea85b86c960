/**
 * Tracks the open notebooks. A `NotebookWatch` watches each one that has a turn, or an agent's
 * event, unless tracking is off.
 *
 * Invariants:
 * - As long as a notebook has neither, nothing about its cells is recorded. The page only remembers
 *   cells pasted from watched notebooks, to record them as copies when the notebook gets its first
 *   turn.
 * - Nothing is recorded under a notebook id before the server has confirmed it. Otherwise, a copy
 *   could be recorded under the original's id.
 * - What an agent writes is always recorded, even if tracking is off.
 * - Nothing is recorded twice, even if a new watch starts because the page was reloaded, another
 *   page opened the notebook, or its id changed.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import type { SessionSummary } from '../../api/types';
import type {
  ICellDeletion,
  ICellKey,
  IHistory,
  INotebookIdentity,
  IQueuedEvents,
  ITracking,
  ISessionChange
} from '../../tokens';
import {
  type IRedrawnImage,
  imagesOf,
  redrawImage
} from '../../cells/plots/images';
import { UntrackedPastes } from './untrackedPastes';
import type { ICauseDetectors } from './contributors/writers';
import { SessionAwareness } from './awareness';
import { type IWatchOptions, NotebookWatch } from './watch/notebookWatch';
import { Origins } from './watch/origins';
import { outputsOf, textOf } from './runs/outputs';
import type { Scope } from './watch/recordedState';
import type { IRun } from './runs/runs';

/** `bytes` is the server's limit for a blob. */
const THUMBNAIL = { side: 320, bytes: 256 * 1024 };

export interface ITrackingOptions {
  identity: INotebookIdentity;
  history: IHistory;
  /** Resolves to the SHA-256. */
  storeImage: (image: Blob) => Promise<string>;
  causeDetectors?: ICauseDetectors;
}

/** The delay before a failed start of a watch is repeated. */
const RETRY_MS = 10_000;

/**
 * Kinds of the last step with which a cell's removal is recorded. A `merge` removes the cells that
 * become part of another.
 */
const REMOVAL_KINDS: ReadonlySet<string> = new Set(['delete', 'merge']);

export class Tracking implements ITracking {
  constructor(private readonly _options: ITrackingOptions) {
    _options.identity.changed.connect(
      (_, panel) => this._updateWatch(panel),
      this
    );
    _options.history.changed.connect(this._onSessionChanged, this);
    _options.history.eventsQueued.connect(this._onEventsQueued, this);
  }

  /** All cells are watched, only those with a turn (`ai`), or none (`off`). */
  get scope(): Scope | 'off' {
    return this._scope;
  }
  set scope(scope: Scope | 'off') {
    if (scope !== this._scope) {
      this._scope = scope;
      // A watch can't change its scope.
      this._panels.forEach(panel => {
        this._watches.get(panel)?.capture('leave');
        this._endWatch(panel);
        this._updateWatch(panel);
      });
    }
  }

  recordsOutputs = true;

  readonly cellsDeleted: Signal<ITracking, ICellDeletion> = new Signal(this);

  isTracked(panel: NotebookPanel): boolean {
    return this._watches.has(panel);
  }

  add(panel: NotebookPanel): void {
    this._panels.add(panel);
    void panel.context.ready.then(() => this._listen(panel));
    panel.disposed.connect(() => {
      this._panels.delete(panel);
      this._pastes.get(panel)?.dispose();
      this._pastes.delete(panel);
      this._awareness.get(panel)?.dispose();
      this._awareness.delete(panel);
      this._watches.get(panel)?.capture('leave');
      this._endWatch(panel);
    }, this);
    this._updateWatch(panel);
  }

  captureBeforeRequest(panel: NotebookPanel): void {
    this._watches.get(panel)?.capture('request');
  }

  /**
   * Wait until a notebook's watch has started, or the page has found that none is needed. Wait for a
   * failed start, not for its retry. If a newer start replaces one, wait for the newer one.
   */
  async started(panel: NotebookPanel): Promise<void> {
    let starting: Promise<void> | undefined;
    while (starting !== this._starting.get(panel)) {
      starting = this._starting.get(panel);
      await starting;
    }
  }

  async settled(panel: NotebookPanel): Promise<void> {
    await this.started(panel);
    const { identity, history } = this._options;
    const watch = this._watches.get(panel);
    const notebookId = watch?.notebookId ?? identity.get(panel);
    if (notebookId) {
      this._recordPastes(panel, notebookId);
      await history.settled(notebookId);
    }
  }

  async recordWrite<T>(
    panel: NotebookPanel,
    cellIds: readonly string[],
    write: () => T
  ): Promise<T | null> {
    this._writeCounts.set(panel, (this._writeCounts.get(panel) ?? 0) + 1);
    try {
      if (!this._watches.has(panel)) {
        this._updateWatch(panel);
        await this.started(panel);
      }
      const watch = this._watches.get(panel);
      return watch ? watch.recordWrite(cellIds, write) : null;
    } finally {
      const count = this._writeCounts.get(panel)! - 1;
      this._writeCounts.set(panel, count);
      if (!count && this._scope === 'off') {
        this._endWatch(panel);
      }
    }
  }

  /** Record all unrecorded edits, because the page may be about to close. */
  captureAll(): void {
    this._watches.forEach(watch => watch.captureBeforeClose());
  }

  /** If a request fails, retry after a delay. */
  private _updateWatch(panel: NotebookPanel): void {
    const starting = this._start(panel).catch(() => {
      setTimeout(() => {
        if (this._panels.has(panel)) {
          this._updateWatch(panel);
        }
      }, RETRY_MS);
    });
    this._starting.set(panel, starting);
  }

  /**
   * End a watch with an outdated notebook id. Start one if the notebook needs it and has none.
   *
   * @throws ApiError if a request to the server fails.
   */
  private async _start(panel: NotebookPanel): Promise<void> {
    const { identity, history } = this._options;
    await identity.registered(panel);
    const notebookId = this._panels.has(panel) ? identity.get(panel) : null;
    if (this._watches.get(panel)?.notebookId !== notebookId) {
      this._endWatch(panel);
    }
    const isOff = this._scopeOf(panel) === 'off';
    if (!notebookId || isOff || this._watches.has(panel)) {
      return;
    }
    const attempt = {};
    this._attempts.set(panel, attempt);
    // Meanwhile, the notebook may be closed or get another id.
    const isCurrent = () =>
      this._attempts.get(panel) === attempt &&
      this._panels.has(panel) &&
      identity.get(panel) === notebookId;
    let summaries = await history.api.sessions(notebookId);
    if (!isCurrent() || !this._isWatched(panel, summaries)) {
      return;
    }
    if (this._recordPastes(panel, notebookId)) {
      await history.settled(notebookId);
      summaries = await history.api.sessions(notebookId);
    }
    const scope = this._scopeOf(panel);
    if (!isCurrent() || scope === 'off') {
      return;
    }
    const watch = this._createWatch({ panel, notebookId, scope, summaries });
    this._watches.set(panel, watch);
  }

  /** Return whether a notebook has a history, or an agent writes the beginning of one. */
  private _isWatched(
    panel: NotebookPanel,
    summaries: readonly SessionSummary[]
  ): boolean {
    const hasHistory = summaries.some(({ turns, events }) => turns || events);
    return hasHistory || !!this._writeCounts.get(panel);
  }

  /** While an agent writes, never `off`. */
  private _scopeOf(panel: NotebookPanel): Scope | 'off' {
    const isWritten = this._writeCounts.get(panel);
    return this._scope === 'off' && isWritten ? 'ai' : this._scope;
  }

  private _createWatch(
    options: Pick<IWatchOptions, 'panel' | 'notebookId' | 'scope' | 'summaries'>
  ): NotebookWatch {
    const { notebookId } = options;
    const { causeDetectors = {}, history } = this._options;
    return new NotebookWatch({
      ...options,
      causeDetectors,
      origins: this._origins,
      push: change => history.recordChange(notebookId, change),
      isDeletionRecorded: async cellId => {
        const { steps } = await history.api.replay({ notebookId, cellId });
        return REMOVAL_KINDS.has(steps.at(-1)?.kind ?? '');
      },
      onDeletion: deletion => this.cellsDeleted.emit(deletion),
      createPreview: run => this._createPreview(run)
    });
  }

  /**
   * Remember the cells that are pasted while the notebook isn't watched, and listen to other pages
   * of a shared notebook: one of them may write its first turn.
   */
  private _listen(panel: NotebookPanel): void {
    if (this._panels.has(panel) && !this._pastes.has(panel)) {
      const isActive = () => this._scope !== 'off' && !this._watches.has(panel);
      this._pastes.set(
        panel,
        new UntrackedPastes(panel, this._origins, isActive)
      );
      const { awareness } = panel.context.model.sharedModel as YNotebook;
      const sessionAwareness = new SessionAwareness(awareness, id =>
        this._onRemoteWrite(panel, id)
      );
      this._awareness.set(panel, sessionAwareness);
    }
  }

  /** Record the cells pasted before the watch started as copies. Return whether there were any. */
  private _recordPastes(panel: NotebookPanel, notebookId: string): boolean {
    const cells = this._pastes.get(panel)?.takeEvents() ?? [];
    if (!cells.length || this._scope === 'off') {
      return false;
    }
    this._options.history.recordChange(notebookId, { cells });
    return true;
  }

  private _endWatch(panel: NotebookPanel): void {
    this._watches.get(panel)?.dispose();
    this._watches.delete(panel);
  }

  private _onRemoteWrite(panel: NotebookPanel, cellId: string): void {
    const { identity, history } = this._options;
    const notebookId = identity.get(panel);
    if (notebookId) {
      history.notify({ notebookId, cellId, isRemote: true });
    }
  }

  /**
   * Notify the other pages of this page's write. It may be the first turn of the notebook or cell,
   * so watch it if it has a turn.
   */
  private _onSessionChanged(_: IHistory, key: ISessionChange): void {
    for (const panel of this._panels) {
      const { identity } = this._options;
      const watch = this._watches.get(panel);
      const isSameNotebook = identity.get(panel) === key.notebookId;
      if (isSameNotebook && !key.isRemote) {
        this._awareness.get(panel)?.announce(key.cellId);
      }
      if (!watch && isSameNotebook) {
        this._updateWatch(panel);
      } else if (watch?.notebookId === key.notebookId) {
        void this._checkForTurn(watch, key);
      }
    }
  }

  private async _checkForTurn(
    watch: NotebookWatch,
    key: ICellKey
  ): Promise<void> {
    if (watch.needsTurnCheck(key.cellId)) {
      const { api } = this._options.history;
      const replay = await api.replay(key).catch(() => null);
      if (replay?.steps.some(step => step.kind === 'turn')) {
        watch.addTurn(key.cellId);
      }
    }
  }

  private _onEventsQueued(_: IHistory, queued: IQueuedEvents): void {
    this._watches.forEach(watch => watch.onEventsQueued(queued));
  }

  private async _createPreview({ model }: IRun): Promise<object | null> {
    if (!model || !this.recordsOutputs) {
      return null;
    }
    const outputs = outputsOf(model);
    const text = textOf(outputs);
    const [original] = imagesOf(outputs);
    const thumbnail = original && (await redrawImage(original, THUMBNAIL));
    const image = thumbnail && (await this._storeImage(thumbnail));
    const images = image && { images: [image] };
    return text || image ? { ...text, ...images } : null;
  }

  private async _storeImage({ blob, width, height }: IRedrawnImage) {
    try {
      const sha256 = await this._options.storeImage(blob);
      return { sha256, mime: blob.type, width, height };
    } catch {
      return null;
    }
  }

  private _scope: Scope | 'off' = 'all';
  private readonly _panels = new Set<NotebookPanel>();
  private readonly _writeCounts = new WeakMap<NotebookPanel, number>();
  private readonly _watches = new Map<NotebookPanel, NotebookWatch>();
  private readonly _pastes = new Map<NotebookPanel, UntrackedPastes>();
  private readonly _awareness = new Map<NotebookPanel, SessionAwareness>();
  /** The last call of `_start` for each notebook. */
  private readonly _starting = new WeakMap<NotebookPanel, Promise<void>>();
  /** The last attempt to start each notebook's watch. An older one gives up. */
  private readonly _attempts = new WeakMap<NotebookPanel, object>();
  private readonly _origins = new Origins(() => this._watches.values());
}
