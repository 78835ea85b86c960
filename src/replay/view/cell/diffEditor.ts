/**
 * Read-only editors that show code as its difference from the code before, in the look of
 * JupyterLab's own: in one text, or in two beside each other. Knows CodeMirror, and nothing of
 * steps.
 */
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, Extension, Text } from '@codemirror/state';
import { EditorView, highlightSpecialChars } from '@codemirror/view';
import { IEditorLanguageRegistry, jupyterTheme } from '@jupyterlab/codemirror';
import { IDisposable } from '@lumino/disposable';

import { DIFF_LIMITS } from '../../../diff/limits';
import { hiddenEnd } from '../../../diff/hiddenEnd';
import { areAlike } from '../../../diff/similarity';
import { all, exchanged } from '../../../diff/replaceContent';

export interface IDiffContent {
  readonly before: string;
  readonly code: string;
  readonly mimeType: string;
  /** Two texts beside each other; where nothing is to be compared it is one all the same. */
  readonly split: boolean;
  /** What a screen reader calls it. */
  readonly label: string;
  /** The same for the text of before, where that is drawn by itself. */
  readonly labelBefore: string;
  /** The words for a folded stretch; `$` stands for the number of lines. */
  readonly folded: string;
}

/** Long stretches that stayed are folded. */
const FOLD = { margin: 2, minSize: 4 };

export class DiffEditor implements IDisposable {
  constructor(parent: HTMLElement, languages: IEditorLanguageRegistry | null) {
    this._parent = parent;
    this._languages = languages;
  }

  /** Show other code. The language comes later where it is not loaded yet. */
  show(content: IDiffContent): void {
    this._content = content;
    const found = this._languages?.findByMIME(content.mimeType);
    this._draw(content, found?.support ?? []);
    if (found && !found.support) {
      this._languages
        ?.getLanguage(found)
        .then(language => {
          if (this._content === content && language?.support) {
            this._draw(content, language.support);
          }
        })
        .catch(() => {
          // Code without colours is still code.
        });
    }
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._content = null;
      this._clear();
    }
  }

  private _draw(content: IDiffContent, language: Extension): void {
    const { before, code } = content;
    // Without a difference there is nothing to mark, nor to fold around.
    const isChange = before !== '' && before !== code;
    if (isChange && content.split) {
      this._drawSplit(content, language);
    } else {
      this._drawUnified(content, language, isChange);
    }
  }

  private _drawUnified(
    content: IDiffContent,
    language: Extension,
    isChange: boolean
  ): void {
    const { before, code, label } = content;
    const isOpenEnd = isChange && lastLine(before) !== lastLine(code);
    const end = isOpenEnd ? '\n' : '';
    const doc = code + end;
    const extensions = [
      readOnly(content, language, label),
      isChange ? difference(before + end, areAlike(before, code)) : same(doc),
      isOpenEnd ? hiddenEnd : []
    ];
    if (this._view) {
      this._view.dispatch(exchanged(this._view, doc, extensions));
      return;
    }
    this._clear();
    this._view = new EditorView({
      doc,
      extensions: all.of(extensions),
      parent: this._parent
    });
  }

  private _drawSplit(content: IDiffContent, language: Extension): void {
    const { before, code, label, labelBefore } = content;
    const isOpenEnd = lastLine(before) !== lastLine(code);
    const end = isOpenEnd ? '\n' : '';
    const side = (doc: string, name: string) => ({
      doc: doc + end,
      extensions: [
        readOnly(content, language, name),
        isOpenEnd ? hiddenEnd : []
      ]
    });
    const [a, b] = [side(before, labelBefore), side(code, label)];
    const marks = {
      highlightChanges: areAlike(before, code),
      collapseUnchanged: FOLD
    };
    if (this._merge) {
      const { a: left, b: right } = this._merge;
      left.dispatch(exchanged(left, a.doc, a.extensions));
      right.dispatch(exchanged(right, b.doc, b.extensions));
      this._merge.reconfigure(marks);
      return;
    }
    this._clear();
    this._merge = new MergeView({
      parent: this._parent,
      a: { ...a, extensions: all.of(a.extensions) },
      b: { ...b, extensions: all.of(b.extensions) },
      gutter: true,
      ...marks,
      diffConfig: DIFF_LIMITS
    });
  }

  private _clear(): void {
    this._view?.destroy();
    this._merge?.destroy();
    this._view = this._merge = null;
  }

  private readonly _languages: IEditorLanguageRegistry | null;
  private readonly _parent: HTMLElement;
  private _view: EditorView | null = null;
  private _merge: MergeView | null = null;
  private _content: IDiffContent | null = null;
  private _isDisposed = false;
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1);
}

/** What holds for each text. */
function readOnly(
  content: IDiffContent,
  language: Extension,
  label: string
): Extension {
  return [
    language,
    jupyterTheme,
    // What turns the reading order round, or takes no room, is shown (Trojan Source).
    highlightSpecialChars(),
    EditorView.lineWrapping,
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    // Not editable, but to be scrolled and copied from by keyboard.
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-readonly': 'true',
      tabindex: '0'
    }),
    phrases(content.folded)
  ];
}

/** The words in the page's language. An editor whose words change is one with a new state. */
function phrases(folded: string): Extension {
  const known = PHRASES.get(folded);
  const made = known ?? EditorState.phrases.of({ '$ unchanged lines': folded });
  PHRASES.set(folded, made);
  return made;
}

const PHRASES = new Map<string, Extension>();

/** A difference that there is none in: it brings the styles of one. */
function same(code: string): Extension {
  return unifiedMergeView({
    original: textOf(code),
    mergeControls: false,
    gutter: false,
    diffConfig: DIFF_LIMITS
  });
}

function difference(before: string, words: boolean): Extension {
  return unifiedMergeView({
    original: textOf(before),
    mergeControls: false,
    gutter: true,
    highlightChanges: words,
    collapseUnchanged: FOLD,
    diffConfig: DIFF_LIMITS
  });
}

/** With the lines that the editor has: a text that is given as a string is split otherwise. */
function textOf(code: string): Text {
  return Text.of(code.split(/\r\n?|\n/));
}
