import * as React from 'react';
import { act } from 'react';

import { ModelField } from './modelField';
import { removeView, setup } from './views.fakes';

function Holder(props: { fetch: () => Promise<string[]> }): React.JSX.Element {
  const [value, setValue] = React.useState('gpt');
  return (
    <>
      <label htmlFor="field">Model</label>
      <ModelField
        id="field"
        value={value}
        suggested={['gpt', 'other']}
        fetch={props.fetch}
        onChange={setValue}
      />
    </>
  );
}

async function open(fetch: () => Promise<string[]>) {
  const t = await setup();
  await t.draw(<Holder fetch={fetch} />);
  const options = () =>
    [...t.node.querySelectorAll('option:not([hidden])')].map(
      item => item.textContent
    );
  return { ...t, options };
}

afterEach(removeView);

describe('ModelField', () => {
  it('fetches the names once when the list is opened, not on typing', async () => {
    // P4
    const fetch = jest.fn(async () => ['big', 'gpt', 'gpt-mini']);
    const t = await open(fetch);
    await t.write(/Model/, 'gpt');
    expect(fetch).not.toHaveBeenCalled();
    expect(t.options()).toEqual([]);
    await t.press(/Show models/);
    expect(t.options()).toEqual(['big', 'gpt', 'gpt-mini']);
    await t.press(/Show models/);
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it('filters the names, offers them to the keyboard, and accepts any other', async () => {
    const t = await open(async () => ['a-mini', 'gpt', 'mini-b']);
    const field = t.node.querySelector('input')!;
    await act(async () => {
      field.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true })
      );
    });
    await t.write(/Model/, 'MINI');
    expect(t.options()).toEqual(['a-mini', 'mini-b']);
    const list = t.node.querySelector('select')!;
    expect(list.value).toBe(''); // The first name isn't chosen yet.
    await act(async () => {
      list.value = 'mini-b';
      list.dispatchEvent(new Event('change', { bubbles: true }));
    });
    expect(field.value).toBe('mini-b');
    expect(t.options()).toEqual(['a-mini', 'mini-b']); // The list doesn't jump.
    await t.write(/Model/, 'my-own:7b');
    expect(field.value).toBe('my-own:7b');
  });

  it('shows why loading failed, and retries when it is opened again', async () => {
    const fetch = jest.fn(async (): Promise<string[]> => {
      throw new Error('no');
    });
    const t = await open(fetch);
    await t.press(/Show models/);
    expect(t.node.querySelector('[role=alert]')).not.toBeNull();
    expect(t.options()).toEqual(['gpt', 'other']);
    fetch.mockImplementation(async () => []);
    await t.press(/Show models/);
    expect(t.node.querySelector('[role=alert]')).toBeNull();
    expect(t.node.querySelector('[role=status]')?.textContent).toContain(
      'lists no models'
    );
  });
});
