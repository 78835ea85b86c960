import { Acts } from './pageInput';

/** A window in which the browser passes on an event. */
function windowWith(event: Partial<Event> | undefined, now = 0): Window {
  const performance = { now: () => now };
  return { event, performance, document } as unknown as Window;
}

function elementIn(className: string): Element {
  const parent = document.createElement('div');
  parent.className = className;
  return parent.appendChild(document.createElement('button'));
}

describe('a person’s acts', () => {
  it.each([
    ['jp-DocumentSearch-overlay', true, true],
    ['jp-Completer', true, true],
    ['jp-Completer', false, false],
    ['jp-chat', true, false]
  ])('in %s, trusted: %s (P40)', (className, isTrusted, expected) => {
    const target = elementIn(className);
    const acts = new Acts(windowWith({ isTrusted, target }));
    expect(acts.isPersons).toBe(expected);
    acts.dispose();
  });

  it('are none without an event', () => {
    const acts = new Acts(windowWith(undefined));
    expect(acts.isPersons).toBe(false);
    acts.dispose();
  });
});
