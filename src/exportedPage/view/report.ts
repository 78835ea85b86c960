/** The contributors of the notebook's lines: in total, by name and by cell. */
import { cellName } from '../../labels/cellNames';
import { contributorName } from '../../labels/contributorLabels';
import {
  byLines,
  SHARE_KINDS,
  ShareKind,
  Shares
} from '../../labels/shareLabels';
import { el } from './dom';
import type { PageLabels } from './labels';

const CLASSES: Record<ShareKind, string> = {
  byModel: 'model',
  byPerson: 'person',
  byAgent: 'agent',
  byProgram: 'program',
  byUnknown: 'unknown',
  existing: 'existing'
};

/** @param onPick - Is called with the index of a cell that the reader chose. */
export function reportView(
  labels: PageLabels,
  onPick: (cell: number) => void
): HTMLElement {
  const { trans, replay } = labels;
  const { total, cells } = replay.data.report;
  const separator = trans._p('between names', ', ');
  const lines = trans.__('Lines');
  const share = trans.__('Share');
  const name = (text: string) =>
    contributorName({ author: 'program', name: text }, trans);
  const names = (title: string, head: string, counts: Record<string, number>) =>
    byLines(counts).length > 0 && [
      el('h3', null, title),
      table(
        [head, lines, share],
        byLines(counts).map(each => [
          name(each),
          counts[each],
          labels.percent(counts[each], total.lines)
        ])
      )
    ];
  const indexes = new Map(replay.cells.map(({ id }, index) => [id, index]));
  const cellRow = (row: (typeof cells)[number], place: number) => [
    el(
      'button',
      {
        type: 'button',
        class: 'pick',
        click: () => onPick(indexes.get(row.cellId)!)
      },
      cellName(place + 1, trans)
    ),
    row.lines,
    row.byModel,
    row.byPerson,
    row.lines - row.byModel - row.byPerson,
    row.turns,
    byLines(row.models).map(name).join(separator),
    row.lines > 0 && shareBar(row)
  ];
  return el(
    'section',
    { class: 'report', 'aria-label': trans.__('Report') },
    el('h2', null, trans.__('Report')),
    el('p', { class: 'big' }, labels.shares(total)),
    shareBar(total),
    el(
      'p',
      { class: 'dull' },
      trans.__(
        'Non-blank lines in the current notebook. A line counts as written by AI if it came from an answer and has not been edited since.'
      )
    ),
    names(trans.__('Models'), trans.__('Model'), total.models),
    names(trans.__('Agents and programs'), trans.__('Name'), total.names),
    cells.length > 0 && [
      el('h3', null, trans.__('Cells')),
      table(
        [
          trans.__('Cell'),
          lines,
          trans.__('By AI'),
          trans.__('By hand'),
          trans.__('Other'),
          trans.__('Requests'),
          trans.__('Models'),
          share
        ],
        cells.map(cellRow)
      )
    ]
  );
}

/** A table; the first cell of a row is its heading. */
function table(
  head: readonly string[],
  rows: readonly (readonly (Node | string | number | false)[])[]
): HTMLElement {
  const columns = head.map(text => el('th', { scope: 'col' }, text));
  return el(
    'table',
    null,
    el('thead', null, el('tr', null, columns)),
    el(
      'tbody',
      null,
      rows.map(([first, ...others]) =>
        el(
          'tr',
          null,
          el('th', { scope: 'row' }, first),
          others.map(content => el('td', null, content))
        )
      )
    )
  );
}

function shareBar(shares: Shares): HTMLElement {
  const bar = el('span', { class: 'share', 'aria-hidden': 'true' });
  for (const kind of SHARE_KINDS) {
    const part = el('span', { class: `part ${CLASSES[kind]}` });
    part.style.flexGrow = String(shares[kind]);
    bar.append(part);
  }
  return bar;
}
