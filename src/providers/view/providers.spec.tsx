import * as React from 'react';
import { act } from 'react';

import { ApiError } from '../../api/request';
import { setFeatures } from '../../state/features.fakes';
import { ModelChoice } from '../model/modelChoice';
import {
  ModelsApiFake,
  OPENAI,
  OWN_SERVER,
  REMOTE,
  modelList
} from '../model/models.fakes';
import { ModelViews } from './parts';
import { Providers } from './providers';
import { removeView, setup } from './views.fakes';

afterEach(removeView);

describe('Providers', () => {
  it('say that remote models are not allowed', async () => {
    const text = 'Your administrator only allows models on this computer.';
    setFeatures({ remote_models: 'forbidden' });
    const { draw, node } = await setup(modelList());
    await draw(<Providers />);
    expect(node.textContent).toContain(text);
    setFeatures();
    await draw(<Providers key="allowed" />);
    expect(node.textContent).not.toContain(text);
  });

  const pick = async (
    t: Awaited<ReturnType<typeof setup>>,
    index: number
  ): Promise<void> => {
    const radios = t.node.querySelectorAll<HTMLInputElement>('[type=radio]');
    await act(async () => radios[index].click());
  };

  const openFirst = async () => {
    const t = await setup();
    const onChosen = jest.fn();
    const onVerified = jest.fn();
    await t.draw(<Providers onChosen={onChosen} onVerified={onVerified} />);
    await pick(t, 0);
    return { t, onChosen, onVerified };
  };

  it('opens the given provider', async () => {
    const t = await setup();
    await t.draw(<Providers initialProvider={OWN_SERVER.name} />);
    const open = t.node.querySelector('[data-open]');
    expect(open?.textContent).toContain(OWN_SERVER.label);
  });

  it('shows a network failure, and offers to refresh', async () => {
    const t = await setup();
    const api = new ModelsApiFake();
    api.failure = new ApiError(0, 'unreachable', 'In English.');
    const choice = new ModelChoice(api);
    await t.draw(
      <ModelViews services={{ ...t.services, choice }}>
        <Providers />
      </ModelViews>
    );
    expect(t.node.querySelector('[role="alert"]')?.textContent).toContain(
      'Check that it is running'
    );
    api.failure = null;
    await t.press(/Refresh/);
    expect(t.node.querySelector('[role="radiogroup"]')).not.toBeNull();
  });

  it('clears the password field as soon as the key is saved', async () => {
    // P8
    const t = await setup();
    const onChosen = jest.fn();
    await t.draw(<Providers onChosen={onChosen} />);
    await pick(t, 0);
    expect(t.button(/Use this model/)?.disabled).toBe(true);
    const field = await t.write(/^API key$/, 'sk-canary');
    expect(field.type).toBe('password');
    expect(t.node.textContent).toContain(
      'is sent to OpenAI (https://api.openai.com/v1)'
    );
    await t.press(/Use this model/);
    expect(t.api.calls.slice(2, 4)).toEqual([
      ['save', 'openai', 'sk-canary', null],
      ['choose', 'openai:gpt']
    ]);
    expect(onChosen).toHaveBeenCalled();
    expect(t.node.innerHTML).not.toContain('sk-canary');
    expect(field.value).toBe('');
  });

  it('submits inside another form, which blocks submit events', async () => {
    const t = await setup();
    await t.draw(
      <div>
        <Providers />
      </div>
    );
    await pick(t, 0);
    await t.write(/^API key$/, 'sk-canary');
    // As in the settings editor, no submit event of the nested form gets to the document's root.
    t.node.firstElementChild?.addEventListener('submit', event =>
      event.stopPropagation()
    );
    await t.press(/Use this model/);
    expect(t.api.names).toContain('save');
  });

  it('shows no key field if the environment has a key, and saves none', async () => {
    const t = await setup(
      modelList({ providers: [{ ...OPENAI, keySource: 'environment' }] })
    );
    await t.draw(<Providers />);
    expect(t.node.querySelector('[type=password]')).toBeNull();
    expect(t.node.textContent).toContain('OPENAI_API_KEY');
    await t.press(/Use this model/);
    expect(t.api.names).toEqual([
      'models',
      'check',
      'models',
      'choose',
      'models'
    ]);
  });

  it('never sends a saved key to a new address', async () => {
    const t = await setup(
      modelList({
        providers: [
          { ...OWN_SERVER, keySource: 'file', address: 'http://127.0.0.1:1/v1' }
        ]
      })
    );
    await t.draw(<Providers />);
    await t.write(/^Base URL/, 'https://models.example/v1');
    expect(t.node.textContent).toContain('is removed when you use');
    await t.write(/^Model/, 'mine');
    await t.press(/Use this model/);
    expect(t.api.calls).toContainEqual([
      'save',
      'openai_compatible',
      null,
      'https://models.example/v1'
    ]);
  });

  it('treats a server at a loopback address as remote until the person declares it local', async () => {
    // P4, P16: a proxy or a tunnel may listen at a loopback address.
    const address = 'http://127.0.0.1:4000/v1';
    const saved = { ...OWN_SERVER, keySource: 'file' as const, address };
    const t = await setup(modelList({ providers: [saved] }));
    await t.draw(<Providers />);
    await t.write(/^Model/, 'mine');
    const box = () =>
      t.node.querySelector<HTMLInputElement>('input[type=checkbox]');
    expect(box()?.checked).toBe(false);
    expect(t.node.textContent).toContain(`is sent to ${address}`);
    await act(async () => box()?.click());
    expect(t.node.textContent).toContain(
      'runs on the Jupyter server’s machine'
    );
    await t.press(/Use this model/);
    // The saved key is not removed.
    expect(t.api.names).not.toContain('save');
    expect(t.api.calls).toContainEqual(['place', 'openai_compatible', true]);

    // The declaration applies only to this server.
    await t.write(/^Base URL/, 'http://127.0.0.1:5000/v1');
    expect(box()?.checked).toBe(false);
    await act(async () => box()?.click());
    await t.press(/Use this model/);
    expect(t.api.calls).toContainEqual([
      'save',
      'openai_compatible',
      null,
      'http://127.0.0.1:5000/v1',
      'here'
    ]);
    await t.write(/^Base URL/, 'https://models.example/v1');
    expect(box()).toBeNull();
  });

  it('has no checkbox if the administrator has set the location', async () => {
    const address = 'http://127.0.0.1:4000/v1';
    const settled = { ...OWN_SERVER, address, placeSettled: true };
    const t = await setup(modelList({ providers: [settled] }));
    await t.draw(<Providers initialProvider={settled.name} />);
    expect(t.node.querySelector('input[type=checkbox]')).toBeNull();
    expect(t.node.textContent).toContain(`is sent to ${address}`);
  });

  it('names the cloud for a model that a local Ollama forwards', async () => {
    // P4
    const ollama = {
      ...OWN_SERVER,
      name: 'ollama',
      label: 'Ollama',
      address: 'http://127.0.0.1:11434',
      onThisMachine: true,
      placeSettled: true
    };
    const t = await setup(modelList({ providers: [ollama] }));
    await t.draw(<Providers />);
    await pick(t, 0);
    await t.write(/^Model/, 'big');
    expect(t.node.textContent).toContain(
      'runs on the Jupyter server’s machine'
    );
    await t.write(/^Model/, 'big:cloud');
    expect(t.node.textContent).not.toContain(
      'runs on the Jupyter server’s machine'
    );
    expect(t.node.textContent).toContain('sent to Ollama’s cloud');
  });

  it('shows the command that installs a missing package, and no key field', async () => {
    const t = await setup(
      modelList({ providers: [{ ...OPENAI, installed: false }] })
    );
    await t.draw(<Providers />);
    await pick(t, 0);
    expect(t.node.querySelector('code')?.textContent).toBe(OPENAI.install);
    expect(t.node.querySelector('[type=password]')).toBeNull();
  });

  it('shows the server’s error, and preserves the input', async () => {
    const t = await setup();
    await t.draw(<Providers />);
    await pick(t, 0);
    const field = await t.write(/^API key$/, 'sk');
    t.api.failure = new ApiError(
      400,
      'invalid_request',
      'key: must contain only'
    );
    await t.press(/Use this model/);
    expect(t.node.querySelector('[role="alert"]')?.textContent).toBe(
      'key: must contain only'
    );
    expect(field.value).toBe('sk');
  });

  it('tests the input after the click, with that provider only', async () => {
    // P4
    const { t, onChosen, onVerified } = await openFirst();
    await t.write(/^API key$/, 'sk-wrong');
    expect(t.api.names).not.toContain('check');
    const provider = { name: 'openai', label: 'OpenAI' };
    const message = 'OpenAI rejected the API key.';
    t.api.verdict = new ApiError(503, 'model_auth_failed', message, {
      provider
    });
    await t.press(/Use this model/);
    // Nothing is saved, and the active model stays the same.
    expect(t.api.calls.slice(1)).toEqual([['check', 'openai:gpt', 'sk-wrong']]);
    expect(onChosen).not.toHaveBeenCalled();
    expect(t.node.querySelector('[role="alert"]')?.textContent).toContain(
      'OpenAI rejected the API key'
    );
    t.api.verdict = 'not_listed';
    await t.write(/^API key$/, 'sk-right');
    expect(t.button(/Use it anyway/)).toBeUndefined();
    await t.press(/Use this model/);
    expect(t.node.querySelector('[role="alert"]')).toBeNull();
    expect(t.node.querySelector('[role="status"]')?.textContent).toContain(
      'doesn’t list a model with this name'
    );
    expect(onVerified).not.toHaveBeenCalled();
    t.api.verdict = 'ok';
    await t.write(/^API key$/, 'sk-right');
    await t.press(/Use this model/);
    expect(t.node.querySelector('.jp-mod-ok')).not.toBeNull();
    expect(onVerified).toHaveBeenCalledTimes(1);
  });

  it('tests the input without saving it', async () => {
    // P4
    const t = await setup();
    await t.draw(<Providers />);
    await pick(t, 0);
    expect(t.button(/^Test$/)?.disabled).toBe(true);
    await t.write(/^API key$/, 'sk-mine');
    await t.press(/^Test$/);
    expect(t.api.calls.slice(1)).toEqual([['check', 'openai:gpt', 'sk-mine']]);
    expect(t.node.querySelector('.jp-mod-ok')?.textContent).toContain(
      'OpenAI is responding and lists this model'
    );
  });

  it('lets a person skip the test, and then shows the rejection instead of "In use"', async () => {
    const { t, onChosen, onVerified } = await openFirst();
    await t.write(/^API key$/, 'sk-mine');
    t.api.verdict = new ApiError(503, 'model_forbidden', '');
    await t.press(/Use this model/);
    t.api.list = modelList({
      default: REMOTE.id,
      models: [REMOTE],
      providers: [
        { ...OPENAI, keySource: 'file', refusal: 'model_auth_failed' }
      ]
    });
    await t.press(/Use it anyway/);
    expect(t.api.names.slice(2)).toEqual([
      'save',
      'choose',
      'models',
      'check',
      'models'
    ]);
    expect(onChosen).toHaveBeenCalledTimes(1);
    expect(onVerified).not.toHaveBeenCalled();
    const label = t.node.querySelector('[data-open] > label');
    expect(label?.textContent).toContain('API key rejected');
    expect(label?.textContent).not.toContain('In use');
  });

  it('renders the buttons in the given element, where they submit the form', async () => {
    const t = await setup();
    const footer = document.createElement('div');
    t.node.after(footer);
    await t.draw(<Providers footer={footer} />);
    await pick(t, 0);
    await t.write(/^API key$/, 'sk-mine');
    expect(t.button(/Use this model/)).toBeUndefined();
    const use = footer.querySelector<HTMLButtonElement>('[type=submit]');
    await act(async () => use?.click());
    expect(t.api.names).toContain('save');
  });

  it('removes a key from the server', async () => {
    const t = await setup(
      modelList({ providers: [{ ...OPENAI, keySource: 'keyring' }] })
    );
    await t.draw(<Providers />);
    await t.press(/Remove key/);
    expect(t.api.calls).toContainEqual(['remove', 'openai']);
  });
});
