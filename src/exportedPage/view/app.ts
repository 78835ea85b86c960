/**
 * The exported page as a whole. `App` stores the current moment, cell and step, and updates the
 * views when one of them changes.
 */
import { button, el, replaceChildren } from './dom';
import { historyView } from './history';
import { createKeysDialog } from './keys';
import type { PageLabels } from './labels';
import { NotebookView } from './notebook';
import { CellPanel } from './panel';
import { Player } from './player';
import { reportView } from './report';

export class App {
  constructor(private readonly _labels: PageLabels) {
    const { trans, replay } = _labels;
    this._player = new Player(_labels, moment => this.goTo(moment));
    this._notebook = new NotebookView(_labels, cell =>
      this.goTo(this._moment, cell)
    );
    this._panel = new CellPanel(_labels, row => this._goToRow(row));
    this._keysDialog = createKeysDialog(trans);
    this._tabs = [
      trans.__('Notebook'),
      trans.__('History'),
      trans.__('Report')
    ].map((name, view) =>
      button(name, () => this._showView(view), {
        role: 'tab',
        id: `tab-${view}`,
        'aria-controls': 'view'
      })
    );
    this._blameButton = button(
      trans.__('Authorship'),
      () => this._toggleBlame(),
      { 'aria-pressed': 'false' }
    );
    // Start with the cell that changed last.
    const changedCells = replay.data.moments.flatMap(({ steps }) =>
      steps.slice(0, 1).map(([cell]) => cell)
    );
    this._cell = changedCells.at(-1) ?? 0;
  }

  /** Add the page's elements to `container`, and start to handle keys and printing. */
  attach(container: Element): void {
    const { trans, replay } = this._labels;
    const { leftOut } = replay.data;
    container.append(
      el(
        'div.intro',
        el('h1', replay.data.name),
        el('p.dull', this._labels.summary()),
        leftOut !== undefined &&
          el(
            'p',
            trans._n(
              'The history is very large. Only the cells that changed last are included; %1 cell is left out.',
              'The history is very large. Only the cells that changed last are included; %1 cells are left out.',
              leftOut
            )
          )
      ),
      el(
        'header.top',
        el(
          'div.bar-row',
          el(
            'div',
            { role: 'tablist', 'aria-label': trans.__('Views'), class: 'tabs' },
            this._tabs
          ),
          el('span.grow'),
          this._blameButton,
          button(trans.__('Shortcuts'), () => this._keysDialog.showModal())
        ),
        this._player.node
      ),
      el('div.body', this._main),
      footer(this._labels),
      this._keysDialog
    );
    this._showView(0);
    document.addEventListener('keydown', event => this._onKey(event));
    window.addEventListener('beforeprint', () =>
      this._main.after(this._createPrintedContent())
    );
    window.addEventListener('afterprint', () =>
      document.querySelector('.printed')?.remove()
    );
  }

  /**
   * Go to a moment, a cell and a step. By default, the cell is the first one that changed at the
   * moment, or the current cell if none changed. By default, the step is the last one that the cell
   * had at the moment; -1 if it had none.
   */
  goTo(moment: number, cell?: number, step?: number): void {
    const { replay } = this._labels;
    moment = Math.max(0, Math.min(replay.lastMoment, moment));
    const isOtherMoment = moment !== this._moment;
    const [firstStep] = replay.data.moments[moment].steps;
    this._moment = moment;
    this._cell = cell ?? firstStep?.[0] ?? this._cell;
    this._step = step ?? replay.stepAt(this._cell, moment);
    const shouldScroll = isOtherMoment && this._view === 0;
    this._notebook.show(moment, this._cell, shouldScroll);
    if (replay.cells.length) {
      this._panel.show(this._cell, this._step, moment);
    }
    this._player.show(moment);
    try {
      history.replaceState(null, '', `#${moment + 1}`);
    } catch {
      // Some mail programs show the page at an address that a script can't change.
    }
  }

  /** Go to a row of the current cell. If the row's step belongs to a moment, go to that moment. */
  private _goToRow(position: number): void {
    const { replay } = this._labels;
    const { rows } = replay.cells[this._cell];
    const row = rows[Math.max(0, Math.min(rows.length - 1, position))];
    if (row) {
      const { index } = replay.stepOf(this._cell, row);
      const moment = replay.momentOf(this._cell, index) ?? this._moment;
      this.goTo(moment, this._cell, index);
    }
  }

