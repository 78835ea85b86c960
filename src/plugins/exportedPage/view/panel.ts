import { stepTitle } from '../../../labels/stepLabels';
import { button, chip, el, replaceChildren } from './dom';
import { rowBlock, rowFacts } from './code';
import { authorOf, PageLabels } from './labels';

export class CellPanel {
  constructor(
    private readonly _labels: PageLabels,
    private readonly _onRow: (row: number) => void
  ) {
    const { trans } = _labels;
    const label = trans.__('Steps of this cell');
    this._slider = el('input', {
      type: 'range',
      min: 0,
      'aria-label': label,
      input: () => _onRow(Number(this._slider.value))
    });
    this._list = el('ol.steps', { 'aria-label': label });
    this._body = el('div.step', {
      role: 'group',
      tabindex: 0,
      'aria-label': trans.__('Step')
    });
    this._compare = el('select', {
      id: 'compare',
      change: () => this._renderStep()
    });
    this._compareRow = el(
      'p.compare',
      el('label', { for: 'compare' }, trans.__('Compare with')),
      this._compare
    );
    this.node = el(
      'aside.panel',
      { 'aria-label': trans.__('Cell') },
      el('div.panel-head', this._title, this._count),
      this._slider,
      this._body,
      this._compareRow,
      this._list
    );
  }

  readonly node: HTMLElement;

  /** Show the cell's name at `moment`, and its step, none if `step` is -1. */
  show(cell: number, step: number, moment: number): void {
    const { replay, trans } = this._labels;
    const isOtherCell = cell !== this._cell;
    if (isOtherCell) {
      this._cell = cell;
      this._renderList();
    }
    this._title.textContent = this._labels.cell(cell, moment);
    const { rows } = replay.cells[cell];
    const position = replay.rowOf(cell, step);
    const positionText = trans.__('Step %1 of %2', position + 1, rows.length);
    this._count.textContent = rows.length ? positionText : '';
    if (!isOtherCell && step === this._step) {
      return;
    }
    this._step = step;
    this._body.scrollTop = 0;
    this._compare.value = '';
    this._slider.value = String(Math.max(0, position));
    if (rows[position]) {
      const title = this._labels.step(cell, step);
      this._slider.setAttribute(
        'aria-valuetext',
        trans.__('%1: %2', positionText, title)
      );
    }
    [...this._list.children].forEach((row, index) => {
      row.firstElementChild!.setAttribute(
        'aria-current',
        index === position ? 'step' : 'false'
      );
    });
    this._scrollTo(position);
    this._renderStep();
  }

  private _scrollTo(position: number): void {
    const list = this._list;
    const row = list.children[position];
    if (row instanceof HTMLElement) {
      const top = row.offsetTop - list.offsetTop;
      const isVisible =
        top >= list.scrollTop && top <= list.scrollTop + list.clientHeight - 30;
      list.scrollTop = isVisible ? list.scrollTop : top - 40;
    }
  }

  private _renderList(): void {
    const labels = this._labels;
    const { rows } = labels.replay.cells[this._cell];
    const titles = rows.map(row => stepTitle(row, labels.trans));
    const items = rows.map((row, position) => {
      const outcome = labels.outcomes(row).at(-1);
      const content = [
        el(row.outcome === 'error' ? 'span.dot.bad' : 'span.dot', {
          'aria-hidden': 'true'
        }),
        el('span.name', titles[position]),
        outcome && chip(outcome.text, outcome.tone)
      ];
      return el(
        'li',
        { class: `by-${authorOf(row)}` },
        button(content, () => this._onRow(position))
      );
    });
    replaceChildren(this._list, items);
    replaceChildren(
      this._compare,
      el('option', { value: '' }, labels.trans.__('previous version')),
      titles.map((title, value) =>
        el('option', { value }, `${value + 1}. ${title.slice(0, 60)}`)
      )
    );
    this._slider.max = String(Math.max(0, rows.length - 1));
    this._slider.hidden = this._compareRow.hidden = rows.length < 2;
  }

  private _renderStep(): void {
    const labels = this._labels;
    const { trans, replay } = labels;
    const { rows, steps } = replay.cells[this._cell];
    const row = rows[replay.rowOf(this._cell, this._step)];
    if (!row) {
      const text = rows.length
        ? trans.__('This cell had no history yet.')
        : trans.__('This cell has no history.');
      replaceChildren(this._body, el('p.dull', text));
      return;
    }
    const { value } = this._compare;
    const step = steps[this._step];
    replaceChildren(
      this._body,
      el('h3', stepTitle(row, trans)),
      rowFacts(labels, this._cell, row),
      rowBlock(labels, this._cell, row, {
        before: value === '' ? undefined : rows[Number(value)].code,
        // The output of the current step if it is a run, else of the row's last run.
        run: step.kind === 'run' ? step : undefined
      })
    );
  }

  private _cell = -1;
  private _step = -1;
  private readonly _title = el('h2');
  private readonly _count = el('span.count');
  private readonly _slider: HTMLInputElement;
  private readonly _compare: HTMLSelectElement;
  private readonly _compareRow: HTMLElement;
  private readonly _body: HTMLElement;
  private readonly _list: HTMLElement;
}
