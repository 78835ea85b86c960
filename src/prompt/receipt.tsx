/**
 * The receipt of a prompt: its items with their sizes, and those that were dropped. Names from the
 * person's data are never rendered as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ContextItem } from '../api/types';
import { cellName } from '../labels/cellNames';
import { countText } from '../labels/formats';
import type { IMemory } from '../tokens';
import { MemoryItem, memoryItemText } from './memoryItem';

export interface IReceiptProps {
  items: readonly ContextItem[];
  /** A cell's position, from 1; null if there is no such cell. */
  cellNumber: (cellId: string) => number | null;
  /** The number by which people know a turn; null if it has none. */
  requestNumber: (turnId: number) => number | null;
  /** Its entries may be in the receipt. */
  memory?: IMemory | null;
  showNote?: () => void;
  trans: TranslationBundle;
}

export function Receipt(props: IReceiptProps): React.JSX.Element | null {
  const { items, trans } = props;
  if (!items.length) {
    return null;
  }
  const included = items.filter(item => item.included);
  const total = included.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);
  return (
    <table className="jp-AIServer-Preview-receipt">
      <thead>
        <tr>
          <th scope="col">{trans.__('Content')}</th>
          <th scope="col">{trans.__('From')}</th>
          <th scope="col">{trans.__('Tokens')}</th>
        </tr>
      </thead>
      <tbody>
        {[...included, ...items.filter(item => !item.included)].map(
          (item, index) => (
            <tr key={index} className={item.included ? '' : 'jp-mod-dropped'}>
              <th scope="row">
                {item.kind === 'memory' ? (
                  <MemoryItem item={item} memory={props.memory} trans={trans} />
                ) : item.kind === 'note' && props.showNote ? (
                  <button
                    type="button"
                    className="jp-AIServer-Preview-link"
                    title={trans.__('Show in the Notebook tab of the replay')}
                    onClick={props.showNote}
                  >
                    {itemText(item, props)}
                  </button>
                ) : (
                  itemText(item, props)
                )}
              </th>
              <td>{originText(item, trans)}</td>
              <td>
                {item.included
                  ? countText(item.tokens ?? 0, trans)
                  : reasonText(item, trans)}
              </td>
            </tr>
          )
        )}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colSpan={2}>
            {trans.__('Total, approximately')}
          </th>
          <td>{countText(total, trans)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

export function itemText(
  item: ContextItem,
  { cellNumber, memory, requestNumber, trans }: Omit<IReceiptProps, 'items'>
): string {
  const { kind, name, count } = item;
  const shortened = (text: string) =>
    item.shortened ? trans.__('%1, shortened', text) : text;
  const itself = () => shortened(name);
  const texts: Record<string, () => string> = {
    rules: () => trans.__('Instructions'),
    rules_file: itself,
    mention: itself,
    plugin: itself,
    past_answer: () => shortened(trans.__('Example from %1', name)),
    memory: () => memoryItemText(item, memory, trans),
    note: () => trans.__('Note about this notebook'),
    output: () => trans.__('Output of %1', name),
    image: () => imageText(item, trans),
    examples: () => trans.__('Examples'),
    headings: () => trans.__('Heading “%1”', name),
    cell: () => cellText(item, cellNumber, trans),
    variables: () => trans._n('%1 variable', '%1 variables', count),
    dataframe: () => dataFrameText(item, trans),
    file: () => trans.__('File %1', name),
    summary: () =>
      shortened(
        trans._n(
          'Summary of %1 older request',
          'Summary of %1 older requests',
          count
        )
      ),
    turn: () => turnText(item, requestNumber, trans),
    source: () => trans.__('This cell'),
    request: () => trans.__('Your request')
  };
  // A newer server may send other kinds.
  return Object.hasOwn(texts, kind) ? texts[kind]() : kind;
}

function reasonText(item: ContextItem, trans: TranslationBundle): string {
  if (item.forbidden) {
    return trans.__('left out, set by your administrator');
  }
  if (item.kind !== 'image') {
    return trans.__('left out, too long');
  }
  return item.image
    ? trans.__('left out, the model can’t see images')
    : trans.__('left out, too large or too many');
}

function imageText(
  { name, count, image }: ContextItem,
  trans: TranslationBundle
): string {
  return image
    ? trans.__(
        'Image of %1, %2 × %3 pixels, %4 kB',
        name,
        image.width,
        image.height,
        Math.ceil(image.size / 1000)
      )
    : trans._n('%1 image of %2', '%1 images of %2', count, name);
}

function cellText(
  item: ContextItem,
  cellNumber: IReceiptProps['cellNumber'],
  trans: TranslationBundle
): string {
  const { cellIds, count, defines, shortened } = item;
  const numbers = cellIds.flatMap(id => cellNumber(id) ?? []);
  if (!numbers.length || numbers.length < count) {
    return trans._n('%1 cell above', '%1 cells above', count);
  }
  if (numbers.length > 1) {
    return trans.__('Cells %1', rangesText(numbers));
  }
  const cell = cellName(numbers[0], trans);
  const text = shortened ? trans.__('%1, shortened', cell) : cell;
  return defines.length
    ? trans.__('%1 (defines %2)', text, defines.join(', '))
    : text;
}

function dataFrameText(
  { name, level, count }: ContextItem,
  trans: TranslationBundle
): string {
  switch (level) {
    case 'statistics':
      return trans.__('%1: statistics', name);
    case 'sample':
      return trans._n('%2: %1 row', '%2: %1 rows', count, name);
    default:
      return trans.__('%1: columns', name);
  }
}

function turnText(
  { turnIds, count }: ContextItem,
  requestNumber: IReceiptProps['requestNumber'],
  trans: TranslationBundle
): string {
  const numbers = turnIds.flatMap(id => requestNumber(id) ?? []);
  if (!numbers.length || numbers.length < count) {
    return trans._n('%1 earlier request', '%1 earlier requests', count);
  }
  return numbers.length === 1
    ? trans.__('Earlier request %1', numbers[0])
    : trans.__('Earlier requests %1', rangesText(numbers));
}

function originText(
  { kind, name }: ContextItem,
  trans: TranslationBundle
): string {
  const kernel = trans.__('Kernel');
  const history = trans.__('History of this cell');
  const texts: Record<string, string> = {
    rules: 'AI Server',
    examples: 'AI Server',
    variables: kernel,
    dataframe: kernel,
    rules_file: trans.__('Rules file'),
    memory: name.startsWith('project')
      ? trans.__('Memory of the project')
      : trans.__('Your memory'),
    past_answer: trans.__('Another notebook'),
    file: trans.__('Folder of the notebook'),
    plugin: trans.__('Plugin'),
    summary: history,
    turn: history,
    request: trans.__('You')
  };
  return Object.hasOwn(texts, kind) ? texts[kind] : trans.__('Notebook');
}

/** With ranges: “1, 2, 4–6”. */
export function rangesText(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const ranges: number[][] = [];
  for (const number of sorted) {
    const range = ranges[ranges.length - 1];
    if (range && range[range.length - 1] === number - 1) {
      range.push(number);
    } else {
      ranges.push([number]);
    }
  }
  return ranges
    .map(range =>
      range.length > 2
        ? `${range[0]}–${range[range.length - 1]}`
        : range.join(', ')
    )
    .join(', ');
}
