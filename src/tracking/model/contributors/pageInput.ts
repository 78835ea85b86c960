/**
 * Detects a person's input in the page: a trusted browser event in an editor, in the completer or
 * in the search box. Such input shows that the person made a change which has neither a CodeMirror
 * user event nor a command.
 */
const EDITOR = '.jp-Notebook .cm-editor';
const COMPLETER = '.jp-Completer';
const SEARCH = '.jp-DocumentSearch-overlay';

/**
 * Time after a click in the search box in which changes are still the person's, in milliseconds:
 * "Replace" continues after the click, because it first shows the sources of rendered cells.
 */
const SEARCH_MS = 1000;

export class PageInput {
  constructor(private readonly _window: Window = window) {
    for (const type of ['click', 'keydown']) {
      _window.document.addEventListener(type, this._onEvent, true);
    }
  }

  /** Whether a person is using an editor, the completer or the search box. */
  get isActive(): boolean {
    const { event, performance } = this._window;
    return (
      isIn(event, `${EDITOR}, ${COMPLETER}, ${SEARCH}`) ||
      performance.now() - this._searchTime < SEARCH_MS
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
      this._searchTime = this._window.performance.now();
    }
  };

  private _searchTime = -Infinity;
}

function isIn(event: Event | undefined, selector: string): boolean {
  return (
    !!event?.isTrusted &&
    event.target instanceof Element &&
    event.target.closest(selector) !== null
  );
}
