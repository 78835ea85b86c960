/** The report: how many lines each contributor wrote, in the notebook and in each cell. */
import { cellName } from '../../../labels/cellNames';
import { contributorName } from '../../../labels/contributorLabels';
import {
  namesByLineCount,
  SHARE_AUTHORS,
  SHARE_KINDS,
  Shares
} from '../../../labels/shareLabels';
import { button, el } from './dom';
import type { PageLabels } from './labels';

export function reportView(
  labels: PageLabels,
  onPick: (cell: number) => void
): HTMLElement {
  const { trans, replay } = labels;
  const { report, runs = [] } = replay.data;
  const { total, cells } = report;
  const separator = trans._p('between names', ', ');
  const linesHead = trans.__('Lines');
  const shareHead = trans.__('Share');
  const nameText = (text: string) =>
    contributorName({ author: 'program', name: text }, trans);
  const namesTable = (
    title: string,
    head: string,
    counts: Record<string, number>
  ) =>
    namesByLineCount(counts).length > 0 && [
      el('h3', title),
      table(
        [head, linesHead, shareHead],
        namesByLineCount(counts).map(key => [
          nameText(key),
          counts[key],
          labels.percent(counts[key], total.lines)
        ])
      )
    ];
  const indexByCellId = new Map(
    replay.cells.map(({ id }, index) => [id, index])
  );
  const pickButton = (cellId: string, position: number) => {
    const pick = () => onPick(indexByCellId.get(cellId)!);
    return button(cellName(position + 1, trans), pick, { class: 'pick' });
  };
  const cellRow = (row: (typeof cells)[number], position: number) => [
    pickButton(row.cellId, position),
    row.lines,
    row.byModel,
    row.byPerson,
    row.lines - row.byModel - row.byPerson,
    row.turns,
    namesByLineCount(row.models).map(nameText).join(separator),
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
    namesTable(trans.__('Models'), trans.__('Model'), total.models),
    namesTable(trans.__('Agents and programs'), trans.__('Name'), total.names),
    runs.length > 0 && [
      el('h3', trans.__('Runs of agents')),
      table(
        [trans.__('Name'), trans.__('Intent'), trans.__('Cells')],
        runs.map(([agent, intent, count]) => [nameText(agent), intent, count])
      )
    ],
    cells.length > 0 && [
      el('h3', trans.__('Cells')),
      table(
        [
          trans.__('Cell'),
          linesHead,
          trans.__('By AI'),
          trans.__('By hand'),
          trans.__('Other'),
          trans.__('Requests'),
          trans.__('Models'),
          shareHead
        ],
        cells.map(cellRow)
      )
    ]
  );
}

/** The first entry of each row is its heading. */
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
      rows.map(([heading, ...entries]) =>
        el(
          'tr',
          el('th', { scope: 'row' }, heading),
          entries.map(content => el('td', content))
        )
      )
    )
  );
}

function shareBar(shares: Shares): HTMLElement {
  const bar = el('span.share', { 'aria-hidden': 'true' });
  for (const kind of SHARE_KINDS) {
    const segment = el('span', { class: `part ${SHARE_AUTHORS[kind]}` });
    segment.style.flexGrow = String(shares[kind]);
    bar.append(segment);
  }
  return bar;
}
