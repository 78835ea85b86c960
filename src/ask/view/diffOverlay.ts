/**
 * The diff of a suggestion, displayed over the editor of its cell.
 *
 * The overlay is a separate editor with a separate model. The factory of the cells' editors creates
 * it, so that it has the same theme, font, language and settings.
 *
 * Invariants:
 * - The overlay never changes the cell's shared model.
 * - The cell's own editor stays in place below, hidden, so that its undo history, cursor and
 *   extensions are unchanged after the overlay is removed.
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
import { textChanges } from '../../diff/replaceContent';
import { areSimilar } from '../../diff/similarity';
import { streamView } from './streamView';

const OPEN_CLASS = 'jp-AIServer-mod-diff';

export interface IDiffOptions {
  cell: Cell;
  newEditor: CodeEditor.Factory;
  trans: TranslationBundle;
  /** Called with the remaining code after the person removed some of the suggestion's changes. */
  onRevise: (code: string) => void;
  /** Called for the keys pressed in the overlay, which the prompt row handles. */
  onKey: (event: KeyboardEvent) => void;
}

export interface IDiffContent {
  /** The cell's own code. */
  original: string;
  /** The code of the suggestion, as far as it has arrived. */
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
        streamDecorations,
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

  /** Whether the focus is inside the overlay. */
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
    const text = (shown?.doc ?? code) + '\n';
    view.dispatch({
      changes: textChanges(view.state.doc.toString(), text),
      effects: setWrittenEnd.of(shown?.writtenEnd ?? null)
    });
    const highlight = !streaming && areSimilar(original, code);
    if (original !== this._original || highlight !== this._hasHighlights) {
      this._original = original;
      this._hasHighlights = highlight;
      // In an empty cell every line is new, so a background colour is enough: no gutter is needed.
      const isNew = !original.trim();
      this._node.classList.toggle('jp-mod-new', isNew);
      view.dispatch({
        effects: this._merge.reconfigure(
          isNew ? [] : this._mergeExtension(original, highlight)
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
      // The window's size may have changed while the editor was hidden.
      (cell.editor as CodeMirrorEditor | null)?.editor.requestMeasure();
    }
  }

  private _mergeExtension(original: string, highlight: boolean): Extension {
    const { trans } = this._options;
    return unifiedMergeView({
      original: original + '\n',
      gutter: false,
      highlightChanges: highlight,
      diffConfig: DIFF_LIMITS,
      mergeControls: (type, _action) => {
        // Accept applies all changes that were not rejected, so no change has its own Accept
        // button.
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
  private _hasHighlights = false;
  private _disposed = false;
}

/** Sets the offset at which the streamed text ends; null when the text is complete. */
const setWrittenEnd = StateEffect.define<number | null>();

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

/** Marks the end of the streamed text, and dims the lines of old code after it. */
const streamDecorations = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, tr) => {
    const effect = tr.effects.find(item => item.is(setWrittenEnd));
    if (!effect) {
      return marks.map(tr.changes);
    }
    const writtenEnd = effect.value as number | null;
    if (writtenEnd === null) {
      return Decoration.none;
    }
    const { doc } = tr.state;
    const at = Math.min(writtenEnd, doc.length);
    const ranges = [caret.range(at)];
    for (let n = doc.lineAt(at).number + 1; n <= doc.lines; n++) {
      ranges.push(pending.range(doc.line(n).from));
    }
    return Decoration.set(ranges);
  },
  provide: field => EditorView.decorations.from(field)
});
