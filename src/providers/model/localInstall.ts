/**
 * Follows the installation of the local model. The server runs it: it continues after the page is
 * closed, and a new page joins it.
 *
 * Invariants:
 * - Only `start`, which a person triggers, begins an installation; `join` follows a running one.
 *   Only the first request of `start` can begin one on the server.
 * - An installation ends as exactly one of done, stopped and failed. After the last two, `start`
 *   resumes the download. If it ended while the page was not connected, it is idle.
 */
import { Signal } from '@lumino/signaling';

import type { ApiClient } from '../../api/client';
import { ApiError } from '../../api/request';
import type { InstallState } from '../../api/types';
import { IFailure, toFailure } from '../../state/failure';

export type InstallApi = Pick<ApiClient, 'installLocal' | 'stopInstall'>;

export interface IInstallView {
  readonly status: 'idle' | 'running' | 'stopped' | 'failed' | 'done';
  readonly progress: InstallState | null;
  /** Bytes per second over the last seconds, 0 if none arrived; null until it is measured. */
  readonly speed: number | null;
  /** The reason why it failed or could not be stopped. */
  readonly problem: IFailure | null;
}

const IDLE: IInstallView = {
  status: 'idle',
  progress: null,
  speed: null,
  problem: null
};

const INTERRUPTED: IFailure = { code: 'install_interrupted', message: '' };

/** The period over which the speed is measured. */
const SPEED_WINDOW_MS = 6000;
/** Number and interval of attempts to rejoin an interrupted stream. */
const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 1000;

export class LocalInstall {
  constructor(
    private readonly _api: InstallApi,
    private readonly _now: () => number = () => performance.now()
  ) {}

  get view(): IInstallView {
    return this._view;
  }

  /** Emitted when the view changes. */
  readonly changed = new Signal<this, IInstallView>(this);

  get isRunning(): boolean {
    return this._view.status === 'running';
  }

  /** Counts starts and stops: events from an earlier epoch are stale. */
  get epoch(): number {
    return this._epoch;
  }

  /** Start or resume the installation. */
  async start(): Promise<void> {
    if (!this.isRunning) {
      await this._follow(this._view.progress, false);
    }
  }

  /** Follow a running installation. */
  async join(state: InstallState): Promise<void> {
    if (!this.isRunning && state.phase !== 'done') {
      await this._follow(state, true);
    }
  }

  /** Stop the installation for all pages. */
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
    this._epoch++;
    // Don't wait for the stream to report it.
    this._set({ status: 'stopped', speed: null, problem: null });
  }

  private async _follow(
    progress: InstallState | null,
    join: boolean
  ): Promise<void> {
    const epoch = ++this._epoch;
    const isStale = () => epoch !== this._epoch || !this.isRunning;
    const isStart = !join;
    let hasProgress = false;
    this._samples = [];
    this._set({ ...IDLE, status: 'running', progress });
    for (let attemptsLeft = MAX_ATTEMPTS; ; attemptsLeft--) {
      let problem = INTERRUPTED;
      try {
        for await (const event of this._api.installLocal(join)) {
          if (isStale()) {
            return;
          }
          if (event.type === 'progress') {
            hasProgress = true;
            attemptsLeft = MAX_ATTEMPTS;
            this._advance(event);
          } else if (event.type === 'done') {
            return this._set({ status: 'done', speed: null });
          } else if (event.type === 'cancelled') {
            this._epoch++;
            return this._set({ status: 'stopped', speed: null });
          } else {
            return this._fail(event);
          }
        }
      } catch (reason) {
        if (isStale()) {
          return;
        }
        if (join && (reason as Partial<ApiError>).code === 'not_found') {
          // Either the start never reached the server, or the installation ended meanwhile and the
          // list of models has its outcome.
          return isStart && !hasProgress
            ? this._fail(INTERRUPTED)
            : this._set(IDLE);
        }
        problem = toFailure(reason, INTERRUPTED.code);
        // Only interruptions are retried, not error responses.
        if (reason instanceof ApiError && reason.status > 0) {
          attemptsLeft = 1;
        }
      }
      if (attemptsLeft <= 1) {
        return this._fail(problem);
      }
      join = true;
      await new Promise(resolve => setTimeout(resolve, RETRY_DELAY_MS));
      if (isStale()) {
        return;
      }
    }
  }

  private _advance(progress: InstallState): void {
    const { phase, bytes } = progress;
    const now = this._now();
    if (phase !== this._view.progress?.phase) {
      this._samples = [];
    }
    this._samples = [
      ...this._samples.filter(({ at }) => now - at <= SPEED_WINDOW_MS),
      { at: now, bytes }
    ];
    const [first] = this._samples;
    const speed =
      phase === 'fetching' && now - first.at >= 1000 && bytes > first.bytes
        ? ((bytes - first.bytes) * 1000) / (now - first.at)
        : phase === 'fetching'
          ? this._view.speed
          : null;
    this._set({ progress, speed });
    if (phase === 'fetching') {
      // The server sends no events while no data arrives.
      this._stallTimer = setTimeout(
        () => this._set({ speed: 0 }),
        SPEED_WINDOW_MS
      );
    }
  }

  private _fail(problem: IInstallView['problem']): void {
    this._set({ status: 'failed', speed: null, problem });
  }

  /** Change the view and reset the stall timer. */
  private _set(change: Partial<IInstallView>): void {
    clearTimeout(this._stallTimer);
    this._view = { ...this._view, ...change };
    this.changed.emit(this._view);
  }

  private _view = IDLE;
  private _samples: { at: number; bytes: number }[] = [];
  private _epoch = 0;
  private _stallTimer: ReturnType<typeof setTimeout> | undefined;
}
