/**
 * Walking through earlier requests with ArrowUp and ArrowDown, as in a shell.
 *
 * What must hold: what was being written is there again at the end of the walk, and no
 * request is offered twice.
 */
export class IntentHistory {
  /** Remember a request. The newest is offered first. */
  add(intent: string): void {
    const text = intent.trim();
    if (text) {
      this._intents = [...this._intents.filter(known => known !== text), text];
    }
    this.leave();
  }

  /** Put the requests of earlier days, oldest first, before those of today. */
  addOlder(intents: readonly string[]): void {
    const today = this._intents;
    this._intents = [];
    for (const intent of [...intents, ...today]) {
      this.add(intent);
    }
  }

  /** The request before the one shown; null if there is none. */
  previous(draft: string): string | null {
    if (this._position === null) {
      this._draft = draft;
      this._position = this._intents.length;
    }
    if (this._position === 0) {
      return null;
    }
    this._position -= 1;
    return this._intents[this._position];
  }

  /** The request after the one shown, at the end the draft; null if there is none. */
  next(): string | null {
    if (this._position === null) {
      return null;
    }
    this._position += 1;
    if (this._position < this._intents.length) {
      return this._intents[this._position];
    }
    this._position = null;
    return this._draft;
  }

  /** Something was typed: a new walk begins from there. */
  leave(): void {
    this._position = null;
  }

  private _intents: string[] = [];
  private _position: number | null = null;
  private _draft = '';
}
