/** The local models of the catalogue, as the server lists them. */
import type { LocalModelEntry, ModelList } from '../../api/types';

/** The properties of a local model that every server sends. */
type RequiredKey = 'id' | 'label' | 'bytes' | 'installed' | 'kept';

/**
 * A local model, installed or not. A server without a catalogue has one such model, of which it
 * sends fewer properties.
 */
export type ILocalEntry = Pick<LocalModelEntry, RequiredKey> &
  Partial<LocalModelEntry>;

/** Return the local models, in the catalogue's order. */
export function localEntries(list: ModelList | null): readonly ILocalEntry[] {
  if (!list) {
    return [];
  }
  return list.localModels ?? (list.local ? [list.local] : []);
}

/**
 * Return the local model to offer to a person without a model; null if that model is installed. It
 * is the model of this page's last installation (`lastTarget`), or else a partially downloaded
 * model, or else the suggested model.
 */
export function offeredEntry(
  entries: readonly ILocalEntry[],
  lastTarget: ILocalEntry | null
): ILocalEntry | null {
  const entry =
    lastTarget ??
    entries.find(({ installed, kept }) => !installed && kept) ??
    entries.find(({ suggested }) => suggested) ??
    entries[0];
  return entry && !entry.installed ? entry : null;
}
