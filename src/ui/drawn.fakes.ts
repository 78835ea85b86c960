/** Wait until something is drawn, and pretend a layout. */
import { MessageLoop } from '@lumino/messaging';

/** Jest ends a test that waits too long. */
export async function untilDrawn(isDone: () => unknown): Promise<void> {
  while (!isDone()) {
    MessageLoop.flush();
    await new Promise(resolve => setTimeout(resolve));
  }
}

/** Pretend that ten rows of a list fit; jsdom has no layout. */
export function pretendLayout(): void {
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', {
    configurable: true,
    get: () => 460
  });
  Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
    configurable: true,
    get(this: HTMLElement) {
      return this.dataset.index === undefined ? 460 : 46;
    }
  });
}
