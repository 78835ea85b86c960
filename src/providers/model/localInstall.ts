/**
 * The installation of the local model, as this page follows it. The server runs it: it goes
 * on when the page is closed, and a page that comes back joins it.
 *
 * What must hold:
 * - It begins only by `start`, which a person calls; a page joins by `join` what runs already.
 *   Whatever is sent but the first request of a `start` can begin none on the server either (P4).
 * - Every way it can end leads to exactly one of done, stopped and failed, and from the last
 *   two `start` goes on where it was: what has come is kept. If it ended unseen it is idle.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { ApiClient } from '../../api/client';
import { ApiError } from '../../api/request';
import type { InstallState } from '../../api/types';
import { IFailure, toFailure, failureOf } from '../../state/failure';

export type InstallApi = Pick<ApiClient, 'installLocal' | 'stopInstall'>;

export interface IInstallProgress {
  readonly phase: InstallState['phase'];
  readonly bytes: number;
  readonly total: number;
  readonly source: string | null;
}

export interface IInstallView {
  readonly status: 'idle' | 'running' | 'stopped' | 'failed' | 'done';
  readonly progress: IInstallProgress | null;
  /** Bytes a second over the last seconds, 0 if none came; null until that can be told. */
  readonly speed: number | null;
  /** Why it failed, or could not be stopped. */
  readonly problem: IFailure | null;
}

const IDLE: IInstallView = {
  status: 'idle',
  progress: null,
  speed: null,
  problem: null
};

const BROKEN_OFF: IFailure = { code: 'install_interrupted', message: '' };

/** The time over which the speed is taken, in ms. */
const SPAN = 6000;
/** A stream that broke off is joined again so often, and after so long, before it has failed. */
const TRIES = 3;
const PAUSE = 1000;

export class LocalInstall {
  constructor(
    private readonly _api: InstallApi,
    private readonly _now: () => number = () => performance.now()
  ) {}

  get view(): IInstallView {
    return this._view;
  }

  /** Something of the view changed. */
  get changed(): ISignal<this, IInstallView> {
    return this._changed;
  }

  get isRunning(): boolean {
    return this._view.status === 'running';
  }

  /** Counts what began and was stopped: what was heard before the last of them is stale. */
  get round(): number {
    return this._round;
  }

  /** Begin, or go on. */
  async start(): Promise<void> {
    if (!this.isRunning) {
      await this._follow(this._view.progress, false);
    }
  }

  /** Follow an installation that runs already. */
  async join(state: InstallState): Promise<void> {
    if (!this.isRunning && state.phase !== 'done') {
      await this._follow(state, true);
    }
  }

  /** Stop it, for every page that follows it. */
  async stop(): Promise<void> {
    if (!this.isRunning) {
      return;
    }
    try {
      await this._api.stopInstall();
    } catch (reason) {
      this._set({ problem: toFailure(reason) });
      return;
    }
    this._round++;
    // The stream says so too, but the person need not wait for it.
    this._set({ status: 'stopped', speed: null, problem: null });
  }

  private async _follow(
    progress: IInstallProgress | null,
    join: boolean
  ): Promise<void> {
    const round = ++this._round;
    const began = !join;
    let heard = false;
    this._seen = [];
    this._set({ ...IDLE, status: 'running', progress });
    for (let left = TRIES; ; left--) {
      try {
        for await (const event of this._api.installLocal(join)) {
          if (round !== this._round || !this.isRunning) {
            return;
          }
          if (event.type === 'progress') {
            heard = true;
            left = TRIES;
            this._advance(event);
          } else if (event.type === 'done') {
            this._set({ status: 'done', speed: null });
            return;
          } else if (event.type === 'cancelled') {
            this._round++;
            this._set({ status: 'stopped', speed: null });
            return;
          } else {
            this._fail(failureOf(event));
            return;
          }
        }
      } catch (reason) {
        if (round !== this._round || !this.isRunning) {
          return;
        }
        if (join && (reason as Partial<ApiError>).code === 'not_found') {
          // It never came to the server, or it ended unseen: the list tells how.
          if (began && !heard) {
            this._fail(BROKEN_OFF);
          } else {
            this._set(IDLE);
          }
          return;
        }
        // An answer is an answer; only what broke off is tried again.
        if (reason instanceof ApiError && reason.status > 0) {
          this._fail(asProblem(reason));
          return;
        }
        if (left <= 1) {
          this._fail(asProblem(reason));
          return;
        }
      }
      if (left <= 1) {
        this._fail(BROKEN_OFF);
        return;
      }
      join = true;
      await new Promise(resolve => setTimeout(resolve, PAUSE));
      if (round !== this._round || !this.isRunning) {
        return;
      }
    }
  }

  private _advance(progress: IInstallProgress): void {
    const { phase, bytes, total, source } = progress;
    const now = this._now();
    if (phase !== this._view.progress?.phase) {
      this._seen = [];
    }
    this._seen = [
      ...this._seen.filter(({ at }) => now - at <= SPAN),
      { at: now, bytes }
    ];
    const [first] = this._seen;
    const speed =
      phase === 'fetching' && now - first.at >= 1000 && bytes > first.bytes
        ? ((bytes - first.bytes) * 1000) / (now - first.at)
        : phase === 'fetching'
          ? this._view.speed
          : null;
    this._set({ progress: { phase, bytes, total, source }, speed });
    if (phase === 'fetching') {
      // The server is silent while nothing comes.
      this._stall = setTimeout(() => this._set({ speed: 0 }), SPAN);
    }
  }

  private _fail(problem: IInstallView['problem']): void {
    this._set({ status: 'failed', speed: null, problem });
  }

  /** Any change ends the wait for one. */
  private _set(change: Partial<IInstallView>): void {
    clearTimeout(this._stall);
    this._view = { ...this._view, ...change };
    this._changed.emit(this._view);
  }

  private readonly _changed = new Signal<this, IInstallView>(this);
  private _view = IDLE;
  private _seen: { at: number; bytes: number }[] = [];
  private _round = 0;
  private _stall: ReturnType<typeof setTimeout> | undefined;
}

/** Where nothing was answered, the connection is what failed. */
function asProblem(reason: unknown): IFailure {
  const failure = toFailure(reason);
  return failure.code === 'unknown' ? BROKEN_OFF : failure;
}
