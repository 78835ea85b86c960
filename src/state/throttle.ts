/**
 * Throttles a request that must be sent again whenever something changes.
 *
 * Invariants:
 * - A request that `trigger` schedules is sent only after a pause since the last response. All
 *   changes during a request and the pause lead to one new request.
 * - `runNow` doesn't wait for the pause.
 * - After the last change, a request is sent, unless `cancel` is called.
 * - A change never cancels a running request. So responses arrive even if changes never stop.
 */

export class Throttle {
  /**
   * @param _request Sends the request and handles its errors. Must resolve after the response, or
   * after a newer request has replaced it.
   */
  constructor(
    private readonly _request: () => Promise<void>,
    private readonly _pauseMs = 700
  ) {}

  /** Call this when something has changed. */
  trigger(): void {
    if (this._isRunning) {
      this._isTriggered = true;
    } else if (this._timer === undefined) {
      const delay = Math.max(0, this._lastEnd + this._pauseMs - Date.now());
      this._timer = window.setTimeout(() => void this.runNow(), delay);
    }
  }

  /** Send a request even if another one is running, instead of a scheduled one. */
  async runNow(): Promise<void> {
    this.cancel();
    const requestNumber = this._requestNumber;
    this._isRunning = true;
    try {
      await this._request();
    } finally {
      if (requestNumber === this._requestNumber) {
        this._isRunning = false;
        this._lastEnd = Date.now();
        if (this._isTriggered) {
          this._isTriggered = false;
          this.trigger();
        }
      }
    }
  }

  /**
   * Cancel the scheduled request, and ignore the end of a running one, which the caller must abort.
   *
   * @returns Whether a request was scheduled. If so, none was sent after the last change.
   */
  cancel(): boolean {
    const wasScheduled = this._isTriggered || this._timer !== undefined;
    window.clearTimeout(this._timer);
    this._timer = undefined;
    this._requestNumber++;
    this._isRunning = this._isTriggered = false;
    return wasScheduled;
  }

  private _isRunning = false;
  /** Whether `trigger` was called while the request was running. */
  private _isTriggered = false;
  /** The time at which the newest request ended. */
  private _lastEnd = 0;
  /** Undefined if no request is scheduled. */
  private _timer: number | undefined;
  /** Grows with each request and cancellation. The end of an older request is ignored. */
  private _requestNumber = 0;
}
