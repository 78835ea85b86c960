/**
 * Shows the progress of the local model's installation. The server does the installing, so the
 * installation continues after the page is closed, and a page that is opened later can join it.
 *
 * Invariants:
 * - Only `start`, which a person triggers, begins an installation; `join` only shows the progress
 *   of a running installation. After an interruption, `start` joins the running installation, so
 *   that it never begins a second installation on the server.
 * - An installation ends with exactly one status: done, stopped or failed. From stopped and failed,
 *   `start` resumes the download. If an installation ended while the page was disconnected, the
 *   status is idle, and only the list of models shows whether the model is installed.
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
  /** Bytes per second over the last seconds, or 0 if no data arrived; null until measured. */
  readonly speed: number | null;
  /** The reason why the installation failed or could not be stopped. */
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
/** The number of attempts in a row to connect, of which the first is the original request. */
const MAX_ATTEMPTS = 3;
/** The delay before the page joins again after an interruption. */
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

  /**
   * A number that grows whenever the installation is started, joined or stopped. Events and lists
   * that were requested in an earlier epoch are outdated and must be ignored.
   */
  get epoch(): number {
    return this._epoch;
  }

  /** Start or resume the installation. */
  async start(): Promise<void> {
    if (!this.isRunning) {
      await this._follow(this._view.progress, false);
    }
  }

  /** Show the progress of a running installation, from the state that the server reported. */
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
    // Show the stop at once instead of waiting until the stream reports it.
    this._set({ status: 'stopped', speed: null, problem: null });
  }

  /** Start an installation or join a running one, and show its progress until it ends. */
  private async _follow(
    progress: InstallState | null,
    isJoin: boolean
  ): Promise<void> {
    const epoch = ++this._epoch;
    const isStale = () => epoch !== this._epoch || !this.isRunning;
    let isJoinRequest = isJoin;
    let hasProgress = false;
    this._samples = [];
    this._set({ ...IDLE, status: 'running', progress });
    for (let attemptsLeft = MAX_ATTEMPTS; ; attemptsLeft--) {
      let problem = INTERRUPTED;
      try {
        for await (const event of this._api.installLocal(isJoinRequest)) {
          if (isStale()) {
            return;
          }
          if (event.type === 'progress') {
            hasProgress = true;
            attemptsLeft = MAX_ATTEMPTS;
            this._showProgress(event);
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
        if (
          isJoinRequest &&
          (reason as Partial<ApiError>).code === 'not_found'
        ) {
          // No installation is running. Either the request to start it never reached the server, or
          // the installation has ended, and the list of models shows the outcome.
          return !isJoin && !hasProgress
            ? this._fail(INTERRUPTED)
            : this._set(IDLE);
        }
        problem = toFailure(reason, INTERRUPTED.code);
        // An error response (status above 0) is final; only a lost connection is retried.
        if (reason instanceof ApiError && reason.status > 0) {
          attemptsLeft = 1;
        }
      }
      if (attemptsLeft <= 1) {
        return this._fail(problem);
      }
      isJoinRequest = true;
      await new Promise(resolve => setTimeout(resolve, RETRY_DELAY_MS));
      if (isStale()) {
        return;
      }
    }
  }

  /** Show the progress, and the speed over the last seconds. */
  private _showProgress(progress: InstallState): void {
    const { phase, bytes } = progress;
    const now = this._now();
    if (phase !== this._view.progress?.phase) {
      this._samples = [];
    }
    this._samples = [
      ...this._samples.filter(({ time }) => now - time <= SPEED_WINDOW_MS),
      { time: now, bytes }
    ];
    const [oldest] = this._samples;
    const speed =
      phase === 'fetching' && now - oldest.time >= 1000 && bytes > oldest.bytes
        ? ((bytes - oldest.bytes) * 1000) / (now - oldest.time)
        : phase === 'fetching'
          ? this._view.speed
          : null;
    this._set({ progress, speed });
    if (phase === 'fetching') {
      // The server sends no event while no data arrives, so a timer shows the stall.
      this._stallTimer = setTimeout(
        () => this._set({ speed: 0 }),
        SPEED_WINDOW_MS
      );
    }
  }

  private _fail(problem: IInstallView['problem']): void {
    this._set({ status: 'failed', speed: null, problem });
  }

  /** Change the view, and cancel the timer that would show a stall. */
  private _set(change: Partial<IInstallView>): void {
    clearTimeout(this._stallTimer);
    this._view = { ...this._view, ...change };
    this.changed.emit(this._view);
  }

  private _view = IDLE;
  private _samples: { time: number; bytes: number }[] = [];
  private _epoch = 0;
  private _stallTimer: ReturnType<typeof setTimeout> | undefined;
}
