/**
 * The view with the histories of all cells, one below the other. A printed page contains it, too.
 */
import type { ICell } from '../model/replay';
import { rowBlock, rowFacts } from './code';
import { el } from './dom';
import type { PageLabels } from './labels';

export function historyView(labels: PageLabels): HTMLElement {
  const { trans, replay } = labels;
  const chapter = ({ rows }: ICell, cell: number) =>
    el(
      'article.chapter',
      el('h2', labels.cell(cell, replay.lastMoment)),
      rows.length === 0 && el('p.dull', trans.__('This cell has no history.')),
      rows.map((row, index) => {
        const step = replay.stepOf(cell, row);
        return el(
          'div',
          { class: `entry by-${step.author}` },
          el('h3', `${index + 1}. ${labels.step(cell, step.index)}`),
          rowFacts(labels, cell, row),
          rowBlock(labels, cell, row, { isShort: true })
        );
      })
    );
  return el(
    'section.history',
    { 'aria-label': trans.__('History') },
    replay.cells.map(chapter)
  );
}
