/**
 * The texts of earlier requests, which ArrowUp and ArrowDown bring back as in a shell.
 *
 * Invariants: ArrowDown on the newest request brings back the draft that the person had typed. No
 * text is offered twice.
 */
export class IntentHistory {
  /** Add a request. The newest request is offered first. */
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

  /** Insert the requests from before this page was loaded, oldest first, before this page's. */
  addOlder(intents: readonly string[]): void {
    const current = this._intents;
    this._intents = [];
    for (const intent of [...intents, ...current]) {
      this.add(intent);
    }
  }

  /** Go to the previous request and return its text; null if there is none. */
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

  /**
   * Go to the next request, or from the newest to the draft, and return it; null if at the draft.
   */
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
