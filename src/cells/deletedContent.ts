import type { ISharedCell } from '@jupyter/ydoc';

import type { ITransaction } from './transactions';

/** An item of Yjs, with only the members that this file uses. */
interface IYItem {
  readonly id: { readonly client: number; readonly clock: number };
  readonly deleted: boolean;
  readonly right: IYItem | null;
  readonly content: { getContent(): unknown[] };
}

/**
 * Return a cell that this transaction has just deleted, as it was, with outputs and metadata. Yjs
 * answers that it is empty, but frees its items only after the transaction's handlers.
 */
export function deletedContent(
  cell: ISharedCell,
  { deleteSet: { clients } }: Pick<ITransaction, 'deleteSet'>
): object {
  const wasThere = ({ id: { client, clock }, deleted }: IYItem) =>
    !deleted ||
    !!clients
      .get(client)
      ?.some(range => range.clock <= clock && clock < range.clock + range.len);
  const read = (value: unknown): unknown => {
    if (!value || typeof value !== 'object' || !('_map' in value)) {
      return value;
    }
    const type = value as { _start: IYItem | null; _map: Map<string, IYItem> };
    const values: unknown[] = [];
    for (let item = type._start; item; item = item.right) {
      values.push(...(wasThere(item) ? item.content.getContent() : []));
    }
    if ('toDelta' in value) {
      return values.join(''); // a text
    }
    const entries = [...type._map].filter(([, item]) => wasThere(item));
    return 'push' in value // a list
      ? values.map(read)
      : Object.fromEntries(
          entries.map(([key, { content }]) => [
            key,
            read(content.getContent().at(-1))
          ])
        );
  };
  return read((cell as unknown as { ymodel: unknown }).ymodel) as object;
}
