/** An entry of a memory in a receipt, which contains its name instead of its text. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ContextItem, MemoryEntry } from '../api/types';
import type { IMemory } from '../tokens';

const MAX_TEXT = 80;

export function entryName({
  scope,
  id
}: Pick<MemoryEntry, 'scope' | 'id'>): string {
  return `${scope}:${id}`;
}

/** The beginning of an entry's text, or what is known if it was forgotten or isn't used. */
export function memoryItemText(
  { name, count }: Pick<ContextItem, 'name' | 'count'>,
  memory: IMemory | null | undefined,
  trans: TranslationBundle
): string {
  const entry = memory?.usedEntries.find(other => entryName(other) === name);
  if (!entry) {
    return trans._n('%1 memory entry', '%1 memory entries', count);
  }
  const [text] = entry.text.split('\n');
  return [...text].length > MAX_TEXT
    ? `${[...text].slice(0, MAX_TEXT).join('')}…`
    : text;
}

/** A link to the memory view, where the entry can be changed and forgotten. */
export function MemoryItem(props: {
  item: Pick<ContextItem, 'name' | 'count'>;
  memory?: IMemory | null;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { item, memory, trans } = props;
  const text = memoryItemText(item, memory, trans);
  return memory && item.name ? (
    <button
      type="button"
      className="jp-AIServer-Preview-link"
      title={trans.__('Show in the Memory view')}
      onClick={() => memory.show(item.name)}
    >
      {text}
    </button>
  ) : (
    <>{text}</>
  );
}
