/**
 * When to ask again for what changes while it is looked at.
 *
 * What must hold:
 * - However many changes are told of at once, it is asked once for all of them.
 * - It is asked once more after the last of them: nothing that was told is missed.
 * - An answer that is on its way is waited for: where changes never cease, some are still shown.
 */

/** Between an answer and the next question, in milliseconds. */
const PAUSE_MS = 700;

export class Pace {
  /** `ask` resolves with its answer, or when that is given up; it says itself what went wrong. */
  constructor(private readonly _ask: () => Promise<void>) {}

  /** Something changed: ask soon. */
  changed(): void {
    if (this._isAsking) {
      this._isWanted = true;
    } else if (this._timer === null) {
      const wait = Math.max(0, this._last + PAUSE_MS - Date.now());
      this._timer = window.setTimeout(() => void this.now(), wait);
    }
  }

  /** Ask at once, whatever is on its way. */
  async now(): Promise<void> {
    this.stop();
    const turn = this._turn;
    this._isAsking = true;
    try {
      await this._ask();
    } finally {
      if (turn === this._turn) {
        this._isAsking = false;
        this._last = Date.now();
        if (this._isWanted) {
          this._isWanted = false;
          this.changed();
        }
      }
    }
  }

  /** Ask no more; whether there was a change that was not asked for yet. */
  stop(): boolean {
    const isMissed = this._isWanted || this._timer !== null;
    if (this._timer !== null) {
      window.clearTimeout(this._timer);
      this._timer = null;
    }
    this._turn++;
    this._isAsking = this._isWanted = false;
    return isMissed;
  }

  private _isAsking = false;
  private _isWanted = false;
  /** When the newest answer came. */
  private _last = 0;
  private _timer: number | null = null;
  /** Which question is the newest. */
  private _turn = 0;
}
