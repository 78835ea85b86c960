/**
 * The gutter that says who wrote each line, and the line below the code that says it in words.
 * Knows CodeMirror, and nothing of cells or of the server.
 *
 * What must hold:
 * - It follows the code at each keystroke from the last answer alone.
 * - What is said is about the line that is pointed at, or else the one with the cursor. A
 *   screen reader is told when that is another author's, not at each line (P38).
 * - Nothing moves while it is read: the line below keeps its height.
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
import type { IBlamed } from '../model/blame';
import { carry, UNNOTED } from '../model/carry';

/** How it is put into words and signs. */
export interface IBlameWords {
  /** What the gutter is called. */
  readonly title: string;
  /** The label of the button that shows the step. */
  readonly show: string;
  readonly loading: string;
  /** A sign for the first of several lines of one step. */
  sign(line: BlameLine): HTMLElement;
  /** Who wrote it, what was asked, when. */
  describe(line: BlameLine): string;
  /** How many lines are whose. */
  summary(source: string, lines: readonly BlameLine[]): string;
}

/** Tell the editor of an answer. */
export const setBlame = StateEffect.define<IBlamed>();

/** Say what went wrong; empty: nothing did. */
export const setProblem = StateEffect.define<string>();

const setPointed = StateEffect.define<number | null>();

interface IBlameState {
  readonly answer: IBlamed | null;
  /** Whose each line is now; null while that is not known. */
  readonly lines: readonly BlameLine[] | null;
  /** The line that the mouse points at, from 1. */
  readonly pointed: number | null;
  readonly problem: string;
}

const blameField = StateField.define<IBlameState>({
  create: () => ({ answer: null, lines: null, pointed: null, problem: '' }),
  update: follow
});

function follow(value: IBlameState, tr: Transaction): IBlameState {
  let { answer, lines, pointed, problem } = value;
  const before = answer;
  for (const effect of tr.effects) {
    if (effect.is(setBlame)) {
      answer = effect.value;
    } else if (effect.is(setProblem)) {
      problem = effect.value;
    } else if (effect.is(setPointed)) {
      pointed = effect.value;
    }
  }
  if (answer && (answer !== before || tr.docChanged)) {
    lines = carry(answer.lines, answer.source, tr.newDoc.toString());
  }
  const isSame =
    answer === before &&
    lines === value.lines &&
    pointed === value.pointed &&
    problem === value.problem;
  return isSame ? value : { answer, lines, pointed, problem };
}

/** The line that is spoken of: pointed at, or with the cursor. From 1. */
function spokenOf(view: EditorView): number | null {
  const { pointed } = view.state.field(blameField);
  const { doc, selection } = view.state;
  if (pointed !== null && pointed <= doc.lines) {
    return pointed;
  }
  return view.hasFocus ? doc.lineAt(selection.main.head).number : null;
}

/** Who wrote a line, from 1; null while that is not known. */
export function lineOwner(view: EditorView, line: number): BlameLine | null {
  const { lines } = view.state.field(blameField);
  return lines && (lines[line - 1] ?? UNNOTED);
}

/** Who wrote the line with the cursor; null while that is not known. */
export function ownerAtCursor(view: EditorView): BlameLine | null {
  if (!view.state.field(blameField, false)) {
    return null;
  }
  const { doc, selection } = view.state;
  return lineOwner(view, doc.lineAt(selection.main.head).number);
}

function isSameStep(a: BlameLine, b: BlameLine): boolean {
  return a.step === b.step && a.author === b.author && a.name === b.name;
}

class BlameMarker extends GutterMarker {
  constructor(
    readonly line: BlameLine,
    readonly isFirst: boolean,
    readonly isSpokenOf: boolean,
    readonly words: IBlameWords
  ) {
    super();
    this.elementClass = [
      'jp-AIServer-Blame-line',
      `jp-mod-${line.author}`,
      line.step === null ? 'jp-mod-unnoted' : '',
      isSpokenOf ? 'jp-mod-spoken' : ''
    ].join(' ');
  }

  override readonly elementClass: string;

  override eq(other: BlameMarker): boolean {
    return (
      this.isFirst === other.isFirst &&
      this.elementClass === other.elementClass &&
      this.line.turnId === other.line.turnId
    );
  }