  private _toggleBlame(): void {
    const isOn = document.body.classList.toggle('with-names');
    this._blameButton.setAttribute('aria-pressed', String(isOn));
  }

  private _showView(view: number): void {
    this._view = view;
    document.body.dataset.view = String(view);
    this._tabs.forEach((tab, index) => {
      tab.setAttribute('aria-selected', String(index === view));
      tab.tabIndex = index === view ? 0 : -1;
    });
    this._tabPanel.setAttribute('aria-labelledby', `tab-${view}`);
    this._views[view] ??= this._createView(view);
    replaceChildren(this._tabPanel, this._views[view]);
  }

  private _createView(view: number): HTMLElement {
    const labels = this._labels;
    switch (view) {
      case 0:
        return el('div.two', this._notebook.node, this._panel.node);
      case 1:
        return historyView(labels);
      default:
        return reportView(labels, cell => {
          this._showView(0);
          this.goTo(labels.replay.lastMoment, cell);
        });
    }
  }

  private _onKey(event: KeyboardEvent): void {
    const { ctrlKey, metaKey, altKey, target } = event;
    const isModified = ctrlKey || metaKey || altKey;
    if (isModified || this._keysDialog.open || !(target instanceof Element)) {
      return;
    }
    const action = this._actionOf(event, target);
    if (action) {
      action();
      event.preventDefault();
    }
  }

  /** Return the action of a key that was pressed in `target`; null if the key has no action. */
  private _actionOf(
    { key, shiftKey }: KeyboardEvent,
    target: Element
  ): (() => void) | null {
    const offset = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const { replay } = this._labels;
    if (key === '?') {
      return () => this._keysDialog.showModal();
    }
    if (shiftKey) {
      const row = replay.rowOf(this._cell, this._step);
      return offset ? () => this._goToRow(row + offset) : null;
    }
    if (offset && target.role === 'tab') {
      const count = this._tabs.length;
      const next = (this._view + offset + count) % count;
      return () => {
        this._showView(next);
        this._tabs[next].focus();
      };
    }
    const isField = target.closest('input, select, textarea');
    const isControl = target.closest('button, summary, a, select');
    const move = () => {
      this._player.pause();
      this.goTo(this._moment + offset!);
    };
    const actions: Readonly<Record<string, (() => void) | null>> = {
      arrowleft: isField ? null : move,
      arrowright: isField ? null : move,
      home: isField ? null : () => this.goTo(0),
      end: isField ? null : () => this.goTo(replay.lastMoment),
      ' ': isControl ? null : () => this._player.toggle(),
      b: () => this._toggleBlame(),
      1: () => this._showView(0),
      2: () => this._showView(1),
      3: () => this._showView(2)
    };
    return actions[key.toLowerCase()] ?? null;
  }

  /** Create the content that only a printed page has: the report, and then the history. */
  private _createPrintedContent(): HTMLElement {
    const report = reportView(this._labels, () => undefined);
    return el('div.printed', report, historyView(this._labels));
  }

  private _moment = -1;
  private _cell: number;
  private _step = -1;
  /** The index of the selected tab. */
  private _view = 0;
  /** The views that were already created, by the index of their tab. */
  private readonly _views: HTMLElement[] = [];
  private readonly _player: Player;
  private readonly _notebook: NotebookView;
  private readonly _panel: CellPanel;
  private readonly _keysDialog: HTMLDialogElement;
  private readonly _tabs: HTMLButtonElement[];
  private readonly _blameButton: HTMLButtonElement;
  private readonly _tabPanel = el('div', { id: 'view', role: 'tabpanel' });
  private readonly _main = el('main', this._tabPanel);
}

/** Create the content of the page for a notebook without a history. */
export function emptyPage(labels: PageLabels): HTMLElement[] {
  const { trans, replay } = labels;
  return [
    el('header.top', el('h1', replay.data.name)),
    el(
      'main.nothing',
      el('p.big', trans.__('This notebook has no history.')),
      el(
        'p',
        trans.__('Ask for code in one of its cells, then export it again.')
      )
    ),
    footer(labels)
  ];
}

function footer({ trans }: PageLabels): HTMLElement {
  const text = trans.__(
    'Made with AI Server. This file is self-contained and makes no network requests.'
  );
  return el('footer', text);
}
