import React from 'react';

import type { ContextItem } from '../../../api/types';
import { countText } from '../../../labels/counts';
import { IReceiptProps, itemText } from '../../../prompt/receipt';
import { useReplay } from '../context';

interface IChange {
  readonly text: string;
  /** The tokens in the earlier and the later prompt; null if the item isn't in it. */
  readonly before: number | null;
  readonly after: number | null;
}

export function ReceiptChanges(
  props: Omit<IReceiptProps, 'items' | 'trans'> & {
    before: readonly ContextItem[];
    after: readonly ContextItem[];
  }
): React.JSX.Element {
  const { before, after, cellNumber, memory, requestNumber } = props;
  const { trans } = useReplay();
  const textOf = (item: ContextItem) =>
    itemText(item, { items: [], cellNumber, memory, requestNumber, trans });
  const changes = receiptChanges(before, after, textOf);
  if (!changes.length) {
    return <p>{trans.__('The same parts were sent, with the same sizes.')}</p>;
  }
  const size = (tokens: number | null) =>
    tokens === null ? '–' : countText(tokens, trans);
  return (
    <table className="jp-AIServer-Preview-receipt">
      <thead>
        <tr>
          <th scope="col">{trans.__('Content')}</th>
          <th scope="col">{trans.__('Tokens before')}</th>
          <th scope="col">{trans.__('Tokens')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(change => (
          <tr key={change.text}>
            <th scope="row">{change.text}</th>
            <td>{size(change.before)}</td>
            <td>{size(change.after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Return the items whose size differs; those with the same text count as one. */
export function receiptChanges(
  before: readonly ContextItem[],
  after: readonly ContextItem[],
  textOf: (item: ContextItem) => string
): IChange[] {
  const sizes = (items: readonly ContextItem[]) => {
    const sizeByText = new Map<string, number>();
    for (const item of items.filter(({ included }) => included)) {
      const text = textOf(item);
      const size = (sizeByText.get(text) ?? 0) + (item.tokens ?? 0);
      sizeByText.set(text, size);
    }
    return sizeByText;
  };
  const [old, current] = [sizes(before), sizes(after)];
  return [...new Set([...current.keys(), ...old.keys()])]
    .map(text => ({
      text,
      before: old.get(text) ?? null,
      after: current.get(text) ?? null
    }))
    .filter(change => change.before !== change.after);
}
