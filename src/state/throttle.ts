/**
 * Throttles a request that must be sent again whenever something changes.
 *
 * Invariants:
 * - A request that `trigger` schedules is sent only when a pause has passed since the last
 *   response. All changes during a request and the pause after it lead to one new request.
 * - `runNow` sends a request without waiting for the pause.
 * - After the last change, a request is sent, unless `cancel` is called.
 * - A change never cancels a running request. So even if changes never stop, responses arrive.
 */

export class Throttle {
  /**
   * @param _request Sends the request and handles its errors. The returned promise must resolve
   * after the response, or after a newer request has replaced this request.
   * @param _pauseMs The pause between a response and the next request, in milliseconds.
   */
  constructor(
    private readonly _request: () => Promise<void>,
    private readonly _pauseMs = 700
  ) {}

  /** Schedule a request. Call this when something has changed. */
  trigger(): void {
    if (this._isRunning) {
      this._isTriggered = true;
    } else if (this._timer === undefined) {
      const delay = Math.max(0, this._lastEnd + this._pauseMs - Date.now());
      this._timer = window.setTimeout(() => void this.runNow(), delay);
    }
  }

  /**
   * Send a request now, even if another request is running. If a request is scheduled, cancel it.
   */
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
   * Cancel the scheduled request, and ignore the end of a running request. The caller itself must
   * abort a running request.
   *
   * @returns Whether a request was scheduled. If so, no request was sent after the last change.
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
  /** The id of the timer for the scheduled request; undefined if no request is scheduled. */
  private _timer: number | undefined;
  /**
   * Grows with each request and cancellation. The end of a request with an older number is ignored.
   */
  private _requestNumber = 0;
}
