/**
 * The blame gutter, which marks each line of an editor with its contributor, and a status line
 * below the code, which describes the contributor of one line. This file depends on CodeMirror, but
 * not on cells or the server.
 *
 * Invariants:
 * - After each keystroke, the gutter is updated from the server's last result, without a request.
 * - The status line describes the hovered line, or the line with the cursor if none is hovered.
 *   Screen readers announce the status line only when its text changes, so moving the cursor within
 *   the lines of one step is silent.
 * - The status line has a constant height, so that the page's content doesn't move.
 */
import {
  Extension,
  StateEffect,
  StateField,
  Transaction
} from '@codemirror/state';
import {
  EditorView,
  gutter,
  GutterMarker,
  Panel,
  showPanel,
  ViewUpdate
} from '@codemirror/view';

import type { BlameLine } from '../../api/types';
import type { IBlameResult } from '../model/blame';
import { carryLines, UNRECORDED } from '../model/carryLines';
import { createMark, describe, IBlameLocale, summary } from './blameLabels';

/** Sets the contributors to show, as the server returned them. */
export const setBlame = StateEffect.define<IBlameResult>();

/** Sets the text that explains why loading failed; empty if loading succeeded. */
export const setProblem = StateEffect.define<string>();

/** Sets the number of the line under the mouse; null if the mouse is elsewhere. */
const setHoveredLine = StateEffect.define<number | null>();

interface IBlameState {
  readonly result: IBlameResult | null;
  /** The contributor of each current line; null until the contributors are loaded. */
  readonly lines: readonly BlameLine[] | null;
  /** The number (from 1) of the line under the mouse; null if the mouse is elsewhere. */
  readonly hoveredLine: number | null;
  readonly problem: string;
}

const blameField = StateField.define<IBlameState>({
  create: () => ({ result: null, lines: null, hoveredLine: null, problem: '' }),
  update: updateState
});

function updateState(
  value: IBlameState,
  transaction: Transaction
): IBlameState {
  let { result, lines, hoveredLine, problem } = value;
  const previous = result;
  for (const effect of transaction.effects) {
    if (effect.is(setBlame)) {
      result = effect.value;
    } else if (effect.is(setProblem)) {
      problem = effect.value;
    } else if (effect.is(setHoveredLine)) {
      hoveredLine = effect.value;
    }
  }
  if (result && (result !== previous || transaction.docChanged)) {
    lines = carryLines(
      result.lines,
      result.source,
      transaction.newDoc.toString()
    );
  }
  const isUnchanged =
    result === previous &&
    lines === value.lines &&
    hoveredLine === value.hoveredLine &&
    problem === value.problem;
  return isUnchanged ? value : { result, lines, hoveredLine, problem };
}

/**
 * Return the number (from 1) of the line that the status line describes: the hovered line, else the
 * line with the cursor. Null if no line is hovered and the editor doesn't have the focus.
 */
function activeLine(view: EditorView): number | null {
  const { hoveredLine } = view.state.field(blameField);
  const { doc, selection } = view.state;
  if (hoveredLine !== null && hoveredLine <= doc.lines) {
    return hoveredLine;
  }
  return view.hasFocus ? doc.lineAt(selection.main.head).number : null;
}

/** Return the contributor of a line, by its number from 1; null until contributors are loaded. */
export function blameOfLine(view: EditorView, line: number): BlameLine | null {
  const { lines } = view.state.field(blameField);
  return lines && (lines[line - 1] ?? UNRECORDED);
}

/** Return the contributor of the line with the cursor; null until contributors are loaded. */
export function blameAtCursor(view: EditorView): BlameLine | null {
  if (!view.state.field(blameField, false)) {
    return null;
  }
  const { doc, selection } = view.state;
  return blameOfLine(view, doc.lineAt(selection.main.head).number);
}

/** Whether the same step and contributor wrote both lines. */
function isSameContribution(a: BlameLine, b: BlameLine): boolean {
  return a.step === b.step && a.author === b.author && a.name === b.name;
}

/** The mark of one line. Only the first of several lines of one contribution shows an icon. */
class BlameMarker extends GutterMarker {
  constructor(
    readonly line: BlameLine,
    readonly isFirstOfContribution: boolean,
    readonly isActive: boolean
  ) {
    super();
    this.elementClass = [
      'jp-AIServer-Blame-line',
      `jp-mod-${line.author}`,
      line.step === null ? 'jp-mod-unnoted' : '',
      isActive ? 'jp-mod-spoken' : ''
    ].join(' ');
  }

  override readonly elementClass: string;

  override eq(other: BlameMarker): boolean {
    return (
      this.isFirstOfContribution === other.isFirstOfContribution &&
      this.elementClass === other.elementClass &&
      this.line.turnId === other.line.turnId
    );
  }

