/**
 * The view of the notebook at a moment. When the reader goes to another moment, only the cells that
 * look different at that moment are rendered again.
 */
import { originsOf } from '../model/replay';
import { codeBlock, outputBlock } from './code';
import { button, Child, chip, el, replaceChildren } from './dom';
import type { PageLabels } from './labels';
import { markdownBlock } from './markdown';

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

  /** Show the notebook at a moment, mark the current cell, and optionally scroll to that cell. */
  show(moment: number, currentCell: number, shouldScroll: boolean): void {
    const { replay, trans } = this._labels;
    const { steps } = replay.data.moments[moment];
    const changed = new Set(steps.map(([cell]) => cell));
    const render = (cell: number, type: string) =>
      this._renderCell(cell, type, moment, changed.has(cell));
    const present = replay.presentAt(moment);
    const nodes = present.map(([cell, type]) => render(cell, type));
    nodes.forEach((node, index) => {
      if (this._list.children[index] !== node) {
        this._list.insertBefore(node, this._list.children[index] ?? null);
      }
    });
    while (this._list.children.length > nodes.length) {
      this._list.lastChild?.remove();
    }
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

  /** Return the element of a cell. Render it again only if the cell looks different at `moment`. */
  private _renderCell(
    cell: number,
    type: string,
    moment: number,
    isChanged: boolean
  ): HTMLElement {
    const step = this._labels.replay.stepAt(cell, moment);
    const key = [step, type, isChanged].join();
    let rendered = this._rendered.get(cell);
    if (rendered?.key !== key) {
      const node = rendered?.node ?? el('article.cell', { 'data-cell': cell });
      node.classList.toggle('is-new', isChanged);
      replaceChildren(
        node,
        this._renderHeader(cell, type, isChanged ? step : -1),
        this._renderBody(cell, type, step, isChanged)
      );
      rendered = { key, node };
      this._rendered.set(cell, rendered);
    }
    const { node } = rendered;
    node.querySelector('.pick')!.textContent = this._labels.cell(cell, moment);
    return node;
  }

  /**
   * Render a cell's header. `step` is the cell's step that belongs to the shown moment; -1 if the
   * cell didn't change at that moment.
   */
  private _renderHeader(cell: number, type: string, step: number): HTMLElement {
    const labels = this._labels;
    const { steps } = labels.replay.cells[cell];
    const outcome = step < 0 ? null : labels.outcome(steps[step]);
    return el(
      'header',
      button(null, () => this._onPick(cell), { class: 'pick' }),
      el('span.type', labels.type(type)),
      step >= 0 && el('span.what', labels.step(cell, step)),
      outcome && chip(outcome.text, outcome.tone)
    );
  }

  /**
   * Render the body of a cell at the shown moment. `index` is the cell's newest step up to this
   * moment; -1 if it had no step yet. `isChanged` says whether the step belongs to the moment.
   *
   * If the step belongs to the moment, and if it changed or suggested code, show that code. In all
   * other cases, show the cell's source and output after the step.
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
    const output = outputBlock(
      labels,
      index < 0 ? null : replay.lastRun(cell, index)
    );
    const step = isChanged ? replay.cells[cell].steps[index] : undefined;
    const before = step?.base ?? step?.before;
    if (step && (before ? before !== step.code : step.kind === 'turn')) {
      const { code } = step;
      const origins = originsOf(step);
      const block = codeBlock(labels, { cell, code, origins, before, label });
      return before ? block : [block, output];
    }
    const { source, origins } = replay.sourceAt(cell, index);
    const markdown = type === 'markdown' ? replay.markdownOf(source) : null;
    return [
      markdown
        ? markdownBlock(markdown)
        : source
          ? codeBlock(labels, { cell, code: source, origins, label })
          : el('p.dull', trans.__('(empty)')),
      output
    ];
  }

  private readonly _list = el('div.cells');
  private readonly _deleted = el('details.deleted');
  private readonly _rendered = new Map<
    number,
    { key: string; node: HTMLElement }
  >();
}

/** If an element is out of view, scroll so that it is just below the bar at the page's top. */
function scrollTo(node: Element): void {
  const bar = document.querySelector('.top')!.getBoundingClientRect().bottom;
  const { top } = node.getBoundingClientRect();
  // At least 80 pixels of the element should be visible. Keep 12 pixels between the element and the
  // bar.
  if (top < bar || top > window.innerHeight - 80) {
    window.scrollBy(0, top - bar - 12);
  }
}
