import { nullTranslator } from '@jupyterlab/translation';

import type { ModelList } from '../../api/types';
import { setFeatures } from '../../state/features.fakes';
import { ModelChoice } from '../model/modelChoice';
import {
  LARGE,
  LOCAL,
  ModelsApiFake,
  REMOTE,
  SMALL,
  installed,
  modelList,
  readyModel
} from '../model/models.fakes';
import { createModelMenu, createOtherModelMenu } from './menu';

const trans = nullTranslator.load('aiserver');

async function setup(list: ModelList) {
  const api = new ModelsApiFake();
  api.list = list;
  const choice = new ModelChoice(api);
  await choice.refresh();
  api.calls = [];
  const choose = jest.fn();
  const openLocalModels = jest.fn();
  const create = () =>
    createModelMenu({
      choice,
      trans,
      cellModel: null,
      choose,
      chooseForCell: jest.fn(),
      connect: jest.fn(),
      openLocalModels,
      openSettings: jest.fn()
    });
  return { api, choice, choose, create, openLocalModels };
}

describe('createModelMenu', () => {
  it('says that remote models are not allowed', async () => {
    setFeatures({ remote_models: 'forbidden' });
    const text = 'Your administrator only allows models on this computer.';
    const t = await setup(modelList({ default: LOCAL.id, models: [LOCAL] }));
    const menu = t.create();
    setFeatures();
    const item = menu.items.find(({ label }) => label === text)!;
    expect(item.isEnabled).toBe(false);
    menu.dispose();
  });

  it('switches between the installed local models, and opens their dialog', async () => {
    const models = [readyModel(SMALL), readyModel(LARGE)];
    const localModels = [installed(SMALL), installed(LARGE)];
    const t = await setup(
      modelList({ default: SMALL.id, models, localModels })
    );
    const { choose, create, openLocalModels } = t;
    let menu = create();
    const run = async (label: string) => {
      const item = menu.items.find(entry => entry.label === label)!;
      await menu.commands.execute(item.command);
    };
    await run(LARGE.label);
    expect(choose).toHaveBeenCalledWith(models[1]);
    await run('Install a model…');
    expect(openLocalModels).toHaveBeenCalled();
    expect(t.api.names).toEqual([]); // P4
    menu.dispose();

    void t.choice.installLocal(LARGE);
    await new Promise(resolve => setTimeout(resolve));
    menu = create();
    expect(menu.items.map(({ label }) => label)).toContain(
      'Installing Large 1.5B…'
    );
    menu.dispose();
    t.api.list = modelList({ local: null, models: [REMOTE] });
    await t.choice.refresh();
    menu = create();
    expect(menu.items.map(({ label }) => label)).not.toContain(
      'Install a model…'
    );
    menu.dispose();
  });

  it('lists the ready models in two groups, with the current one checked', async () => {
    const t = await setup(
      modelList({
        default: LOCAL.id,
        models: [LOCAL, REMOTE, { ...REMOTE, id: 'x:y', ready: false }]
      })
    );
    const menu = t.create();
    const items = menu.items.map(item => [
      item.type === 'submenu' ? item.submenu?.title.label : item.label,
      item.isToggled
    ]);
    expect(items.filter(([label]) => label)).toEqual([
      ['On this computer', false],
      [LOCAL.label, true],
      ['Remote (your code is sent to the provider)', false],
      [REMOTE.label, false],
      ['In this cell only', false],
      ['Install a model…', false],
      ['Connect a provider…', false],
      ['Model settings…', false]
    ]);
    menu.dispose();
  });

  it('offers the ready models for one purpose, without a change of the default', async () => {
    const t = await setup(
      modelList({ default: LOCAL.id, models: [LOCAL, REMOTE] })
    );
    const choose = jest.fn();
    const menu = createOtherModelMenu({
      choice: t.choice,
      trans,
      chosen: REMOTE.id,
      choose,
      connect: jest.fn()
    });
    const entries = menu.items.filter(({ type }) => type === 'command');
    expect(entries.map(({ label, isToggled }) => [label, isToggled])).toEqual([
      ['On this computer', false],
      [LOCAL.label, false],
      ['Remote (your code is sent to the provider)', false],
      [REMOTE.label, true],
      ['Connect a provider…', false]
    ]);
    await menu.commands.execute(entries[1].command);
    expect(choose).toHaveBeenCalledWith(LOCAL);
    expect(t.api.calls.map(([name]) => name)).not.toContain('choose');
    menu.dispose();
  });
});
