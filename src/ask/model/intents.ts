/**
 * The earlier requests that ArrowUp and ArrowDown step through, as in a shell.
 *
 * Invariants: the draft comes back after the newest request, and no request is offered twice.
 */
export class IntentHistory {
  /** Add a request. The newest is offered first. */
  add(intent: string): void {
    const text = intent.trim();
    if (text) {
      this._intents = [
        ...this._intents.filter(intent => intent !== text),
        text
      ];
    }
    this.restart();
  }

  /** Insert the requests of earlier pages, oldest first, before those of this page. */
  addOlder(intents: readonly string[]): void {
    const current = this._intents;
    this._intents = [];
    for (const intent of [...intents, ...current]) {
      this.add(intent);
    }
  }

  /** Step to the previous request; null if there is none. */
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

  /** Step to the next request, and after the newest to the draft; null if there is none. */
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

  /** Start over from the newest request, for example after the person typed. */
  restart(): void {
    this._position = null;
  }

  private _intents: string[] = [];
  private _position: number | null = null;
  private _draft = '';
}
