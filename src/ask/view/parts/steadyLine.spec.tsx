import * as React from 'react';
import { act } from 'react';
import { Root, createRoot } from 'react-dom/client';

import { SteadyLine } from './chips';

/** A line whose height is that of its children: 26 pixels for each button. */
function setup() {
  const host = document.createElement('div');
  const root: Root = createRoot(host);
  const height = jest
    .spyOn(HTMLElement.prototype, 'offsetHeight', 'get')
    .mockImplementation(function (this: HTMLElement) {
      const natural = 26 * this.querySelectorAll('button').length;
      return Math.max(natural, parseInt(this.style.minHeight || '0'));
    });
  const show = (count: number, subject = 'request') =>
    act(async () =>
      root.render(
        <SteadyLine subject={subject}>
          <span>
            {Array.from({ length: count }, (_, index) => (
              <button key={index} />
            ))}
          </span>
        </SteadyLine>
      )
    );
  const minHeight = () =>
    (host.firstElementChild as HTMLElement).style.minHeight;
  return { height, minHeight, show };
}

describe('SteadyLine', () => {
  it('keeps the height of all its lines while a person types', async () => {
    const t = setup();
    await t.show(3);
    expect(t.minHeight()).toBe('78px');
    await t.show(1);
    expect(t.minHeight()).toBe('78px');
    // The request is sent: the row changes anyway.
    await t.show(1, 'answer');
    expect(t.minHeight()).toBe('26px');
    t.height.mockRestore();
  });
});
