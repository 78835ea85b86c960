/**
 * Tracks the open notebooks that have AI turns, each with a `NotebookWatch`.
 *
 * Invariants:
 * - Nothing about a notebook is sent until it has an AI turn. Until then, the page only remembers
 *   the cells that are pasted into it from watched notebooks, to record them later as copies.
 * - Nothing is recorded under a notebook id before the server has confirmed that id, because the
 *   notebook may be a copy that still has the id of the original.
 * - If a second page opens the notebook, the page is reloaded or the id changes, a new watch
 *   starts, and nothing is recorded twice.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type {
  ICellKey,
  IHistory,
  INotebookIdentity,
  IRecording,
  ITracking,
  ISessionChange
} from '../../tokens';
import { UntrackedPastes } from './untrackedPastes';
import type { ICauseDetectors } from './contributors/writers';
import { SessionAwareness } from './awareness';
import { NotebookWatch } from './watch/notebookWatch';
import { Origins } from './watch/origins';
import { outputsOf, imageOf, textOf } from './runs/outputs';
import type { Scope } from './watch/recordedState';
import type { IRun } from './runs/runs';
import { IThumbnail, createThumbnail } from './runs/thumbnail';

export interface ITrackingOptions {
  identity: INotebookIdentity;
  history: IHistory;
  /** Stores a thumbnail; resolves to its SHA-256. */
  storeImage: (image: Blob) => Promise<string>;
  /** Detect the causes of changes in the page. */
  causeDetectors?: ICauseDetectors;
}

/** Delay before a failed start is retried, in milliseconds. */
const RETRY_MS = 10_000;

/** Kinds that the last step of a removed cell can have; `merge`: it became part of another cell. */
const REMOVED_KINDS: ReadonlySet<string> = new Set(['delete', 'merge']);

export class Tracking implements ITracking {
  constructor(private readonly _options: ITrackingOptions) {
    _options.identity.changed.connect(
      (_, panel) => this._consider(panel),
      this
    );
    _options.history.changed.connect(this._onSessionChanged, this);
    _options.history.recording.connect(this._onRecording, this);
  }

  /** The choice of cells that are watched; `off` for none. */
  get scope(): Scope | 'off' {
    return this._scope;
  }
  set scope(scope: Scope | 'off') {
    if (scope !== this._scope) {
      this._scope = scope;
      this._panels.forEach(panel => {
        this._watches.get(panel)?.capture('leave');
        this._end(panel);
        this._consider(panel);
      });
    }
  }

  /** Whether a preview of its outputs is recorded with each run. */
  recordsOutputs = true;

  /** Track an open notebook until it is closed. */
  add(panel: NotebookPanel): void {
    this._panels.add(panel);
    void panel.context.ready.then(() => this._observe(panel));
    panel.disposed.connect(() => {
      this._panels.delete(panel);
      this._pastes.get(panel)?.dispose();
      this._pastes.delete(panel);
      this._awareness.get(panel)?.dispose();
      this._awareness.delete(panel);
      this._watches.get(panel)?.capture('leave');
      this._end(panel);
    }, this);
    this._consider(panel);
  }

  captureBeforeRequest(panel: NotebookPanel): void {
    this._watches.get(panel)?.capture('request');
  }

  /** Resolves when the watch has started, isn't needed, or couldn't start and will be retried. */
  async started(panel: NotebookPanel): Promise<void> {
    await this._starting.get(panel);
  }

  async flushed(panel: NotebookPanel): Promise<void> {
    await this.started(panel);
    const { identity, history } = this._options;
    const watch = this._watches.get(panel);
    const notebookId = watch?.notebookId ?? identity.get(panel);
    if (notebookId) {
      this._recordPastes(panel, notebookId);
      await history.flushed(notebookId);
    }
  }

  /** Record unrecorded edits, because the page may be about to close. */
  captureAll(): void {
    this._watches.forEach(watch => watch.capture('leave'));
  }

  /** Start or end the watch of a notebook as needed; retry if the server can't be reached. */
  private _consider(panel: NotebookPanel): void {
    const starting = this._start(panel).catch(() => {
      setTimeout(() => {
        if (this._panels.has(panel)) {
          this._consider(panel);
        }
      }, RETRY_MS);
    });
    this._starting.set(panel, starting);
  }

