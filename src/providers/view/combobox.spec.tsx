import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';
import { act } from 'react';
import { Root, createRoot } from 'react-dom/client';

import { Combobox } from './combobox';

const trans = nullTranslator.load('aiserver');
let root: Root;

function Holder(props: {
  fetch: () => Promise<string[]>;
  onSubmit: () => void;
}): React.JSX.Element {
  const [value, setValue] = React.useState('gpt');
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      <Combobox
        id="models"
        value={value}
        suggested={['gpt']}
        fetch={props.fetch}
        problemText={() => 'Refused.'}
        trans={trans}
        onChange={setValue}
      />
    </form>
  );
}

async function setup(fetch: () => Promise<string[]>) {
  const node = document.createElement('div');
  document.body.append(node);
  root = createRoot(node);
  const onSubmit = jest.fn();
  await act(async () => root.render(<Holder {...{ fetch, onSubmit }} />));
  const field = node.querySelector('input')!;
  const { set } = Object.getOwnPropertyDescriptor(
    HTMLInputElement.prototype,
    'value'
  )!;
  return {
    field,
    node,
    key: async (key: string) => {
      let isFree = true;
      await act(async () => {
        isFree = field.dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
        );
      });
      return isFree;
    },
    type: async (text: string) => {
      await act(async () => {
        set?.call(field, text);
        field.dispatchEvent(new Event('input', { bubbles: true }));
      });
    },
    options: () =>
      [...node.querySelectorAll('[role=option]')].map(item => item.textContent)
  };
}

afterEach(async () => {
  await act(async () => root.unmount());
  document.body.replaceChildren();
});

describe('Combobox', () => {
  it('fetches the names once when it is opened, and shows all of them', async () => {
    // P4: the names are not fetched before the list is opened, and not on typing.
    const fetch = jest.fn(async () => ['big', 'gpt', 'gpt-mini']);
    const t = await setup(fetch);
    await t.type('g');
    expect(fetch).not.toHaveBeenCalled();
    expect(t.options()).toEqual(['gpt']); // The suggested names.
    await t.key('Escape');
    await t.key('ArrowDown');
    expect(fetch).toHaveBeenCalledTimes(1);
    expect(t.field.getAttribute('aria-expanded')).toBe('true');
    expect(t.options()).toEqual(['big', 'gpt', 'gpt-mini']);
    await t.key('Escape');
    await t.key('ArrowDown');
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it('filters by typing, and chooses a name with the keyboard', async () => {
    const t = await setup(async () => ['a-mini', 'gpt', 'mini-b']);
    await t.key('ArrowDown');
    await t.type('MINI');
    expect(t.options()).toEqual(['mini-b', 'a-mini']);
    await t.key('ArrowDown');
    await t.key('ArrowDown');
    const active = t.field.getAttribute('aria-activedescendant') ?? '';
    expect(document.getElementById(active)?.textContent).toBe('a-mini');
    expect(await t.key('Enter')).toBe(false); // It doesn't submit the form.
    expect(t.field.value).toBe('a-mini');
    expect(t.options()).toEqual([]);
    expect(await t.key('Enter')).toBe(true);
  });

  it('accepts a name that is not listed', async () => {
    const t = await setup(async () => ['a']);
    await t.key('ArrowDown');
    await t.type('my-own:7b');
    expect(t.options()).toEqual([]);
    expect(t.field.value).toBe('my-own:7b');
  });

  it('shows why loading failed, and retries when it is opened again', async () => {
    const fetch = jest.fn(async (): Promise<string[]> => {
      throw new Error('no');
    });
    const t = await setup(fetch);
    await t.key('ArrowDown');
    expect(t.node.querySelector('[role=status]')?.textContent).toBe('Refused.');
    expect(t.options()).toEqual(['gpt']);
    await t.key('Escape');
    fetch.mockImplementation(async () => ['b']);
    await t.key('ArrowDown');
    expect(fetch).toHaveBeenCalledTimes(2);
    expect(t.options()).toEqual(['b']);
  });

  it('renders part of a long list', async () => {
    const names = Array.from({ length: 400 }, (_, index) => `model-${index}`);
    const t = await setup(async () => names);
    await t.key('ArrowDown');
    expect(t.options()).toHaveLength(100);
    expect(t.node.textContent).toContain('300 more');
    await t.type('model-399');
    expect(t.options()).toEqual(['model-399']);
  });
});
