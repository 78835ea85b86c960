/**
 * Detects a person's input in the page: a trusted browser event in an editor, in the completer or in
 * the search box.
 *
 * Some changes by a person have neither a CodeMirror user event nor a command. They count as the
 * person's while the page handles the person's input.
 */
const EDITOR = '.jp-Notebook .cm-editor';
const COMPLETER = '.jp-Completer';
const SEARCH = '.jp-DocumentSearch-overlay';

/**
 * After a click or Enter in the search box, all changes count as the person's for this time.
 * "Replace" first shows the sources of rendered Markdown cells, which takes a moment.
 */
const SEARCH_MS = 1000;

export class PageInput {
  constructor(private readonly _window: Window = window) {
    for (const type of ['click', 'keydown']) {
      _window.document.addEventListener(type, this._onEvent, true);
    }
  }

  /** Whether the page handles a person's input, or did in the search box within `SEARCH_MS`. */
  get isActive(): boolean {
    const { event, performance } = this._window;
    return (
      isIn(event, `${EDITOR}, ${COMPLETER}, ${SEARCH}`) ||
      performance.now() - this._lastSearchTime < SEARCH_MS
    );
  }

  dispose(): void {
    for (const type of ['click', 'keydown']) {
      this._window.document.removeEventListener(type, this._onEvent, true);
    }
  }

  private readonly _onEvent = (event: Event): void => {
    const isKey = event.type === 'keydown';
    if (isKey && (event as KeyboardEvent).key !== 'Enter') {
      return;
    }
    if (isIn(event, SEARCH)) {
      this._lastSearchTime = this._window.performance.now();
    }
  };

  private _lastSearchTime = -Infinity;
}

/** Return whether a person caused the event in such an element. */
function isIn(event: Event | undefined, selector: string): boolean {
  return (
    !!event?.isTrusted &&
    event.target instanceof Element &&
    event.target.closest(selector) !== null
  );
}
