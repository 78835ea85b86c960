import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';
import { renderToStaticMarkup } from 'react-dom/server';

import type { ContextItem } from '../api/types';
import { requestNumber } from '../ask/model/state';
import { Receipt, rangesText } from './receipt';

const item = (
  kind: ContextItem['kind'],
  more: Partial<ContextItem> = {}
): ContextItem => ({
  kind,
  name: '',
  tokens: 10,
  included: true,
  forbidden: false,
  shortened: false,
  level: '',
  count: 1,
  hasOutput: false,
  image: null,
  defines: [],
  cellIds: [],
  turnIds: [],
  ...more
});
const ids = (numbers: number[]) => numbers.map(number => `c${number}`);
/** The cells c1, c2, … are in the notebook. */
const cellNumber = (id: string) => Number(/^c(\d+)$/.exec(id)?.[1]) || null;

/** Turn 2 has no answer, so the row doesn't count it. */
const numberOf = (turnId: number) =>
  requestNumber({ turnId, uncountedTurnIds: [2] });

/** The texts and the class of each row. */
function rows(items: ContextItem[]) {
  const host = document.createElement('div');
  const trans = nullTranslator.load('aiserver');
  host.innerHTML = renderToStaticMarkup(
    <Receipt
      items={items}
      cellNumber={cellNumber}
      requestNumber={numberOf}
      trans={trans}
    />
  );
  return [...host.querySelectorAll('tr')].map(row => [
    ...[...row.children].map(({ textContent }) => textContent),
    row.className
  ]);
}

describe('Receipt', () => {
  it('lists images with their sizes, and why they were left out', () => {
    const image = {
      mediaType: 'image/png' as const,
      width: 640,
      height: 480,
      size: 23_456,
      sha256: 'a'.repeat(64)
    };
    const texts = rows([
      item('image', { name: '@output', image }),
      item('image', { name: '@cell3', image, included: false, tokens: null }),
      item('image', { name: '@cell3', included: false, count: 3 })
    ])
      .slice(1)
      .map(row => JSON.stringify(row));
    expect(texts[0]).toContain('Image of @output, 640 × 480 pixels, 24 kB');
    expect(texts[1]).toContain('left out, the model can’t see images');
    expect(texts[2]).toContain('3 images of @cell3');
    expect(texts[2]).toContain('left out, too large or too many');
  });

  it('says what the administrator doesn’t allow', () => {
    const forbidden = { included: false, forbidden: true, tokens: null };
    expect(
      rows([
        item('output', { name: '@cell3', ...forbidden }),
        item('file', { name: 'a.csv', ...forbidden })
      ]).slice(1, -1)
    ).toEqual([
      [
        'Output of @cell3',
        'Notebook',
        'left out, set by your administrator',
        'jp-mod-dropped'
      ],
      [
        'File a.csv',
        'Folder of the notebook',
        'left out, set by your administrator',
        'jp-mod-dropped'
      ]
    ]);
  });

  it('names the notebook of a past answer', () => {
    const texts = rows([
      item('past_answer', { name: 'sales.ipynb' }),
      item('past_answer', { name: '<b>.ipynb', shortened: true })
    ]).slice(1, -1);
    expect(texts).toEqual([
      ['Example from sales.ipynb', 'Another notebook', '10', ''],
      ['Example from <b>.ipynb, shortened', 'Another notebook', '10', '']
    ]);
  });

  it('lists each item with its origin and size, and what was left out last (P15)', () => {
    const items = [
      item('rules', { tokens: 1200 }),
      item('rules_file', { name: 'a/AGENTS.md' }),
      item('rules_file', { name: 'CLAUDE.md', shortened: true }),
      item('examples', { count: 3 }),
      item('headings', { name: 'Houses > Prices' }),
      item('cell', { cellIds: ids([3]), defines: ['df', 'n'] }),
      item('cell', { cellIds: ids([5]), shortened: true }),
      item('cell', { cellIds: ['other'] }),
      item('cell', {
        included: false,
        tokens: null,
        count: 3,
        cellIds: ids([1, 2, 4])
      }),
      item('variables', { count: 4 }),
      item('dataframe', { name: 'df' }),
      item('dataframe', { name: 'df', level: 'statistics' }),
      item('dataframe', { name: 'df', level: 'sample', count: 5 }),
      item('dataframe', { name: 'xs', level: 'sample', count: 1 }),
      item('file', { name: '数据/销售.csv' }),
      item('summary', { count: 1200 }),
      item('summary', { count: 1, shortened: true }),
      item('turn', { turnIds: [5] }),
      item('turn', { included: false, count: 3, turnIds: [1, 3, 4] }),
      item('turn', { included: false, count: 30, turnIds: [1, 2, 3] }),
      item('source'),
      item('request')
    ];
    const left = 'left out, too long';
    expect(rows(items)).toEqual([
      ['Content', 'From', 'Tokens', ''],
      ['Instructions', 'AI Server', '1,200', ''],
      ['a/AGENTS.md', 'Rules file', '10', ''],
      ['CLAUDE.md, shortened', 'Rules file', '10', ''],
      ['Examples', 'AI Server', '10', ''],
      ['Heading “Houses > Prices”', 'Notebook', '10', ''],
      ['Cell 3 (defines df, n)', 'Notebook', '10', ''],
      ['Cell 5, shortened', 'Notebook', '10', ''],
      ['1 cell above', 'Notebook', '10', ''],
      ['4 variables', 'Kernel', '10', ''],
      ['df: columns', 'Kernel', '10', ''],
      ['df: statistics', 'Kernel', '10', ''],
      ['df: 5 rows', 'Kernel', '10', ''],
      ['xs: 1 row', 'Kernel', '10', ''],
      ['File 数据/销售.csv', 'Folder of the notebook', '10', ''],
      ['Summary of 1200 older requests', 'History of this cell', '10', ''],
      [
        'Summary of 1 older request, shortened',
        'History of this cell',
        '10',
        ''
      ],
      ['Earlier request 4', 'History of this cell', '10', ''],
      ['This cell', 'Notebook', '10', ''],
      ['Your request', 'You', '10', ''],
      ['Cells 1, 2, 4', 'Notebook', left, 'jp-mod-dropped'],
      ['Earlier requests 1–3', 'History of this cell', left, 'jp-mod-dropped'],
      ['30 earlier requests', 'History of this cell', left, 'jp-mod-dropped'],
      ['Total, approximately', '1,380', '']
    ]);
  });

  it('renders names as text (P12)', () => {
    const [, [text]] = rows([item('file', { name: '<img src=x>.csv' })]);
    expect(text).toBe('File <img src=x>.csv');
  });

  it('is empty for a server that sends no items', () => {
    expect(rows([])).toEqual([]);
  });
});

describe('rangesText', () => {
  it.each([
    [[3], '3'],
    [[2, 1, 4], '1, 2, 4'],
    [[1, 2, 3, 5, 6, 7, 9], '1–3, 5–7, 9']
  ])('writes %j as %j', (numbers, text) => {
    expect(rangesText(numbers)).toBe(text);
  });
});
