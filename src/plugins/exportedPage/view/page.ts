/**
 * The script of the exported page, which `jlpm build:page` bundles and
 * `aiserver/plugins/export/page.py` puts into each page. Invariants: it makes no network requests.
 * Texts from the notebook's history are inserted as text, never as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { pickLocale } from '../../../labels/formats';
import { Catalogue, createBundle, pickLanguage } from '../model/language';
import { NotebookReplay } from '../model/replay';
import { rowBlock, rowFacts } from './code';
import { button, el, replaceChildren } from './dom';
import { PageLabels } from './labels';
import { NotebookView } from './notebook';
import { CellPanel } from './panel';
import { Player } from './player';
import { reportView } from './report';

class App {
  constructor(private readonly _labels: PageLabels) {
    const { trans, replay } = _labels;
    this._player = new Player(_labels, moment => this.goTo(moment));
    this._notebook = new NotebookView(_labels, cell =>
      this.goTo(this._moment, cell)
    );
    this._panel = new CellPanel(_labels, row => this._goToRow(row));
    this._keysDialog = createKeysDialog(trans);
    const names = [
      trans.__('Notebook'),
      trans.__('History'),
      trans.__('Report')
    ];
    this._tabs = names.map((name, view) =>
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
    const changed = replay.data.moments.filter(({ steps }) => steps.length);
    this._cell = changed.at(-1)?.steps[0][0] ?? 0;
  }

  attach(container: Element): void {
    const { trans, replay } = this._labels;
    const { leftOut } = replay.data;
    const tabList = { role: 'tablist', 'aria-label': trans.__('Views') };
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
          el('div.tabs', tabList, this._tabs),
          el('span.grow'),
          this._blameButton,
          button(trans.__('Shortcuts'), () => this._keysDialog.showModal())
        ),
        this._player.node
      ),
      el('div.body', this._main),
      footer(trans),
      this._keysDialog
    );
    this._showView(0);
    document.addEventListener('keydown', event => this._onKey(event));
    window.addEventListener('beforeprint', () => {
      const report = reportView(this._labels, () => undefined);
      this._main.after(el('div.printed', report, historyView(this._labels)));
    });
    window.addEventListener('afterprint', () =>
      document.querySelector('.printed')?.remove()
    );
  }

  /**
   * Go to a moment, a cell (by default, the first that changed) and a step (by default, its last
   * one).
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

  private _moment = -1;
  private _cell: number;
  private _step = -1;
  private _view = 0;
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

function historyView(labels: PageLabels): HTMLElement {
  const { trans, replay } = labels;
  const chapters = replay.cells.map(({ rows }, cell) =>
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
    )
  );
  return el('section.history', { 'aria-label': trans.__('History') }, chapters);
}

function createKeysDialog(trans: TranslationBundle): HTMLDialogElement {
  const title = trans.__('Keyboard shortcuts');
  const keys: [string, string][] = [
    ['← →', trans.__('previous or next change')],
    ['Shift ← →', trans.__('previous or next step of the cell')],
    ['Home End', trans.__('first or last change')],
    [trans.__('Space'), trans.__('play or pause')],
    ['B', trans.__('show authorship')],
    ['1 2 3', trans.__('switch views')],
    ['?', trans.__('show this list')]
  ];
  const dialog: HTMLDialogElement = el(
    'dialog',
    { 'aria-label': title },
    el('h2', title),
    el(
      'dl',
      keys.map(([key, action]) => [el('dt', el('kbd', key)), el('dd', action)])
    ),
    button(trans.__('Close'), () => dialog.close())
  );
  return dialog;
}

function footer(trans: TranslationBundle): HTMLElement {
  const text = trans.__(
    'Made with AI Server. This file is self-contained and makes no network requests.'
  );
  return el('footer', text);
}

/** By language. The exporter writes this constant in front of the script. */
declare const CATALOGUES: Readonly<Record<string, Catalogue>>;

const { languages } = navigator;
const language = pickLanguage(languages, Object.keys(CATALOGUES));
const trans = createBundle(language, CATALOGUES[language] ?? {});
const data = document.getElementById('replay-data')!;
const replay = new NotebookReplay(JSON.parse(data.textContent));
document.documentElement.lang = language;
document.title = trans.__('Replay of %1', replay.data.name);
const app = new App(
  new PageLabels(replay, trans, pickLocale(language, languages))
);
app.attach(document.getElementById('app')!);
// `replay.html#3` opens the page at the third moment.
const moment = Number(location.hash.slice(1)) - 1;
const isValid = Number.isInteger(moment) && moment >= 0;
app.goTo(isValid ? moment : replay.lastMoment);
