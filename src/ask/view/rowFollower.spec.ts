import { RowFollower } from './rowFollower';

/** The callbacks of all `ResizeObserver`s, which jsdom doesn't have. */
const onResize = new Set<() => void>();

class FakeResizeObserver implements ResizeObserver {
  constructor(callback: ResizeObserverCallback) {
    this._callback = () => callback([], this);
  }
  observe() {
    onResize.add(this._callback);
  }
  unobserve() {
    this.disconnect();
  }
  disconnect() {
    onResize.delete(this._callback);
  }
  private readonly _callback: () => void;
}

/** A follower of an opened row, in a notebook whose visible part is 100 pixels high. */
function setup() {
  window.ResizeObserver = FakeResizeObserver;
  const scroller = document.createElement('div');
  scroller.className = 'jp-WindowedPanel-outer';
  scroller.getBoundingClientRect = () => ({ top: 0, bottom: 100 }) as DOMRect;
  const cell = document.createElement('div');
  const row = document.createElement('div');
  cell.append(row);
  scroller.append(cell);
  const scrolled = (row.scrollIntoView = jest.fn());
  const place = (top: number, bottom: number) => {
    row.getBoundingClientRect = () => ({ top, bottom }) as DOMRect;
  };
  place(40, 90);
  const follower = new RowFollower(row, cell);
  follower.open();
  return {
    follower,
    /** Return whether the notebook scrolls to the row after a change of its size. */
    grow(top: number, bottom: number): boolean {
      scrolled.mockClear();
      place(top, bottom);
      onResize.forEach(notify => notify());
      return scrolled.mock.calls.length > 0;
    },
    /** Scroll the notebook so that the row is at this place, by an action of the person or not. */
    scroll(top: number, bottom: number, action?: string): void {
      if (action) {
        scroller.dispatchEvent(new Event(action));
      }
      place(top, bottom);
      scroller.dispatchEvent(new Event('scroll'));
    }
  };
}

describe('RowFollower scrolls', () => {
  it('to a row that grows beyond the visible part, until it is disposed of', () => {
    const t = setup();
    expect(t.grow(40, 90)).toBe(false);
    expect(t.grow(60, 110)).toBe(true);
    t.follower.dispose();
    expect(onResize.size).toBe(0);
  });

  it('to the row if JupyterLab has scrolled a part of it out of view', () => {
    const t = setup();
    t.scroll(60, 110);
    expect(t.grow(70, 120)).toBe(true);
  });

  it.each([
    ['the person has scrolled a part of it away', 'wheel', 60, 110],
    ['it was scrolled out of view', undefined, 160, 210]
  ])('not to the row if %s', (_, action, top, bottom) => {
    const t = setup();
    t.scroll(top, bottom, action);
    expect(t.grow(top, bottom)).toBe(false);
  });

  it('to the row again when the person has scrolled back', () => {
    const t = setup();
    t.scroll(60, 110, 'wheel');
    t.scroll(50, 100);
    expect(t.grow(60, 110)).toBe(true);
  });

  it('to a row of which a part is visible when a request is sent', () => {
    const t = setup();
    t.scroll(60, 110, 'wheel');
    t.follower.followIfVisible();
    expect(t.grow(70, 120)).toBe(true);
    t.scroll(160, 210);
    t.follower.followIfVisible();
    expect(t.grow(160, 210)).toBe(false);
  });
});
