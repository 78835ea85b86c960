/** The view of the notebook at a moment. Only cells that look different are rendered again. */
import { originsOf } from '../model/replay';
import { codeBlock, markdownBlock, outputBlock } from './code';
import { button, Child, chip, el, replaceChildren } from './dom';
import type { PageLabels } from './labels';

export class NotebookView {
  constructor(
    private readonly _labels: PageLabels,
    private readonly _onPick: (cell: number) => void
  ) {
    const { trans } = _labels;
    this._list.dataset.empty = trans.__('The notebook was empty.');
    this.node = el(
      'section.notebook',
      { 'aria-label': trans.__('Notebook') },
      this._list,
      this._deleted
    );
  }

  readonly node: HTMLElement;

  show(moment: number, currentCell: number, shouldScroll: boolean): void {
    const { replay, trans } = this._labels;
    const changed = new Set(
      replay.data.moments[moment].steps.map(([cell]) => cell)
    );
    const render = (cell: number, type: string) =>
      this._renderCell(cell, type, moment, changed.has(cell));
    const nodes = replay
      .presentAt(moment)
      .map(([cell, type]) => render(cell, type));
    // An element that stays where it is keeps the focus.
    nodes.forEach((node, index) => {
      if (this._list.children[index] !== node) {
        this._list.insertBefore(node, this._list.children[index] ?? null);
      }
    });
    [...this._list.children].slice(nodes.length).forEach(node => node.remove());
    this.node.classList.toggle('is-empty', !nodes.length);
    const deleted = replay.deletedAt(moment);
    this._deleted.hidden = !deleted.length;
    replaceChildren(
      this._deleted,
      el('summary', trans.__('Deleted earlier (%1)', deleted.length)),
      deleted.map(cell => render(cell, replay.cells[cell].type))
    );
    if (deleted.some(cell => changed.has(cell))) {
      this._deleted.open = true;
    }
    this._rendered.forEach(({ node }, cell) => {
      node.classList.toggle('is-picked', cell === currentCell);
    });
    const target = this._rendered.get(currentCell)?.node;
    if (shouldScroll && target?.isConnected) {
      scrollTo(target);
    }
  }

  private _renderCell(
    cell: number,
    type: string,
    moment: number,
    isChanged: boolean
  ): HTMLElement {
    const labels = this._labels;
    const step = labels.replay.stepAt(cell, moment);
    const key = [step, type, isChanged].join();
    let rendered = this._rendered.get(cell);
    if (rendered?.key !== key) {
      const node = rendered?.node ?? el('article.cell', { 'data-cell': cell });
      node.classList.toggle('is-new', isChanged);
      const changedStep = isChanged
        ? labels.replay.cells[cell].steps[step]
        : null;
      const outcome = changedStep && labels.outcome(changedStep);
      replaceChildren(
        node,
        el(
          'header',
          button(null, () => this._onPick(cell), { class: 'pick' }),
          el('span.type', labels.type(type)),
          changedStep && el('span.what', labels.step(cell, step)),
          outcome && chip(outcome.text, outcome.tone)
        ),
        this._renderBody(cell, type, step, isChanged)
      );
      rendered = { key, node };
      this._rendered.set(cell, rendered);
    }
    const { node } = rendered;
    node.querySelector('.pick')!.textContent = labels.cell(cell, moment);
    return node;
  }

  /**
   * If the newest step, at `index`, belongs to the moment, and changed or suggested code, show that
   * code, otherwise the cell's source and output.
   */
  private _renderBody(
    cell: number,
    type: string,
    index: number,
    isChanged: boolean
  ): Child {
    const labels = this._labels;
    const { replay, trans } = labels;
    const label = trans.__('Code');
    const run = index < 0 ? null : replay.lastRun(cell, index);
    const output = outputBlock(labels, run);
    const step = isChanged ? replay.cells[cell].steps[index] : undefined;
    const before = step?.base ?? step?.before;
    if (step && (before ? before !== step.code : step.kind === 'turn')) {
      const { code } = step;
      const origins = originsOf(step);
      const block = codeBlock(labels, { cell, code, origins, before, label });
      return before ? block : [block, output];
    }
    return [this._renderSource(cell, type, index), output];
  }

  private _renderSource(cell: number, type: string, index: number): Child {
    const labels = this._labels;
    const { replay, trans } = labels;
    const { source: code, origins } = replay.sourceAt(cell, index);
    const markdown = type === 'markdown' ? replay.markdownOf(code) : null;
    if (markdown) {
      return markdownBlock(markdown);
    }
    const label = trans.__('Code');
    return code
      ? codeBlock(labels, { cell, code, origins, label })
      : el('p.dull', trans.__('(empty)'));
  }

  private readonly _list = el('div.cells');
  private readonly _deleted = el('details.deleted');
  private readonly _rendered = new Map<
    number,
    { key: string; node: HTMLElement }
  >();
}

/** If an element is out of view, scroll it just below the bar at the page's top. */
function scrollTo(node: Element): void {
  const bar = document.querySelector('.top')!.getBoundingClientRect().bottom;
  const { top } = node.getBoundingClientRect();
  if (top < bar || top > window.innerHeight - 80) {
    window.scrollBy(0, top - bar - 12);
  }
}
