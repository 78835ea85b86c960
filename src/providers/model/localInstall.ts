/**
 * The progress of a local model's installation, as this page knows it. The server installs one model
 * at a time, also after the page is closed. A page can join an installation, that is, follow it.
 *
 * Invariants:
 * - Only `start`, which a person triggers, begins or resumes an installation. If the connection is
 *   lost, the page joins the running one.
 * - At the end, the status is done, stopped or failed; idle if the page was not connected then. The
 *   list of models shows whether the model is installed.
 */
import { Signal } from '@lumino/signaling';

import type { ApiClient } from '../../api/client';
import type { ApiError } from '../../api/request';
import type { InstallEvent, InstallState } from '../../api/types';
import { IFailure, toFailure } from '../../state/failure';

export type InstallApi = Pick<ApiClient, 'installLocal' | 'stopInstall'>;

export interface ILocalInstallState {
  readonly status: 'idle' | 'running' | 'stopped' | 'failed' | 'done';
  /** In the catalogue; null for the smallest model, or if the status is idle. */
  readonly name: string | null;
  readonly progress: InstallState | null;
  /** Over the last few seconds, in bytes per second; null if it was not measured. */
  readonly speed: number | null;
  /** Why it failed or could not be stopped. */
  readonly problem: IFailure | null;
}

const IDLE: ILocalInstallState = {
  status: 'idle',
  name: null,
  progress: null,
  speed: null,
  problem: null
};

const INTERRUPTED: IFailure = { code: 'install_interrupted', message: '' };

const SPEED_WINDOW_MS = 6000;
/** Connections that may be lost in a row, without a progress report between. */
const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 1000;

export class LocalInstall {
  constructor(
    private readonly _api: InstallApi,
    private readonly _now: () => number = () => performance.now()
  ) {}

  get state(): ILocalInstallState {
    return this._state;
  }

  readonly changed = new Signal<this, ILocalInstallState>(this);

  get isRunning(): boolean {
    return this._state.status === 'running';
  }

  /** Grows at each start, join and stop: then the state in an older response is outdated. */
  get epoch(): number {
    return this._epoch;
  }

  /** Start or resume an installation unless one is running. */
  async start(name: string | null): Promise<void> {
    if (!this.isRunning) {
      const progress = name === this._state.name ? this._state.progress : null;
      await this._follow(name, progress, false);
    }
  }

  async join(progress: InstallState): Promise<void> {
    if (!this.isRunning && progress.phase !== 'done') {
      await this._follow(progress.name, progress, true);
    }
  }

  async stop(): Promise<void> {
    if (!this.isRunning) {
      return;
    }
    try {
      await this._api.stopInstall();
    } catch (reason) {
      this._setState({ problem: toFailure(reason) });
      return;
    }
    this._epoch++;
    // Change the status now instead of when the stream reports the stop.
    this._setState({ status: 'stopped', speed: null, problem: null });
  }

  /** Update the state until the installation ends. */
  private async _follow(
    name: string | null,
    progress: InstallState | null,
    isJoining: boolean
  ): Promise<void> {
    const epoch = ++this._epoch;
    const isCurrent = () => epoch === this._epoch && this.isRunning;
    let isJoin = isJoining;
    let hasStarted = isJoining; // Whether the server is known to have begun.
    let attemptsLeft = MAX_ATTEMPTS;
    this._samples = [];
    this._setState({ ...IDLE, status: 'running', name, progress });
    /** Return why another attempt is needed, or null. */
    const attempt = async (): Promise<IFailure | null> => {
      try {
        for await (const event of this._api.installLocal(isJoin, name)) {
          if (!isCurrent()) {
            return null;
          }
          if (event.type !== 'progress') {
            this._end(event);
            return null;
          }
          hasStarted = true;
          attemptsLeft = MAX_ATTEMPTS;
          this._showProgress(event);
        }
      } catch (reason) {
        const { code, status } = reason as ApiError;
        // A lost connection has status 0, an error response any other.
        attemptsLeft = status > 0 ? 1 : attemptsLeft;
        if (!isJoin || (code !== 'not_found' && status !== 409)) {
          return toFailure(reason, INTERRUPTED.code);
        }
        // The installation has ended; the list of models shows whether it succeeded. If it never
        // started, the request to start didn't reach the server.
        if (hasStarted && isCurrent()) {
          this._setState(IDLE);
        }
      }
      return INTERRUPTED;
    };
    while (isCurrent()) {
      const problem = await attempt();
      if (!problem || !isCurrent()) {
        return;
      }
      if (--attemptsLeft < 1) {
        this._fail(problem);
        return;
      }
      isJoin = true;
      await new Promise(resolve => setTimeout(resolve, RETRY_DELAY_MS));
    }
  }

  private _end(event: Exclude<InstallEvent, { type: 'progress' }>): void {
    if (event.type === 'done') {
      this._setState({ status: 'done', speed: null });
    } else if (event.type === 'cancelled') {
      this._epoch++;
      this._setState({ status: 'stopped', speed: null });
    } else {
      this._fail(event);
    }
  }

  private _showProgress(progress: InstallState): void {
    const { phase, bytes, name } = progress;
    const now = this._now();
    if (phase !== this._state.progress?.phase) {
      this._samples = [];
    }
    this._samples = [
      ...this._samples.filter(({ time }) => now - time <= SPEED_WINDOW_MS),
      { time: now, bytes }
    ];
    if (phase !== 'fetching') {
      this._setState({ name, progress, speed: null });
      return;
    }
    const [oldest] = this._samples;
    const elapsedMs = now - oldest.time;
    const received = bytes - oldest.bytes;
    const isMeasured = elapsedMs >= 1000 && received > 0;
    const speed = isMeasured
      ? (received * 1000) / elapsedMs
      : this._state.speed;
    this._setState({ name, progress, speed });
    // While the download stalls, the server sends no event.
    const stall = () => this._setState({ speed: 0 });
    this._stallTimer = setTimeout(stall, SPEED_WINDOW_MS);
  }

  private _fail(problem: ILocalInstallState['problem']): void {
    this._setState({ status: 'failed', speed: null, problem });
  }

  private _setState(change: Partial<ILocalInstallState>): void {
    clearTimeout(this._stallTimer);
    this._state = { ...this._state, ...change };
    this.changed.emit(this._state);
  }

  private _state = IDLE;
  private _samples: { time: number; bytes: number }[] = [];
  private _epoch = 0;
  private _stallTimer: ReturnType<typeof setTimeout> | undefined;
}