  override toDOM(): Node {
    return this.isFirst
      ? this.words.sign(this.line)
      : document.createElement('span');
  }
}

class SpacerMarker extends GutterMarker {
  override toDOM(): Node {
    const node = document.createElement('span');
    node.className = 'jp-AIServer-Blame-spacer';
    return node;
  }
}

/** The extension. `show` is called for a line that somebody wants to see the step of. */
export function blameGutter(
  words: IBlameWords,
  show: (line: BlameLine) => void
): Extension {
  const point = (view: EditorView, line: number | null) => {
    if (view.state.field(blameField).pointed !== line) {
      view.dispatch({ effects: setPointed.of(line) });
    }
    return false;
  };
  return [
    blameField,
    gutter({
      class: 'jp-AIServer-Blame',
      lineMarker: (view, block) => {
        const line = view.state.doc.lineAt(block.from).number;
        const owner = lineOwner(view, line);
        if (!owner) {
          return null;
        }
        const above = line > 1 ? lineOwner(view, line - 1) : null;
        const at = spokenOf(view);
        const spoken = at === null ? null : lineOwner(view, at);
        return new BlameMarker(
          owner,
          !above || !isSameStep(above, owner),
          spoken !== null && isSameStep(spoken, owner),
          words
        );
      },
      lineMarkerChange: update => isChanged(update),
      initialSpacer: () => new SpacerMarker(),
      domEventHandlers: {
        mousemove: (view, block) =>
          point(view, view.state.doc.lineAt(block.from).number),
        mouseleave: view => point(view, null),
        click: (view, block) => {
          const line = view.state.doc.lineAt(block.from).number;
          const owner = lineOwner(view, line);
          if (owner && owner.step !== null) {
            show(owner);
          }
          return true;
        }
      }
    }),
    showPanel.of(view => new Words(view, words, show))
  ];
}

function isChanged(update: ViewUpdate): boolean {
  return (
    update.focusChanged ||
    update.selectionSet ||
    update.startState.field(blameField, false) !==
      update.state.field(blameField)
  );
}

/** The line below the code. */
class Words implements Panel {
  constructor(
    private readonly _view: EditorView,
    private readonly _words: IBlameWords,
    show: (line: BlameLine) => void
  ) {
    this.dom = document.createElement('div');
    this.dom.className = 'jp-AIServer-Blame-words';
    this.dom.setAttribute('role', 'group');
    this.dom.setAttribute('aria-label', _words.title);
    this._said = this.dom.appendChild(document.createElement('span'));
    this._said.setAttribute('role', 'status');
    this._button = this.dom.appendChild(document.createElement('button'));
    this._button.type = 'button';
    this._button.textContent = _words.show;
    this._button.addEventListener('mousedown', event => {
      event.preventDefault(); // The cursor stays, and with it what is spoken of.
    });
    this._button.addEventListener('click', () => {
      if (this._owner) {
        show(this._owner);
      }
    });
  }

  readonly dom: HTMLElement;

  mount(): void {
    this._draw();
  }

  update(update: ViewUpdate): void {
    if (isChanged(update) || update.docChanged) {
      this._draw();
    }
  }

  private _draw(): void {
    const view = this._view;
    const { lines, problem } = view.state.field(blameField);
    const at = spokenOf(view);
    const owner = at === null ? null : lineOwner(view, at);
    // While its own button has the focus, what it is about stays.
    if (!owner && this.dom.contains(document.activeElement)) {
      return;
    }
    this._owner = owner?.step === null ? null : owner;
    let text = problem;
    if (!text && !lines) {
      text = this._words.loading;
    } else if (!text && lines) {
      text = owner
        ? this._words.describe(owner)
        : this._words.summary(view.state.doc.toString(), lines);
    }
    // Set only when it says something else: else it would be read again.
    if (this._said.textContent !== text) {
      this._said.textContent = text;
      this._said.title = text;
    }
    this._said.className = owner && !problem ? `jp-mod-${owner.author}` : '';
    this._button.hidden = !this._owner;
  }

  private readonly _said: HTMLElement;
  private readonly _button: HTMLButtonElement;
  private _owner: BlameLine | null = null;
}
