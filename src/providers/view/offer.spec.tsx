import { Clipboard } from '@jupyterlab/apputils';
import * as React from 'react';
import { act } from 'react';

import { ApiError } from '../../api/request';
import {
  LARGE,
  NOT_INSTALLED,
  OPENAI,
  REMOTE,
  SMALL,
  modelList,
  readyModel
} from '../model/models.fakes';
import { Offer } from './offer';
import { removeView, setup } from './views.fakes';

afterEach(removeView);

async function open(list = modelList()) {
  const t = await setup(list);
  const focusInput = jest.fn();
  const props = { services: t.services, focusInput };
  const show = (attempts = 0) => t.draw(<Offer {...{ ...props, attempts }} />);
  await show();
  return { ...t, focusInput, show };
}

describe('Offer', () => {
  it('sends nothing until a button is pressed', async () => {
    // P4
    const t = await open(
      modelList({ providers: [{ ...OPENAI, keySource: 'environment' }] })
    );
    expect(t.node.textContent).toContain(
      'A key is not used until you choose that provider'
    );
    expect(t.api.names).toEqual(['models']); // The list comes from the server.
    await t.press(/Install Qwen2.5-Coder \(491 MB\)/);
    expect(t.api.names).toEqual(['models', 'install']);
  });

  it('shows the progress of the installation, and resumes after Stop', async () => {
    const t = await open();
    await t.press(/Install/);
    await act(() =>
      t.api.give({
        type: 'progress',
        name: 'small-0.5b',
        phase: 'fetching',
        bytes: 211e6,
        total: 491e6,
        source: 'hub',
        message: null
      })
    );
    const bar = t.node.querySelector('[role="progressbar"]');
    expect(bar?.getAttribute('aria-valuenow')).toBe('42');
    expect(t.node.textContent).toContain('211 of 491 MB');
    t.api.failure = new ApiError(0, 'unreachable', 'No answer.');
    await t.press(/Stop/);
    expect(t.node.querySelector('[role="alert"]')?.textContent).toBe(
      'The installation could not be stopped. The Jupyter server is not responding. Check that it is running, then try again.'
    );
    t.api.failure = null;
    // The saved part of the download, which may be less than was shown.
    t.api.list = modelList({ local: { ...NOT_INSTALLED, kept: 163.8e6 } });
    await t.press(/Stop/);
    expect(t.node.textContent).toContain('Stopped. 164 of 491 MB downloaded.');
    expect(t.button(/Continue installing \(164 of 491 MB\)/)).toBeDefined();
  });

  it('installs the suggested model of the catalogue, and offers the others', async () => {
    const localModels = [SMALL, LARGE];
    const t = await open(modelList({ localModels }));
    await t.press(/Other models…/);
    expect(t.services.openLocalModels).toHaveBeenCalled();
    // P38: the dialog gave the focus to no other element.
    expect(t.focusInput).toHaveBeenCalledTimes(1);
    await t.press(/^Install Large 1\.5B \(1\.1 GB\)$/);
    expect(t.api.calls).toEqual([['models'], ['install', LARGE.name]]);
    t.api.list = modelList({ localModels: [SMALL, { ...LARGE, kept: 2e8 }] });
    await t.press(/Stop/);
    expect(t.button(/^Continue installing \(0\.2 of 1\.1 GB\)$/)).toBeDefined();
  });

  it('names the chosen model that was removed', async () => {
    const removed = {
      ...readyModel(LARGE),
      ready: false,
      problemText: { template: '%1 is not installed.', params: [LARGE.label] }
    };
    const t = await open(
      modelList({
        default: LARGE.id,
        models: [removed],
        localModels: [{ ...SMALL, kept: 1e8 }, LARGE]
      })
    );
    expect(t.node.querySelector('[role="alert"]')?.textContent).toBe(
      'Large 1.5B is not installed.'
    );
    // The model whose installation was interrupted is offered first.
    expect(t.button(/^Continue installing \(100 of 491 MB\)$/)).toBeDefined();
  });

  it('shows the command that installs a missing package', async () => {
    const install = "pip install 'aiserver[local]'";
    const t = await open(
      modelList({ local: { ...NOT_INSTALLED, package: false, install } })
    );
    expect(t.button(/Install/)).toBeUndefined();
    expect(t.node.querySelector('code')?.textContent).toBe(install);
    const copy = jest.spyOn(Clipboard, 'copyToSystem').mockReturnValue();
    await t.press(/Copy/);
    expect(copy).toHaveBeenCalledWith(install);
  });

  it('refreshes an outdated list', async () => {
    const t = await setup(
      modelList({ local: { ...NOT_INSTALLED, installed: true } })
    );
    t.api.list = modelList(); // The weights were deleted meanwhile.
    const props = { services: t.services, focusInput: jest.fn() };
    await t.draw(<Offer {...{ ...props, attempts: 0 }} />);
    expect(t.button(/Install Qwen2.5-Coder/)).toBeDefined();
  });

  it('shows the problem of the configured model first', async () => {
    const problemText = {
      template: 'No API key for %1.',
      params: [OPENAI.label]
    };
    const t = await open(
      modelList({
        default: REMOTE.id,
        models: [{ ...REMOTE, ready: false, problemText }]
      })
    );
    expect(t.node.querySelector('[role="alert"]')?.textContent).toBe(
      'No API key for OpenAI.'
    );
  });

  it('shows why a request could not be sent, and leaves the focus in the field (P48)', async () => {
    const t = await open();
    expect(t.node.contains(document.activeElement)).toBe(false);
    await t.show(1);
    expect(t.node.contains(document.activeElement)).toBe(false);
    const alert = () => t.node.querySelector('[role="alert"]');
    expect(alert()?.textContent).toContain('The request was not sent');
    const first = alert();
    await t.show(2);
    expect(alert()).not.toBe(first); // Screen readers announce a new element.
  });

  it('moves the focus to the text field when the offer or its buttons disappear', async () => {
    const t = await open();
    t.button(/Connect/)?.focus();
    await t.draw(null);
    expect(t.focusInput).toHaveBeenCalledTimes(1);
    await t.show();
    await t.press(/Install/);
    expect(t.focusInput).toHaveBeenCalledTimes(2);
    await t.press(/Stop/);
    expect(t.focusInput).toHaveBeenCalledTimes(3);
  });
});
