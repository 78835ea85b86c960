/**
 * Watches the open notebooks in which a model was asked.
 *
 * What must hold:
 * - A notebook without an AI turn is left alone: nothing of it is sent. It is only remembered which
 *   of its cells came from watched notebooks, for with the first turn they are their copies.
 * - Nothing is told under an id before the server has said that the notebook may carry it: it may
 *   be a copy of another one.
 * - A second page, a reload or an id that changes begins a watch anew, and that doubles nothing.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import type {
  ICellKey,
  IHistory,
  INotebookIdentity,
  IRecording,
  ITracking,
  ISessionChange
} from '../../tokens';
import { Arrivals } from './untrackedPastes';
import type { IExplanations } from './contributors/writers';
import { Others } from './awareness';
import { NotebookWatch } from './watch/notebookWatch';
import { Origins } from './watch/origins';
import { listed, pictureOf, textOf } from './runs/outputs';
import type { Scope } from './watch/record';
import type { IRun } from './runs/runs';
import { IThumbnail, thumbnail } from './runs/thumbnail';

export interface ITrackingOptions {
  identity: INotebookIdentity;
  history: IHistory;
  /** Keeps a small picture; resolves to the name under which it is kept. */
  keep: (picture: Blob) => Promise<string>;
  /** Explanations of changes in the page. */
  explanations?: IExplanations;
}

/** After this time, in milliseconds, it is looked again where the server did not answer. */
const AGAIN_MS = 10_000;

/** The last step of a cell that is no longer there; `merge`: it went into another one. */
const GONE: ReadonlySet<string> = new Set(['delete', 'merge']);

export class Tracking implements ITracking, IDisposable {
  constructor(private readonly _options: ITrackingOptions) {
    _options.identity.changed.connect(
      (_, panel) => this._consider(panel),
      this
    );
    _options.history.changed.connect(this._onWritten, this);
    _options.history.recording.connect(this._onTold, this);
  }

  /** Which cells are watched; `off`: none. */
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

  /** Whether a preview of what runs put out is kept. */
  keepsOutputs = true;

  /** Follow an open notebook until it is closed. */
  add(panel: NotebookPanel): void {
    this._panels.add(panel);
    void panel.context.ready.then(() => this._look(panel));
    panel.disposed.connect(() => {
      this._panels.delete(panel);
      this._arrivals.get(panel)?.dispose();
      this._arrivals.delete(panel);
      this._others.get(panel)?.dispose();
      this._others.delete(panel);
      this._watches.get(panel)?.capture('leave');
      this._end(panel);
    }, this);
    this._consider(panel);
  }

  captureBeforeRequest(panel: NotebookPanel): void {
    this._watches.get(panel)?.capture('request');
  }

  /** Resolves when it is known whether the notebook is watched, or that this can't be told now. */
  async begun(panel: NotebookPanel): Promise<void> {
    await this._beginnings.get(panel);
  }

  async flushed(panel: NotebookPanel): Promise<void> {
    await this.begun(panel);
    const { identity, history } = this._options;
    const watch = this._watches.get(panel);
    const notebookId = watch?.notebookId ?? identity.get(panel);
    if (notebookId) {
      this._tellArrived(panel, notebookId);
      await history.flushed(notebookId);
    }
  }

