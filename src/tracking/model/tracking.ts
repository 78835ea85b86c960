/**
 * Tracks the open notebooks. Each open notebook that has a turn, or an event of an agent, is watched
 * by a `NotebookWatch`, unless tracking is off.
 *
 * Invariants:
 * - As long as a notebook has neither, nothing about its cells is recorded. The page only remembers
 *   the cells that are pasted into the notebook from watched notebooks. When the notebook gets its
 *   first turn, these cells are recorded as copies.
 * - Nothing is recorded under a notebook id before the server has confirmed the id. Otherwise, a
 *   copy of a notebook could be recorded under the id of the original.
 * - What an agent writes is always recorded, even if tracking is off.
 * - Nothing is recorded twice, even if a new watch starts because the page was reloaded, another
 *   page opened the notebook, or the id of the notebook changed.
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

/** The maximum size of a thumbnail. The number of bytes is the server's limit for a blob. */
const THUMBNAIL = { side: 320, bytes: 256 * 1024 };

export interface ITrackingOptions {
  identity: INotebookIdentity;
  history: IHistory;
  /** Stores a thumbnail; resolves to its SHA-256. */
  storeImage: (image: Blob) => Promise<string>;
  causeDetectors?: ICauseDetectors;
}

/** The delay before a failed start of a watch is repeated, in milliseconds. */
const RETRY_MS = 10_000;

/**
 * If the last step of a removed cell has one of these kinds, the removal has been recorded. A
 * `merge` removes the cells that become part of another cell.
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

  /** The cells that are watched: all cells, only cells with a turn (`ai`), or none (`off`). */
  get scope(): Scope | 'off' {
    return this._scope;
  }
  set scope(scope: Scope | 'off') {
    if (scope !== this._scope) {
      this._scope = scope;
      // A watch can't change its scope, so start a new watch for each notebook.
      this._panels.forEach(panel => {
        this._watches.get(panel)?.capture('leave');
        this._endWatch(panel);
        this._updateWatch(panel);
      });
    }
  }

  /** Whether each run is recorded with a preview of the outputs. */
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
   * Wait until the watch of a notebook has started, or the page has found that the notebook needs
   * no watch. If the start fails, wait only until it has failed, not for its retry. A start that
   * gives up because of a newer one isn't the end.
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

  /** Record all unrecorded edits in all notebooks, because the page may be about to close. */
  captureAll(): void {
    this._watches.forEach(watch => watch.captureBeforeClose());
  }

  /** Start or end the watch of a notebook as needed. If a request fails, retry after a delay. */
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
   * End the notebook's watch if it has an outdated notebook id. Start a watch if the notebook needs
   * a watch and has none.
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
    // While this method waits for the server, the notebook may be closed or get another id.
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

  /** Return the scope in which a notebook is watched now: while an agent writes, never `off`. */
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
   * Start to remember the cells that are pasted into a notebook while it isn't watched. Also start
   * to listen to the other pages of a shared notebook. One of them may write the notebook's first
   * turn.
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

  /**
   * Record, as copies, the cells that were pasted before the watch started. Return whether any were
   * recorded.
   */
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

  /** Emit the history's `changed` after another page wrote to the session of a cell. */
  private _onRemoteWrite(panel: NotebookPanel, cellId: string): void {
    const { identity, history } = this._options;
    const notebookId = identity.get(panel);
    if (notebookId) {
      history.notify({ notebookId, cellId, isRemote: true });
    }
  }

  /**
   * Notify the other pages if this page has written the session. The write may have been the first
   * turn of the notebook or of the cell. So start to watch the notebook or cell if it has a turn.
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

  /** Create a preview of a run's outputs; null if there is nothing to record. */
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

  /** Store a thumbnail. Return its description for the event of the run; null if storing fails. */
  private async _storeImage({ blob, width, height }: IRedrawnImage) {
    try {
      const sha256 = await this._options.storeImage(blob);
      return { sha256, mime: blob.type, width, height };
    } catch {
      return null; // Record the run without its image.
    }
  }

  private _scope: Scope | 'off' = 'all';
  private readonly _panels = new Set<NotebookPanel>();
  /** The number of pending calls of `recordWrite` for each notebook. */
  private readonly _writeCounts = new WeakMap<NotebookPanel, number>();
  private readonly _watches = new Map<NotebookPanel, NotebookWatch>();
  private readonly _pastes = new Map<NotebookPanel, UntrackedPastes>();
  private readonly _awareness = new Map<NotebookPanel, SessionAwareness>();
  /** The promise of the last call of `_start` for each notebook. */
  private readonly _starting = new WeakMap<NotebookPanel, Promise<void>>();
  /** The last attempt to start a watch of each notebook. An older one gives up. */
  private readonly _attempts = new WeakMap<NotebookPanel, object>();
  private readonly _origins = new Origins(() => this._watches.values());
}
