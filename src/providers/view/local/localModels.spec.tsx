import * as React from 'react';
import { act } from 'react';

import { ApiError } from '../../../api/request';
import type { ModelList } from '../../../api/types';
import {
  LARGE,
  NOT_INSTALLED,
  REMOTE,
  SMALL,
  installed,
  modelList,
  readyModel
} from '../../model/models.fakes';
import { removeView, setup } from '../views.fakes';
import { LocalModels } from './localModels';

afterEach(removeView);

async function open(change: Partial<ModelList>) {
  const t = await setup(modelList(change));
  await t.draw(<LocalModels />);
  t.api.calls = [];
  const row = (name: RegExp) =>
    [...t.node.querySelectorAll('li')].find(item =>
      name.test(item.querySelector('strong')?.textContent ?? '')
    )!;
  const button = (name: RegExp, text: RegExp) =>
    [...row(name).querySelectorAll('button')].find(item =>
      text.test(item.textContent ?? '')
    );
  const press = async (name: RegExp, text: RegExp) => {
    button(name, text)?.focus();
    await act(async () => button(name, text)!.click());
  };
  return { ...t, button, press, row };
}

/** The models are installed, and `chosen` is the default. */
function installedList(chosen: string | null, ...entries: (typeof SMALL)[]) {
  const isInstalled = (name: string) =>
    entries.some(entry => entry.name === name);
  return modelList({
    default: chosen,
    models: entries.map(readyModel),
    localModels: [SMALL, LARGE].map(entry =>
      isInstalled(entry.name) ? installed(entry) : entry
    )
  });
}