  private async _start(panel: NotebookPanel): Promise<void> {
    const { identity, history } = this._options;
    await identity.registered(panel);
    const notebookId = this._panels.has(panel) ? identity.get(panel) : null;
    if (this._watches.get(panel)?.notebookId !== notebookId) {
      this._end(panel);
    }
    if (!notebookId || this._scope === 'off' || this._watches.has(panel)) {
      return;
    }
    const attempt = (this._attempts.get(panel) ?? 0) + 1;
    this._attempts.set(panel, attempt);
    const isCurrent = () =>
      this._attempts.get(panel) === attempt &&
      this._panels.has(panel) &&
      identity.get(panel) === notebookId;
    let summaries = await history.api.sessions(notebookId);
    if (!isCurrent() || !summaries.some(({ turns }) => turns)) {
      return;
    }
    if (this._recordPastes(panel, notebookId)) {
      await history.flushed(notebookId);
      summaries = await history.api.sessions(notebookId);
    }
    const { scope } = this;
    if (!isCurrent() || scope === 'off') {
      return;
    }
    this._watches.set(
      panel,
      new NotebookWatch({
        panel,
        notebookId,
        scope,
        summaries,
        origins: this._origins,
        causeDetectors: this._options.causeDetectors ?? {},
        push: change => history.recordChange(notebookId, change),
        isDeleted: async cellId => {
          const { steps } = await history.api.replay({ notebookId, cellId });
          return REMOVED_KINDS.has(steps.at(-1)?.kind ?? '');
        },
        preview: run => this._preview(run)
      })
    );
  }

  /**
   * Remember the cells that are pasted into a notebook while it isn't watched, and listen to the
   * other pages, because another page may be the first to ask a model.
   */
  private _observe(panel: NotebookPanel): void {
    if (this._panels.has(panel) && !this._pastes.has(panel)) {
      const isActive = () => this._scope !== 'off' && !this._watches.has(panel);
      this._pastes.set(
        panel,
        new UntrackedPastes(panel, this._origins, isActive)
      );
      const { awareness } = panel.context.model.sharedModel as YNotebook;
      const remote = new SessionAwareness(awareness, id =>
        this._onRemote(panel, id)
      );
      this._awareness.set(panel, remote);
    }
  }

  /**
   * Record the cells that were pasted before the watch started as copies. Return whether there were
   * any.
   */
  private _recordPastes(panel: NotebookPanel, notebookId: string): boolean {
    const cells = this._pastes.get(panel)?.take() ?? [];
    if (!cells.length || this._scope === 'off') {
      return false;
    }
    this._options.history.recordChange(notebookId, { cells });
    return true;
  }

  private _end(panel: NotebookPanel): void {
    this._watches.get(panel)?.dispose();
    this._watches.delete(panel);
  }

  /** Emit the history's `changed` after another page wrote to the session of a cell. */
  private _onRemote(panel: NotebookPanel, cellId: string): void {
    const { identity, history } = this._options;
    const notebookId = identity.get(panel);
    if (notebookId) {
      history.notify({ notebookId, cellId, isRemote: true });
    }
  }

  /**
   * Tell the other pages that a session was written. Start watching the notebook or the cell if the
   * write may have been its first turn.
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
        this._consider(panel);
      } else if (watch?.notebookId === key.notebookId) {
        void this._checkForTurn(watch, key);
      }
    }
  }

  /** Start watching a cell if it has a turn by now. */
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

  private _onRecording(_: IHistory, recording: IRecording): void {
    this._watches.forEach(watch => watch.onRecording(recording));
  }

  /** A preview of a run's outputs; null if there is nothing to record. */
  private async _preview({ model }: IRun): Promise<object | null> {
    if (!model || !this.recordsOutputs) {
      return null;
    }
    const outputs = outputsOf(model);
    const text = textOf(outputs);
    const original = imageOf(outputs);
    const reduced = original && (await createThumbnail(original));
    const image = reduced && (await this._storeImage(reduced));
    const images = image && { images: [image] };
    return text || image ? { ...text, ...images } : null;
  }

  private async _storeImage({ blob, width, height }: IThumbnail) {
    try {
      const sha256 = await this._options.storeImage(blob);
      return { sha256, mime: blob.type, width, height };
    } catch {
      return null; // Record the run without its image.
    }
  }

  private _scope: Scope | 'off' = 'all';
  private readonly _panels = new Set<NotebookPanel>();
  private readonly _watches = new Map<NotebookPanel, NotebookWatch>();
  private readonly _pastes = new Map<NotebookPanel, UntrackedPastes>();
  private readonly _awareness = new Map<NotebookPanel, SessionAwareness>();
  private readonly _starting = new WeakMap<NotebookPanel, Promise<void>>();
  /** The number of starts of each notebook's watch; a start ends early if another one began. */
  private readonly _attempts = new WeakMap<NotebookPanel, number>();
  private readonly _origins = new Origins(() => this._watches.values());
}