  override toDOM(): Node {
    return this.isFirstOfContribution
      ? createMark(this.line)
      : document.createElement('span');
  }
}

/** An invisible mark that gives the gutter its width before the contributors are loaded. */
class SpacerMarker extends GutterMarker {
  override toDOM(): Node {
    const node = document.createElement('span');
    node.className = 'jp-AIServer-Blame-spacer';
    return node;
  }
}

/** Create the editor extension. It calls `show` with a line whose step a person wants to see. */
export function blameGutter(
  locale: IBlameLocale,
  show: (line: BlameLine) => void
): Extension {
  // Returns false, so that the mouse event keeps its default action.
  const hover = (view: EditorView, line: number | null) => {
    if (view.state.field(blameField).hoveredLine !== line) {
      view.dispatch({ effects: setHoveredLine.of(line) });
    }
    return false;
  };
  return [
    blameField,
    gutter({
      class: 'jp-AIServer-Blame',
      lineMarker: (view, block) => {
        const line = view.state.doc.lineAt(block.from).number;
        const blame = blameOfLine(view, line);
        if (!blame) {
          return null;
        }
        const previous = line > 1 ? blameOfLine(view, line - 1) : null;
        const active = activeLine(view);
        const activeBlame = active === null ? null : blameOfLine(view, active);
        return new BlameMarker(
          blame,
          !previous || !isSameContribution(previous, blame),
          activeBlame !== null && isSameContribution(activeBlame, blame)
        );
      },
      lineMarkerChange: update => needsRedraw(update),
      initialSpacer: () => new SpacerMarker(),
      domEventHandlers: {
        mousemove: (view, block) =>
          hover(view, view.state.doc.lineAt(block.from).number),
        mouseleave: view => hover(view, null),
        click: (view, block) => {
          const line = view.state.doc.lineAt(block.from).number;
          const blame = blameOfLine(view, line);
          if (blame && blame.step !== null) {
            show(blame);
          }
          return true;
        }
      }
    }),
    showPanel.of(view => new StatusLine(view, locale, show))
  ];
}

/** Whether the marks or the described line may have changed. */
function needsRedraw(update: ViewUpdate): boolean {
  return (
    update.focusChanged ||
    update.selectionSet ||
    update.startState.field(blameField, false) !==
      update.state.field(blameField)
  );
}

/** The status line below the code, with a button that shows the step of the described line. */
class StatusLine implements Panel {
  constructor(
    private readonly _view: EditorView,
    private readonly _locale: IBlameLocale,
    show: (line: BlameLine) => void
  ) {
    const { trans } = _locale;
    this.dom = document.createElement('div');
    this.dom.className = 'jp-AIServer-Blame-words';
    this.dom.setAttribute('role', 'group');
    this.dom.setAttribute('aria-label', trans.__('Authorship'));
    this._status = this.dom.appendChild(document.createElement('span'));
    this._status.setAttribute('role', 'status');
    this._button = this.dom.appendChild(document.createElement('button'));
    this._button.type = 'button';
    this._button.textContent = trans.__('Show step');
    this._button.addEventListener('mousedown', event => {
      event.preventDefault(); // So that the editor doesn't lose the focus to the button.
    });
    this._button.addEventListener('click', () => {
      if (this._blame) {
        show(this._blame);
      }
    });
  }

  readonly dom: HTMLElement;

  mount(): void {
    this._draw();
  }

  update(update: ViewUpdate): void {
    if (needsRedraw(update) || update.docChanged) {
      this._draw();
    }
  }

  private _draw(): void {
    const view = this._view;
    const { lines, problem } = view.state.field(blameField);
    const active = activeLine(view);
    const blame = active === null ? null : blameOfLine(view, active);
    // When a keyboard user moves the focus from the editor to the button, no line is active any
    // more. The status line still describes the last line, because the button refers to it.
    if (!blame && this.dom.contains(document.activeElement)) {
      return;
    }
    this._blame = blame?.step === null ? null : blame;
    const { trans } = this._locale;
    let text = problem;
    if (!text && !lines) {
      text = trans.__('Loading authorship…');
    } else if (!text && lines) {
      text = blame
        ? describe(blame, this._locale)
        : summary(view.state.doc.toString(), lines, trans);
    }
    // Don't set an unchanged text, because screen readers would announce it again.
    if (this._status.textContent !== text) {
      this._status.textContent = text;
      this._status.title = text;
    }
    this._status.className = blame && !problem ? `jp-mod-${blame.author}` : '';
    this._button.hidden = !this._blame;
  }

  private readonly _status: HTMLElement;
  private readonly _button: HTMLButtonElement;
  /** The described line, if a step wrote it; the button shows this step. */
  private _blame: BlameLine | null = null;
}