describe('LocalModels', () => {
  it('describes each model, and requests nothing but the list', async () => {
    // P4
    const unmeasured = { ...SMALL, bytes: null, quality: null };
    const measured = { ...LARGE, speed: 11.6, fits: false };
    const t = await open({ localModels: [unmeasured, measured] });
    expect(t.row(/Small/).textContent).toContain(
      'Download size not known yet · needs 1.1 GB of memory · Apache-2.0 licence'
    );
    expect(t.row(/Small/).textContent).toContain('Quality not measured yet');
    expect(t.row(/Small/).textContent).not.toContain('Suggested');
    expect(t.row(/Large/).textContent).toContain('Suggested for this computer');
    expect(t.row(/Large/).textContent).toContain('1.1 GB download');
    expect(t.row(/Large/).textContent).toContain(
      'Answered 24 of 52 test requests correctly · about 12 tokens per second'
    );
    // A model that doesn't fit can still be installed, with a warning.
    expect(t.row(/Large/).textContent).toContain('Needs more memory than');
    expect(t.button(/Large/, /^Install anyway$/)?.disabled).toBe(false);
    expect(t.api.calls).toEqual([]);
  });

  it('installs one model at a time, with the progress in its row', async () => {
    const t = await open({ localModels: [SMALL, LARGE] });
    await t.press(/Large/, /^Install$/);
    expect(t.api.calls).toEqual([['install', LARGE.name]]);
    expect(t.button(/Small/, /^Install$/)?.disabled).toBe(true);
    await act(() =>
      t.api.give({
        type: 'progress',
        phase: 'fetching',
        bytes: 280e6,
        total: 1.12e9,
        source: 'hub',
        message: null,
        name: LARGE.name
      })
    );
    const bar = t.row(/Large/).querySelector('[role=progressbar]');
    expect(bar?.getAttribute('aria-valuenow')).toBe('25');
    expect(bar?.getAttribute('aria-label')).toBe('Installing Large 1.5B');
    expect(t.row(/Large/).textContent).toContain('0.3 of 1.1 GB');
    expect(t.row(/Small/).querySelector('[role=progressbar]')).toBeNull();
    // P38: the focus stays in the row, but a second press of the same key doesn't stop it.
    expect(document.activeElement).toBe(t.row(/Large/));

    const stopped = { ...LARGE, kept: 280e6 };
    t.api.list = modelList({ localModels: [SMALL, stopped] });
    await t.press(/Large/, /^Stop$/);
    expect(t.row(/Large/).textContent).toContain(
      'Stopped. 0.3 of 1.1 GB downloaded.'
    );
    await t.press(/Large/, /^Continue$/);
    expect(t.api.calls).toContainEqual(['stop']);
    expect(t.api.calls.at(-1)).toEqual(['install', LARGE.name]);
  });

  it('uses the first installed model, and no other one without a button', async () => {
    // P4
    const t = await open({ localModels: [SMALL, LARGE] });
    const choose = t.api.chooseModel.bind(t.api);
    t.api.chooseModel = async id => {
      t.api.list = { ...t.api.list, default: id };
      await choose(id);
    };
    await t.press(/Large/, /^Install$/);
    // The server would use it anyway, but only until it has a better one.
    t.api.list = installedList(LARGE.id, LARGE);
    await act(() => t.api.give({ type: 'done' }));
    expect(t.api.calls).toContainEqual(['choose', LARGE.id]);
    expect(t.row(/Large/).textContent).toContain('In use');
    expect(t.row(/Large/).textContent).toContain('Installed and ready to use.');
    expect(document.activeElement).toBe(t.row(/Large/));

    t.api.calls = [];
    await t.press(/Small/, /^Install$/);
    t.api.list = installedList(LARGE.id, SMALL, LARGE);
    await act(() => t.api.give({ type: 'done' }));
    expect(t.api.names).not.toContain('choose');
    expect(t.row(/Large/).textContent).toContain('In use');
    await t.press(/Small/, /^Use$/);
    expect(t.api.calls).toContainEqual(['choose', SMALL.id]);
    expect(t.row(/Small/).textContent).toContain('In use');
    expect(t.row(/Large/).textContent).not.toContain('In use');
  });

  it('removes a model after a confirmation with the size that becomes free', async () => {
    const t = await open(installedList(LARGE.id, SMALL, LARGE));
    await t.press(/Large/, /^Remove…$/);
    expect(t.row(/Large/).textContent).toContain(
      'Remove this model? 1.1 GB of disk space becomes free. Cells that use it then need another model.'
    );
    // A second press of the same button removes nothing.
    expect(document.activeElement).toBe(t.button(/Large/, /^Cancel$/));
    await t.press(/Large/, /^Cancel$/);
    expect(t.api.calls).toEqual([]);
    await t.press(/Large/, /^Remove…$/);
    t.api.list = installedList(null, SMALL);
    await t.press(/Large/, /^Remove$/);
    expect(t.api.calls).toEqual([['removeLocal', LARGE.name], ['models']]);
    expect(t.row(/Large/).textContent).toContain(
      'Removed. 1.1 GB of disk space is free again.'
    );
    expect(t.button(/Large/, /^Install$/)).toBeDefined();
  });

  it('shows why a model could not be removed', async () => {
    const t = await open(installedList(LARGE.id, LARGE));
    await t.press(/Large/, /^Remove…$/);
    t.api.failure = new ApiError(409, 'model_busy', 'It is answering.');
    await t.press(/Large/, /^Remove$/);
    const alert = t.row(/Large/).querySelector('[role=alert]');
    expect(alert?.textContent).toBe('It is answering.');
    expect(t.row(/Large/).textContent).toContain('1.1 GB on disk');
  });

  it('removes a partial download, but no model of other users', async () => {
    const shared = { ...installed(SMALL), removable: false };
    const partial = { ...LARGE, kept: 300e6 };
    const t = await open({ localModels: [shared, partial] });
    expect(t.button(/Small/, /Remove/)).toBeUndefined();
    expect(t.row(/Large/).textContent).toContain('0.3 of 1.1 GB downloaded');
    await t.press(/Large/, /^Delete…$/);
    expect(t.row(/Large/).textContent).toContain(
      'Delete the download? 300 MB of disk space becomes free.'
    );
    await t.press(/Large/, /^Remove$/);
    expect(t.api.calls[0]).toEqual(['removeLocal', LARGE.name]);
  });

  it('shows that an installation failed, in the row of its model', async () => {
    const t = await open({ localModels: [SMALL, LARGE] });
    await t.press(/Large/, /^Install$/);
    await act(() =>
      t.api.give({
        type: 'error',
        code: 'install_failed',
        message: 'No space.'
      })
    );
    const alerts = [...t.node.querySelectorAll('[role=alert]')];
    expect(alerts.map(alert => alert.textContent)).toEqual(['No space.']);
    expect(t.row(/Large/).contains(alerts[0])).toBe(true);
    expect(t.button(/Small/, /^Install$/)?.disabled).toBe(false);
  });

  it('says what is missing if nothing can be installed', async () => {
    const install = "pip install 'aiserver[local]'";
    const local = { ...NOT_INSTALLED, package: false, install };
    const t = await open({ local, localModels: [SMALL, LARGE] });
    expect(t.node.querySelector('code')?.textContent).toBe(install);
    expect(t.button(/Large/, /^Install$/)?.disabled).toBe(true);
    t.api.list = modelList({ models: [REMOTE], local: null, localModels: [] });
    await act(() => t.choice.refresh());
    expect(t.node.textContent).toContain('does not allow local models');
  });
});
