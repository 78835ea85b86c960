import * as React from 'react';
import { Signal } from '@lumino/signaling';
import { act } from 'react';

import { ApiError } from '../../../api/request';
import type { IMemory } from '../../../tokens';
import { button, setState, setup } from '../promptRow.fakes';

type Options = Parameters<IMemory['renderProposal']>[0];

/** A memory whose question is a button with the proposal's id. */
class FakeMemory implements IMemory {
  proposed: string[] = [];
  failure: Error | null = null;
  options: Options | null = null;
  usedEntries = [];
  changed = new Signal<this, void>(this);
  show = () => undefined;

  async propose(text: string): Promise<string> {
    if (this.failure) {
      throw this.failure;
    }
    this.proposed.push(text);
    return `id${this.proposed.length}`;
  }

  renderProposal(options: Options) {
    this.options = options;
    return <button>{`question ${options.id}`}</button>;
  }
}

describe('RememberBar', () => {
  let memory: FakeMemory;

  beforeEach(() => (memory = new FakeMemory()));
  afterEach(() => {
    jest.restoreAllMocks();
    document.body.replaceChildren();
  });

  it('asks about a text to remember, and sends nothing to a model', async () => {
    const t = await setup({ memory });
    await t.type('Please remember that titles are in Chinese');
    await t.press('Enter');
    expect(memory.proposed).toEqual(['titles are in Chinese']);
    expect(t.ask).not.toHaveBeenCalled();
    expect(t.field.value).toBe('');
    expect(button(t.row, 'question id1')).toBeTruthy();
    expect(memory.options?.takesFocus).toBe(true);
    await act(async () => button(t.row, 'question id1')!.focus());
    await act(async () => memory.options!.onEnd('Remembered.', true));
    await t.settle();
    expect(button(t.row, 'question')).toBeUndefined();
    expect(t.row.node.textContent).toContain('Remembered.');
    expect(document.activeElement).toBe(t.field);
  });

  it('leaves the focus where it is if the person decides elsewhere', async () => {
    const t = await setup({ memory });
    await t.type('记住用 polars');
    await t.press('Enter');
    const other = document.body.appendChild(document.createElement('input'));
    await act(async () => other.focus());
    await act(async () => memory.options!.onEnd('', false));
    expect(document.activeElement).toBe(other);
  });

  it('needs no model', async () => {
    const t = await setup({ memory, models: [] });
    await t.type('/remember use polars');
    await t.press('Enter');
    expect(memory.proposed).toEqual(['use polars']);
  });

  it('keeps the text in the field, and says why it isn’t stored', async () => {
    const t = await setup({ memory });
    memory.failure = new ApiError(409, 'not_remembered', 'A password.');
    await t.type('remember the password is hunter2');
    await t.press('Enter');
    expect(t.field.value).toBe('remember the password is hunter2');
    expect(t.row.node.querySelector('[role=alert]')?.textContent).toBe(
      'A password.'
    );
    expect(t.ask).not.toHaveBeenCalled();
  });

  it('keeps text that was typed meanwhile', async () => {
    let store!: () => void;
    memory.propose = () =>
      new Promise(resolve => (store = () => resolve('id1')));
    const t = await setup({ memory });
    await t.type('remember use polars');
    await t.press('Enter');
    await t.type('plot it');
    await act(async () => store());
    expect(t.field.value).toBe('plot it');
  });

  it('sends the request to the model instead', async () => {
    const t = await setup({ memory });
    await t.type('remember the last three rows in a deque');
    await t.press('Enter');
    await act(async () => memory.options!.onAsk!());
    expect(t.ask).toHaveBeenCalledWith(
      'remember the last three rows in a deque'
    );
  });

  it('puts the request back into the field while another one runs', async () => {
    const t = await setup({ memory });
    await t.type('remember the last three rows');
    await t.press('Enter');
    setState(t.model, { phase: 'waiting' });
    await act(async () => memory.options!.onAsk!());
    expect(t.ask).not.toHaveBeenCalled();
    expect(t.field.value).toBe('remember the last three rows');
  });

  it('asks without taking the focus after a request with such a clause', async () => {
    const t = await setup({ memory });
    await t.type('plot it, and remember to use seaborn');
    await t.press('Enter');
    expect(t.ask).toHaveBeenCalledTimes(1);
    expect(memory.proposed).toEqual([]);
    t.model.request = {
      ...t.model.buildRequest('plot it, and remember to use seaborn')
    };
    await act(async () => {
      t.model.setState({ phase: 'waiting' });
      t.model.setState({ phase: 'answered', turnId: 3 });
    });
    await t.settle();
    expect(memory.proposed).toEqual(['use seaborn']);
    expect(memory.options).toMatchObject({ takesFocus: false });
    expect(memory.options?.onAsk).toBeUndefined();
  });

  it('completes the slash word only if there are memories', async () => {
    const options = () =>
      [...document.querySelectorAll('[role="option"]')].map(
        node => node.textContent
      );
    const without = await setup();
    await without.type('/rem');
    expect(options()).toEqual([]);
    await without.type('remember x');
    await without.press('Enter');
    expect(without.ask).toHaveBeenCalledWith('remember x', 'remember x');
    document.body.replaceChildren();
    const t = await setup({ memory });
    await t.type('/rem');
    expect(options()).toEqual(['/rememberRemember a sentence for all cells']);
  });
});
