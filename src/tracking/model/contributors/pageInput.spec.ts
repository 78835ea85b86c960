import { PageInput } from './pageInput';

function windowWith(event: Partial<Event> | undefined, now = 0): Window {
  const performance = { now: () => now };
  return { event, performance, document } as unknown as Window;
}

function elementIn(className: string): Element {
  const parent = document.createElement('div');
  parent.className = className;
  return parent.appendChild(document.createElement('button'));
}

describe('PageInput', () => {
  it.each([
    ['jp-DocumentSearch-overlay', true, true],
    ['jp-Completer', true, true],
    ['jp-Completer', false, false],
    ['jp-chat', true, false]
  ])(
    'detects input in %s, trusted: %s (P40)',
    (className, isTrusted, expected) => {
      const target = elementIn(className);
      const input = new PageInput(windowWith({ isTrusted, target }));
      expect(input.isActive).toBe(expected);
      input.dispose();
    }
  );

  it('is inactive without an event', () => {
    const input = new PageInput(windowWith(undefined));
    expect(input.isActive).toBe(false);
    input.dispose();
  });
});
