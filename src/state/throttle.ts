/**
 * Throttles a request that is repeated whenever something changes.
 *
 * Invariants:
 * - A burst of changes triggers one request.
 * - The last change of a burst is always followed by a request.
 * - A trigger never cancels a running request, so an endless burst still produces results.
 */

export class Throttle {
  /**
   * @param _request Sends the request and handles its errors. Resolves after the response, or when
   * a newer request supersedes this one.
   * @param _pauseMs The pause between a response and the next request, in milliseconds.
   */
  constructor(
    private readonly _request: () => Promise<void>,
    private readonly _pauseMs = 700
  ) {}

  /** Schedule a request, because something changed. */
  trigger(): void {
    if (this._isRunning) {
      this._isTriggered = true;
    } else if (this._timer === null) {
      const delay = Math.max(0, this._lastEnd + this._pauseMs - Date.now());
      this._timer = window.setTimeout(() => void this.runNow(), delay);
    }
  }

  /** Request at once, even if another request is running. */
  async runNow(): Promise<void> {
    this.cancel();
    const run = this._requestNumber;
    this._isRunning = true;
    try {
      await this._request();
    } finally {
      if (run === this._requestNumber) {
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
   * Cancel the scheduled request. Return whether there was one, so that a change is still unseen.
   */
  cancel(): boolean {
    const isMissed = this._isTriggered || this._timer !== null;
    if (this._timer !== null) {
      window.clearTimeout(this._timer);
      this._timer = null;
    }
    this._requestNumber++;
    this._isRunning = this._isTriggered = false;
    return isMissed;
  }

  private _isRunning = false;
  private _isTriggered = false;
  /** The time at which the newest request ended. */
  private _lastEnd = 0;
  private _timer: number | null = null;
  /** The number of the newest request; older requests are superseded. */
  private _requestNumber = 0;
}
