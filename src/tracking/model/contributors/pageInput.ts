/**
 * A person's acts in the page, as the browser tells them: a trusted event in an editor, in the list
 * of completions or in the search box. They explain changes that name no input and no command.
 */
import type { IDisposable } from '@lumino/disposable';

const EDITOR = '.jp-Notebook .cm-editor';
const COMPLETER = '.jp-Completer';
const SEARCH = '.jp-DocumentSearch-overlay';

/** Replacing goes on after the click: it shows rendered cells first. In milliseconds. */
const SEARCH_MS = 1000;

export class Acts implements IDisposable {
  constructor(private readonly _window: Window = window) {
    for (const type of ['click', 'keydown']) {
      _window.document.addEventListener(type, this._look, true);
    }
  }

  /** Whether a person is doing something in an editor or search box right now. */
  get isPersons(): boolean {
    const { event, performance } = this._window;
    return (
      isIn(event, `${EDITOR}, ${COMPLETER}, ${SEARCH}`) ||
      performance.now() - this._searched < SEARCH_MS
    );
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      for (const type of ['click', 'keydown']) {
        this._window.document.removeEventListener(type, this._look, true);
      }
    }
  }

  private readonly _look = (event: Event): void => {
    const isKey = event.type === 'keydown';
    if (isKey && (event as KeyboardEvent).key !== 'Enter') {
      return;
    }
    if (isIn(event, SEARCH)) {
      this._searched = this._window.performance.now();
    }
  };

  private _searched = -Infinity;
  private _isDisposed = false;
}

function isIn(event: Event | undefined, selector: string): boolean {
  return (
    !!event?.isTrusted &&
    event.target instanceof Element &&
    event.target.closest(selector) !== null
  );
}
