/** The contributors of the notebook's lines: in total, by name and by cell. */
import { cellName } from '../../labels/cellNames';
import { contributorName } from '../../labels/contributorLabels';
import {
  byLines,
  SHARE_KINDS,
  ShareKind,
  Shares
} from '../../labels/shareLabels';
import { button, el } from './dom';
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
      el('h3', title),
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
    button(cellName(place + 1, trans), () => onPick(indexes.get(row.cellId)!), {
      class: 'pick'
    }),
    row.lines,
    row.byModel,
    row.byPerson,
    row.lines - row.byModel - row.byPerson,
    row.turns,
    byLines(row.models).map(name).join(separator),
    row.lines > 0 && shareBar(row)
  ];
  return el(
    'section.report',
    { 'aria-label': trans.__('Report') },
    el('h2', trans.__('Report')),
    el('p.big', labels.shares(total)),
    shareBar(total),
    el(
      'p.dull',
      trans.__(
        'Non-blank lines in the current notebook. A line counts as written by AI if it came from an answer and has not been edited since.'
      )
    ),
    names(trans.__('Models'), trans.__('Model'), total.models),
    names(trans.__('Agents and programs'), trans.__('Name'), total.names),
    cells.length > 0 && [
      el('h3', trans.__('Cells')),
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
    el('thead', el('tr', columns)),
    el(
      'tbody',
      rows.map(([first, ...others]) =>
        el(
          'tr',
          el('th', { scope: 'row' }, first),
          others.map(content => el('td', content))
        )
      )
    )
  );
}

function shareBar(shares: Shares): HTMLElement {
  const bar = el('span.share', { 'aria-hidden': 'true' });
  for (const kind of SHARE_KINDS) {
    const part = el('span', { class: `part ${CLASSES[kind]}` });
    part.style.flexGrow = String(shares[kind]);
    bar.append(part);
  }
  return bar;
}
