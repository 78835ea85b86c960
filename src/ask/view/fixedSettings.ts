/** Settings that the administrator has fixed, read-only in the settings editor. */
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import { JSONExt, PartialJSONObject } from '@lumino/coreutils';

import { joinSentences } from '../../labels/serverText';
import { featureSetting, isForbidden } from '../../state/features';

export function fixSettings(
  registry: ISettingRegistry,
  pluginId: string,
  trans: TranslationBundle
): void {
  const fixed = fixedValues();
  registry.transform(pluginId, {
    fetch: plugin => {
      const schema = JSONExt.deepCopy(
        plugin.schema as PartialJSONObject
      ) as ISettingRegistry.ISchema;
      for (const [name, value] of Object.entries(fixed)) {
        const property = schema.properties![name];
        if (!property.readOnly) {
          const reason = trans.__('Set by your administrator.');
          property.description = joinSentences(
            property.description ?? '',
            reason
          );
          property.default = value;
          property.readOnly = true;
        }
      }
      return { ...plugin, schema };
    },
    compose: plugin => {
      const { composite, user } = plugin.data;
      const others = Object.entries(user).filter(([name]) => !(name in fixed));
      plugin.data = {
        composite: { ...composite, ...fixed },
        user: Object.fromEntries(others)
      };
      return plugin;
    }
  });
}

function fixedValues(): Record<string, boolean | number | string> {
  const receipts = featureSetting('receipts');
  return {
    ...(receipts === 'allowed' ? {} : { storePrompts: receipts === 'always' }),
    ...(isForbidden('memory') ? { notebookNotes: 'off' } : {})
  };
}
