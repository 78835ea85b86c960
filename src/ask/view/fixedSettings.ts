/**
 * Fixes settings of prompt rows that the administrator has decided. The settings editor shows them
 * as read-only, with the reason.
 *
 * Invariant: a fixed setting has the administrator's value, whatever the person has stored.
 */
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import { JSONExt, PartialJSONObject } from '@lumino/coreutils';

import { joinSentences } from '../../labels/serverText';
import { featureSetting, isForbidden } from '../../state/features';

/** Register the function that changes the settings of a plugin when they are loaded. */
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

/** Return the values of the settings that the administrator has fixed, by their names. */
function fixedValues(): Record<string, boolean | number | string> {
  const receipts = featureSetting('receipts');
  return {
    ...(receipts === 'allowed' ? {} : { storePrompts: receipts === 'always' }),
    ...(isForbidden('memory') ? { notebookNotes: 'off' } : {})
  };
}
