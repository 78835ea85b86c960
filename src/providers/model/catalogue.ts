/** The local models of the catalogue, as the server lists them. */
import type { LocalModelEntry, ModelList } from '../../api/types';

/** The names of the properties that every version of the server sends for a local model. */
type RequiredKey = 'id' | 'label' | 'bytes' | 'installed' | 'kept';

/**
 * A local model, installed or not. An older server, which has no catalogue, sends only one local
 * model, with fewer properties.
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
 * Return the local model to offer to a person who has no model. If this page has followed an
 * installation, offer its model (`lastTarget`); else a partially downloaded model, else the
 * suggested model, else the first model of the list. Return null if this model is installed
 * already, or if the list is empty.
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
