import { ISettingRegistry, SettingRegistry } from '@jupyterlab/settingregistry';
import { nullTranslator } from '@jupyterlab/translation';

import schema from '../../../schema/ask.json';
import type { Feature, FeatureSetting } from '../../state/features';
import { setFeatures } from '../../state/features.fakes';
import { fixSettings } from './fixedSettings';

const ID = 'aiserver:ask';
const REASON = / Set by your administrator\.$/;

async function load(
  features: Partial<Record<Feature, FeatureSetting>>,
  user: Record<string, unknown> = {}
) {
  setFeatures(features);
  let raw = JSON.stringify(user);
  const fetch = async (id: string) => ({
    id,
    raw,
    schema: JSON.parse(JSON.stringify(schema)) as ISettingRegistry.ISchema,
    data: { composite: {}, user: {} },
    version: '1'
  });
  const registry = new SettingRegistry({
    connector: {
      fetch,
      list: async () => ({ ids: [ID], values: [await fetch(ID)] }),
      remove: async () => undefined,
      save: async (_, text) => void (raw = text)
    }
  });
  fixSettings(registry, ID, nullTranslator.load('aiserver'));
  const settings = await registry.load(ID);
  return { settings, stored: () => raw };
}

afterEach(() => setFeatures());

describe('fixSettings', () => {
  it('leaves everything to the person if everything is allowed', async () => {
    const { settings } = await load({}, { storePrompts: false });
    expect(settings.composite).toMatchObject({
      storePrompts: false,
      notebookNotes: 'outline'
    });
    expect(settings.schema).toEqual(schema);
  });

  it.each([
    ['forbidden', true, false],
    ['always', false, true]
  ] as const)(
    'fixes the setting of stored prompts: %s',
    async (setting, chosen, fixed) => {
      const { settings } = await load(
        { receipts: setting },
        { storePrompts: chosen, dailyBudget: 3 }
      );
      expect(settings.composite).toMatchObject({
        storePrompts: fixed,
        dailyBudget: 3
      });
      expect(settings.user).toEqual({ dailyBudget: 3 });
      const { storePrompts, dailyBudget } = settings.schema.properties!;
      expect(storePrompts).toMatchObject({ default: fixed, readOnly: true });
      expect(storePrompts.description).toMatch(REASON);
      expect(storePrompts.description).toMatch(/^Store with each request/);
      expect(dailyBudget.readOnly).toBeUndefined();
    }
  );

  it('stays fixed when the person changes the file of settings', async () => {
    const t = await load({ receipts: 'forbidden', memory: 'forbidden' });
    await t.settings.set('storePrompts', true);
    await t.settings.set('dailyBudget', 3);
    expect(t.stored()).toContain('"storePrompts": true');
    const { composite, schema: shown } = t.settings;
    expect(composite).toMatchObject({
      storePrompts: false,
      notebookNotes: 'off',
      dailyBudget: 3
    });
    const { notebookNotes: notes } = shown.properties!;
    expect(notes).toMatchObject({ default: 'off', readOnly: true });
    expect(notes.description!.split('Set by')).toHaveLength(2);
  });
});
