/**
 * Keeps a cell's prompt row visible while the row and the diff above it change their size.
 *
 * Invariants: the row is followed after it was opened, and after a request was sent while a part of
 * it was visible, until the person scrolls a part of it out of view, or something else all of it.
 */

const SCROLLING_ACTIONS = ['wheel', 'touchmove', 'pointerdown', 'keydown'];

export class RowFollower {
  constructor(
    private readonly _row: HTMLElement,
    private readonly _cell: HTMLElement
  ) {
    if (typeof ResizeObserver !== 'undefined') {
      this._observer = new ResizeObserver(() => this._scrollToRow());
      this._observer.observe(_cell);
    }
  }

  isDisposed = false;

  dispose(): void {
    this.isDisposed = true;
    this._observer?.disconnect();
    this._listenTo(null);
  }

  open(): void {
    this._follow(true);
  }

  followIfVisible(): void {
    this._findScroller();
    this._follow(this._visibility !== 'none');
  }

  private _follow(isFollowing: boolean): void {
    if (!this.isDisposed) {
      this._isFollowing = isFollowing;
      this._hasPersonScrolled = false;
      this._scrollToRow();
      this._showCode();
    }
  }

  /** Show as much of the code above the row as fits, as after “Fix it” below a traceback. */
  private _showCode(): void {
    const area = this._scroller?.getBoundingClientRect();
    const top = this._cell.getBoundingClientRect().top;
    if (this._isFollowing && area && top < area.top) {
      const { bottom } = this._row.getBoundingClientRect();
      const fits = bottom - top <= area.height;
      const element = fits ? this._cell : this._row;
      element.scrollIntoView({ block: fits ? 'start' : 'end' });
    }
  }

  private _scrollToRow(): void {
    this._findScroller();
    if (this._isFollowing && this._visibility !== 'all') {
      this._row.scrollIntoView({ block: 'nearest' });
    }
  }

  /** A cell is in the element that scrolls only while it is near the visible part. */
  private _findScroller(): void {
    this._listenTo(this._row.closest<HTMLElement>('.jp-WindowedPanel-outer'));
  }

  private _listenTo(scroller: HTMLElement | null): void {
    if (scroller === this._scroller) {
      return;
    }
    const options = { passive: true, capture: true };
    for (const type of SCROLLING_ACTIONS) {
      this._scroller?.removeEventListener(type, this._onAction, options);
      scroller?.addEventListener(type, this._onAction, options);
    }
    this._scroller?.removeEventListener('scroll', this._onScroll, options);
    scroller?.addEventListener('scroll', this._onScroll, options);
    this._scroller = scroller;
  }

  /** A scroll event doesn't say who has scrolled. */
  private readonly _onAction = (event: Event): void => {
    const isInRow =
      event.target instanceof Node && this._row.contains(event.target);
    if (event.type === 'wheel' || !isInRow) {
      this._hasPersonScrolled = true;
    }
  };

  private readonly _onScroll = (event: Event): void => {
    if (event.target !== this._scroller) {
      return;
    }
    if (this._hasPersonScrolled) {
      this._isFollowing = this._visibility === 'all';
    } else if (this._visibility === 'none') {
      this._isFollowing = false;
    }
  };

  private get _visibility(): 'all' | 'part' | 'none' {
    const area = this._scroller?.getBoundingClientRect();
    const row = this._row.getBoundingClientRect();
    if (!area || row.bottom < area.top || row.top > area.bottom) {
      return 'none';
    }
    // Browsers round the scroll position.
    const isWhole = row.top >= area.top - 1 && row.bottom <= area.bottom + 1;
    return isWhole ? 'all' : 'part';
  }

  private _hasPersonScrolled = false;
  private _isFollowing = false;
  private readonly _observer: ResizeObserver | null = null;
  private _scroller: HTMLElement | null = null;
}
