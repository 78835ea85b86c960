/**
 * The texts of a cell's earlier requests, recalled by ArrowUp and ArrowDown as in a shell.
 *
 * Invariants: after the newest, ArrowDown restores the draft. Each text is offered only once.
 */
export class IntentHistory {
  add(intent: string): void {
    const text = intent.trim();
    if (text) {
      this._intents = [
        ...this._intents.filter(intent => intent !== text),
        text
      ];
    }
    this.resetPosition();
  }

  addOlder(intents: readonly string[]): void {
    const current = this._intents;
    this._intents = [];
    for (const intent of [...intents, ...current]) {
      this.add(intent);
    }
  }

  /** Return the previous request's text, and store the draft; null if there is none. */
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

  /** Return the next request's text, the draft after the newest one, and then null. */
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

  resetPosition(): void {
    this._position = null;
  }

  private _intents: string[] = [];
  /** Null unless the person is going through the requests. */
  private _position: number | null = null;
  private _draft = '';
}
