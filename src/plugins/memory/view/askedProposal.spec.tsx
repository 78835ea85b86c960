import { nullTranslator } from '@jupyterlab/translation';
import React from 'react';
import { createRoot } from 'react-dom/client';
import { act } from 'react';

import { FakeMemory } from '../model/memory.fakes';
import { MemoryModel } from '../model/memoryModel';
import { AskedProposal } from './askedProposal';
import { MemoryContext } from './context';

async function setup(takesFocus = true) {
  const server = new FakeMemory();
  const model = new MemoryModel(server);
  const id = await model.propose('Use polars', null);
  await model.load();
  const node = document.body.appendChild(document.createElement('div'));
  const onEnd = jest.fn();
  const onAsk = jest.fn();
  const context = {
    model,
    trans: nullTranslator.load('aiserver'),
    locale: 'en',
    showSource: null
  };
  await act(async () =>
    createRoot(node).render(
      <MemoryContext value={context}>
        <AskedProposal {...{ id, takesFocus, onEnd, onAsk }} />
      </MemoryContext>
    )
  );
  const field = () => node.querySelector('textarea')!;
  const click = (name: string) =>
    act(async () =>
      [...node.querySelectorAll('button')]
        .find(button => button.textContent?.startsWith(name))!
        .click()
    );
  const press = (target: Element, key: string) =>
    act(async () => {
      const event = new KeyboardEvent('keydown', { key, bubbles: true });
      target.dispatchEvent(event);
    });
  return { server, model, id, node, onEnd, onAsk, field, click, press };
}

describe('AskedProposal', () => {
  afterEach(() => document.body.replaceChildren());

  it('has the focus in the text, and Enter remembers the edited text', async () => {
    const t = await setup();
    expect(document.activeElement).toBe(t.field());
    expect(t.field().value).toBe('Use polars');
    await act(async () => t.model.edit(t.id, 'Use polars, please'));
    await t.press(t.field(), 'Enter');
    expect(t.server.entries).toMatchObject([
      { text: 'Use polars, please', scope: 'project' }
    ]);
    expect(t.onEnd).toHaveBeenCalledWith('Remembered for this project.', true);
    expect(t.node.textContent).toBe('');
  });

  it('remembers for the person, or not at all', async () => {
    const own = await setup();
    await own.click('Remember for me');
    expect(own.server.entries).toMatchObject([{ scope: 'person' }]);
    const none = await setup();
    await none.click('Don’t remember');
    expect(none.server.entries).toEqual([]);
    expect(none.server.waiting).toEqual([]);
    expect(none.onEnd).toHaveBeenCalledWith('', true);
  });

  it('leaves the decision to the memory view by Escape', async () => {
    const t = await setup();
    await t.press(t.field(), 'Escape');
    expect(t.onEnd).toHaveBeenCalledWith('It waits in the Memory view.', true);
    await t.press(t.node.querySelector('button')!, 'Escape');
    expect(t.onEnd).toHaveBeenCalledTimes(2);
    expect(t.server.waiting).toHaveLength(1);
  });

  it('rejects the proposal before its request is sent to the model', async () => {
    const t = await setup();
    await t.click('Ask the model instead');
    expect(t.server.waiting).toEqual([]);
    expect(t.onAsk).toHaveBeenCalledTimes(1);
  });

  it('ends if the proposal is decided in another window', async () => {
    const t = await setup(false);
    expect(t.node.contains(document.activeElement)).toBe(false);
    t.server.waiting = [];
    await act(() => t.model.load());
    expect(t.onEnd).toHaveBeenCalledWith('', false);
  });
});
