/**
 * A suggestion, laid over the editor of its cell as a diff.
 *
 * It is an editor of its own, made by the factory that makes the cells' editors (the same
 * theme, font, language and settings), with a model of its own.
 *
 * What must hold:
 * - The cell's shared model is never touched from here.
 * - The cell's own editor stays in place below, hidden, so that its undo history, cursor and
 *   extensions are as they were when this is gone.
 */
import { rejectChunk, unifiedMergeView } from '@codemirror/merge';
import {
  Compartment,
  Extension,
  StateEffect,
  StateField
} from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  WidgetType
} from '@codemirror/view';
import type { Cell } from '@jupyterlab/cells';
import { CodeEditor } from '@jupyterlab/codeeditor';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';

import { DIFF_LIMITS } from '../../diff/limits';
import { hiddenEnd } from '../../diff/hiddenEnd';
import { areAlike } from '../../diff/similarity';
import { streamView } from './streamView';

const OPEN_CLASS = 'jp-AIServer-mod-diff';

export interface IDiffOptions {
  cell: Cell;
  newEditor: CodeEditor.Factory;
  trans: TranslationBundle;
  /** A part of the suggestion was taken back: `code` is what is left. */
  onRevise: (code: string) => void;
  /** A key was pressed that the prompt row knows. */
  onKey: (event: KeyboardEvent) => void;
}

export interface IDiffContent {
  /** The cell's own code. */
  original: string;
  /** The suggestion, or as much of it as has come. */
  code: string;
  streaming: boolean;
}

export class DiffOverlay implements IDisposable {
  constructor(private readonly _options: IDiffOptions) {
    const { cell, newEditor, trans } = _options;
    this._node = document.createElement('div');
    this._node.className = 'jp-AIServer-Diff';
    this._node.setAttribute('role', 'region');
    this._node.setAttribute('aria-label', trans.__('Suggested code'));
    this._node.dataset.lmSuppressShortcuts = 'true';
    this._node.addEventListener('keydown', _options.onKey);
    this._model = new CodeEditor.Model({ mimeType: cell.model.mimeType });
    this._editor = newEditor({
      host: this._node,
      model: this._model,
      config: { ...cell.editorConfig, readOnly: true },
      extensions: [
        this._merge.of([]),
        writtenField,
        hiddenEnd,
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({
          tabindex: '0',
          'aria-label': trans.__('Suggested code'),
          'aria-readonly': 'true'
        }),
        EditorView.updateListener.of(update => {
          if (update.transactions.some(tr => tr.isUserEvent('revert'))) {
            _options.onRevise(update.state.doc.toString().slice(0, -1));
          }
        })
      ]
    }) as CodeMirrorEditor;
    cell.editorWidget?.node.append(this._node);
    cell.addClass(OPEN_CLASS);
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** Whether the focus is inside. */
  get hasFocus(): boolean {
    return this._node.contains(document.activeElement);
  }

  show({ original, code, streaming }: IDiffContent): void {
    if (this._disposed) {
      return;
    }
    const view = this._editor.editor;
    const shown = streaming ? streamView(original, code) : null;
    this._node.classList.toggle('jp-mod-streaming', streaming);
    this._setText(view, (shown?.doc ?? code) + '\n');
    view.dispatch({ effects: setWritten.of(shown?.written ?? null) });
    const words = !streaming && areAlike(original, code);
    if (original !== this._original || words !== this._words) {
      this._original = original;
      this._words = words;
      // Where there was nothing, all is new: a tint says so, a diff would only shout.
      const plain = !original.trim();
      this._node.classList.toggle('jp-mod-new', plain);
      view.dispatch({
        effects: this._merge.reconfigure(
          plain ? [] : this._mergeExtension(original, words)
        )
      });
    }
  }

  dispose(): void {
    if (this._disposed) {
      return;
    }
    this._disposed = true;
    this._editor.dispose();
    this._model.dispose();
    this._node.remove();
    const { cell } = this._options;
    if (!cell.isDisposed) {
      cell.removeClass(OPEN_CLASS);
      // It was hidden while the window may have changed.
      (cell.editor as CodeMirrorEditor | null)?.editor.requestMeasure();
    }
  }

  /** Replace only what differs, so that the diff is computed anew only there. */
  private _setText(view: EditorView, text: string): void {
    const before = view.state.doc.toString();
    if (before === text) {
      return;
    }
    const limit = Math.min(before.length, text.length);
    let start = 0;
    while (start < limit && before[start] === text[start]) {
      start++;
    }
    let end = 0;
    while (
      end < limit - start &&
      before[before.length - 1 - end] === text[text.length - 1 - end]
    ) {
      end++;
    }
    view.dispatch({
      changes: {
        from: start,
        to: before.length - end,
        insert: text.slice(start, text.length - end)
      }
    });
  }

  private _mergeExtension(original: string, words: boolean): Extension {
    const { trans } = this._options;
    return unifiedMergeView({
      original: original + '\n',
      gutter: false,
      highlightChanges: words,
      diffConfig: DIFF_LIMITS,
      mergeControls: (type, _action) => {
        // Each change counts until it is taken back: there is nothing to accept one by one.
        if (type === 'accept') {
          return document.createElement('span');
        }
        const button = document.createElement('button');
        const label = trans.__('Reject this change');
        button.type = 'button';
        button.className = 'jp-AIServer-Diff-undo';
        button.title = label;
        button.setAttribute('aria-label', label);
        button.textContent = '✗';
        button.onclick = () => {
          const view = this._editor.editor;
          rejectChunk(view, view.posAtDOM(button));
        };
        return button;
      }
    });
  }

  private readonly _node: HTMLElement;
  private readonly _model: CodeEditor.Model;
  private readonly _editor: CodeMirrorEditor;
  private readonly _merge = new Compartment();
  private _original: string | null = null;
  private _words = false;
  private _disposed = false;
}

/** Where the part that has been written ends; null when all is there. */
const setWritten = StateEffect.define<number | null>();

class Caret extends WidgetType {
  override eq(): boolean {
    return true;
  }

  toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = 'jp-AIServer-Diff-caret';
    node.setAttribute('aria-hidden', 'true');
    return node;
  }
}

const caret = Decoration.widget({ widget: new Caret(), side: 1 });
const pending = Decoration.line({ class: 'jp-AIServer-Diff-pending' });

/** Marks the place of writing, and dims the lines that it has not reached. */
const writtenField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, tr) => {
    const effect = tr.effects.find(one => one.is(setWritten));
    if (!effect) {
      return marks.map(tr.changes);
    }
    const written = effect.value as number | null;
    if (written === null) {
      return Decoration.none;
    }
    const { doc } = tr.state;
    const at = Math.min(written, doc.length);
    const ranges = [caret.range(at)];
    for (let n = doc.lineAt(at).number + 1; n <= doc.lines; n++) {
      ranges.push(pending.range(doc.line(n).from));
    }
    return Decoration.set(ranges);
  },
  provide: field => EditorView.decorations.from(field)
});
