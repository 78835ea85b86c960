/**
 * The blame gutter, which shows the contributor of each line of an editor, and a status line below
 * the code. The status line describes the line under the mouse, else the line with the cursor or,
 * without the focus, all lines. It has a constant height, and screen readers announce it only when
 * its text changes.
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

import type { BlameLine } from '../../../api/types';
import { carryLines, type IBlameResult, UNRECORDED } from '../model/blame';
import {
  createMarkerContent,
  describeLine,
  IBlameLocale,
  summariseLines
} from './blameLabels';
import { normalizeLineBreaks } from '../../../diff/lineBreaks';

export const setBlame = StateEffect.define<IBlameResult>();

/** Sets the text that explains why loading failed; empty if loading succeeded. */
export const setProblem = StateEffect.define<string>();

/** Sets the number of the line under the mouse; null if the mouse isn't in the gutter. */
const setHoveredLine = StateEffect.define<number | null>();

interface IBlameState {
  readonly result: IBlameResult | null;
  /** The contributor of each current line; null until the contributors are loaded. */
  readonly lines: readonly BlameLine[] | null;
  /** The number (from 1) of the line under the mouse; null if the mouse isn't in the gutter. */
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
  let state = value;
  for (const effect of transaction.effects) {
    if (effect.is(setBlame)) {
      state = { ...state, result: effect.value };
    } else if (effect.is(setProblem)) {
      state = { ...state, problem: effect.value };
    } else if (effect.is(setHoveredLine)) {
      state = { ...state, hoveredLine: effect.value };
    }
  }
  const { result } = state;
  if (result && (result !== value.result || transaction.docChanged)) {
    const text = transaction.newDoc.toString();
    const source = normalizeLineBreaks(text);
    const lines = carryLines(result.lines, result.source, source);
    // A single `\r` ends a line of the source, but not one of the editor.
    let index = 0;
    const editorLines = text.split(/\r?\n/).map(line => {
      const first = lines[index];
      index += line.split('\r').length;
      return first;
    });
    state = { ...state, lines: editorLines };
  }
  return state;
}

/**
 * Return the contributor of the hovered line, else of the line with the cursor; null if there is
 * none.
 */
function activeBlame(view: EditorView): BlameLine | null {
  const { hoveredLine } = view.state.field(blameField);
  if (hoveredLine !== null && hoveredLine <= view.state.doc.lines) {
    return blameOfLine(view, hoveredLine);
  }
  return view.hasFocus ? blameAtCursor(view) : null;
}

/** Return the contributor of a line (numbered from 1); null until the contributors are loaded. */
export function blameOfLine(
  view: EditorView,
  lineNumber: number
): BlameLine | null {
  const { lines } = view.state.field(blameField);
  return lines && (lines[lineNumber - 1] ?? UNRECORDED);
}

/** Return the contributor of the line with the cursor; null until the contributors are loaded. */
export function blameAtCursor(view: EditorView): BlameLine | null {
  if (!view.state.field(blameField, false)) {
    return null;
  }
  const { doc, selection } = view.state;
  return blameOfLine(view, doc.lineAt(selection.main.head).number);
}

function isSameContribution(a: BlameLine, b: BlameLine): boolean {
  return a.step === b.step && a.author === b.author && a.name === b.name;
}

/** The gutter marker of one line. Only the first of consecutive lines of one step shows an icon. */
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
      line.step === null ? 'jp-mod-unrecorded' : '',
      isActive ? 'jp-mod-active' : ''
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
      ? createMarkerContent(this.line)
      : document.createElement('span');
  }
}

/** An invisible marker that gives the gutter its width before the contributors are loaded. */
class SpacerMarker extends GutterMarker {
  override toDOM(): Node {
    const node = document.createElement('span');
    node.className = 'jp-AIServer-Blame-spacer';
    return node;
  }
}

/** Create the editor extension. A click on a line's marker or on “Show step” calls `showStep`. */
export function blameGutter(
  locale: IBlameLocale,
  showStep: (line: BlameLine) => void
): Extension {
  const updateHoveredLine = (view: EditorView, lineNumber: number | null) => {
    if (view.state.field(blameField).hoveredLine !== lineNumber) {
      view.dispatch({ effects: setHoveredLine.of(lineNumber) });
    }
    return false; // The mouse event keeps its default action.
  };
  return [
    blameField,
    gutter({
      class: 'jp-AIServer-Blame',
      lineMarker: (view, block) => {
        const lineNumber = view.state.doc.lineAt(block.from).number;
        const blame = blameOfLine(view, lineNumber);
        if (!blame) {
          return null;
        }
        const previousBlame =
          lineNumber > 1 ? blameOfLine(view, lineNumber - 1) : null;
        const active = activeBlame(view);
        return new BlameMarker(
          blame,
          !previousBlame || !isSameContribution(previousBlame, blame),
          active !== null && isSameContribution(active, blame)
        );
      },
      lineMarkerChange: update => needsRedraw(update),
      initialSpacer: () => new SpacerMarker(),
      domEventHandlers: {
        mousemove: (view, block) =>
          updateHoveredLine(view, view.state.doc.lineAt(block.from).number),
        mouseleave: view => updateHoveredLine(view, null),
        click: (view, block) => {
          const lineNumber = view.state.doc.lineAt(block.from).number;
          const blame = blameOfLine(view, lineNumber);
          if (blame && blame.step !== null) {
            showStep(blame);
          }
          return true;
        }
      }
    }),
    showPanel.of(view => new StatusLine(view, locale, showStep))
  ];
}

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
    showStep: (line: BlameLine) => void
  ) {
    const { trans } = _locale;
    this.dom = document.createElement('div');
    this.dom.className = 'jp-AIServer-Blame-status';
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
        showStep(this._blame);
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
    const blame = activeBlame(view);
    // A keyboard user has moved the focus to the button, which belongs to the described line.
    if (!blame && this.dom.contains(document.activeElement)) {
      return;
    }
    this._blame = blame?.step === null ? null : blame;
    const { trans } = this._locale;
    const description = blame
      ? describeLine(blame, this._locale)
      : lines && summariseLines(view.state.doc.toString(), lines, trans);
    const text = problem || (description ?? trans.__('Loading authorship…'));
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
  private _blame: BlameLine | null = null;
}