  /** The page may be going: note what is not noted yet. */
  leave(): void {
    this._watches.forEach(watch => watch.capture('leave'));
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._panels.forEach(panel => this._end(panel));
      this._panels.clear();
      this._arrivals.forEach(arrivals => arrivals.dispose());
      this._arrivals.clear();
      this._others.forEach(others => others.dispose());
      this._others.clear();
      Signal.clearData(this);
    }
  }

  /** Watch a notebook if it is to be watched; look again if that can't be told. */
  private _consider(panel: NotebookPanel): void {
    const beginning = this._begin(panel).catch(() => {
      setTimeout(() => {
        if (this._panels.has(panel)) {
          this._consider(panel);
        }
      }, AGAIN_MS);
    });
    this._beginnings.set(panel, beginning);
  }

  private async _begin(panel: NotebookPanel): Promise<void> {
    const { identity, history } = this._options;
    await identity.registered(panel);
    const notebookId = this._panels.has(panel) ? identity.get(panel) : null;
    if (this._watches.get(panel)?.notebookId !== notebookId) {
      this._end(panel);
    }
    if (!notebookId || this._scope === 'off' || this._watches.has(panel)) {
      return;
    }
    const look = (this._looks.get(panel) ?? 0) + 1;
    this._looks.set(panel, look);
    const isStill = () =>
      this._looks.get(panel) === look &&
      this._panels.has(panel) &&
      identity.get(panel) === notebookId;
    let summaries = await history.summaries(notebookId);
    if (!isStill() || !summaries.some(({ turns }) => turns)) {
      return;
    }
    if (this._tellArrived(panel, notebookId)) {
      await history.flushed(notebookId);
      summaries = await history.summaries(notebookId);
    }
    const { scope } = this;
    if (!isStill() || scope === 'off') {
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
        explanations: this._options.explanations ?? {},
        push: change => history.recordChange(notebookId, change),
        isGone: async cellId => {
          const { steps } = await history.replay({ notebookId, cellId });
          return GONE.has(steps.at(-1)?.kind ?? '');
        },
        preview: run => this._preview(run)
      })
    );
  }

  /**
   * Remember which cells come into a notebook as long as it is not watched, and hear of others in
   * it: they may be the first to ask.
   */
  private _look(panel: NotebookPanel): void {
    if (this._panels.has(panel) && !this._arrivals.has(panel)) {
      const isOpen = () => this._scope !== 'off' && !this._watches.has(panel);
      this._arrivals.set(panel, new Arrivals(panel, this._origins, isOpen));
      const { awareness } = panel.context.model.sharedModel as YNotebook;
      const others = new Others(awareness, id => this._onHeard(panel, id));
      this._others.set(panel, others);
    }
  }

  /** Tell where cells came from before there was anything to tell; whether there were any. */
  private _tellArrived(panel: NotebookPanel, notebookId: string): boolean {
    const cells = this._arrivals.get(panel)?.take() ?? [];
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

  /** Another page wrote into the session of a cell. */
  private _onHeard(panel: NotebookPanel, cellId: string): void {
    const { identity, history } = this._options;
    const notebookId = identity.get(panel);
    if (notebookId) {
      history.notify({ notebookId, cellId, isRemote: true });
    }
  }

  /** Somebody wrote into a session: it may have been the first turn of a notebook, or a cell. */
  private _onWritten(_: IHistory, key: ISessionChange): void {
    for (const panel of this._panels) {
      const { identity } = this._options;
      const watch = this._watches.get(panel);
      const isIn = identity.get(panel) === key.notebookId;
      if (isIn && !key.isRemote) {
        this._others.get(panel)?.announce(key.cellId);
      }
      if (!watch && isIn) {
        this._consider(panel);
      } else if (watch?.notebookId === key.notebookId) {
        void this._lookForTurn(watch, key);
      }
    }
  }

  private async _lookForTurn(
    watch: NotebookWatch,
    key: ICellKey
  ): Promise<void> {
    if (watch.needsTurn(key.cellId)) {
      const replay = await this._options.history.replay(key).catch(() => null);
      if (replay?.steps.some(step => step.kind === 'turn')) {
        watch.asked(key.cellId);
      }
    }
  }

  private _onTold(_: IHistory, recorded: IRecording): void {
    this._watches.forEach(watch => watch.recorded(recorded));
  }

  /** What of a run's outputs is kept. */
  private async _preview({ model }: IRun): Promise<object | null> {
    if (!model || !this.keepsOutputs) {
      return null;
    }
    const outputs = listed(model);
    const text = textOf(outputs);
    const picture = pictureOf(outputs);
    const small = picture && (await thumbnail(picture));
    const image = small && (await this._keep(small));
    const images = image && { images: [image] };
    return text || image ? { ...text, ...images } : null;
  }

  private async _keep({ blob, width, height }: IThumbnail) {
    try {
      const sha256 = await this._options.keep(blob);
      return { sha256, mime: blob.type, width, height };
    } catch {
      return null; // A run without its picture is a run all the same.
    }
  }

  private _scope: Scope | 'off' = 'all';
  private readonly _panels = new Set<NotebookPanel>();
  private readonly _watches = new Map<NotebookPanel, NotebookWatch>();
  private readonly _arrivals = new Map<NotebookPanel, Arrivals>();
  private readonly _others = new Map<NotebookPanel, Others>();
  private readonly _beginnings = new WeakMap<NotebookPanel, Promise<void>>();
  private readonly _looks = new WeakMap<NotebookPanel, number>();
  private readonly _origins = new Origins(() => this._watches.values());
  private _isDisposed = false;
}
