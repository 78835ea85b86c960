/**
 * A read-only diff of two texts in JupyterLab's theme, in one column or side by side. This file
 * uses CodeMirror only and knows nothing about steps.
 */
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, Extension, Text } from '@codemirror/state';
import { EditorView, highlightSpecialChars } from '@codemirror/view';
import { IEditorLanguageRegistry, jupyterTheme } from '@jupyterlab/codemirror';

import { DIFF_LIMITS } from '../../../diff/limits';
import { hiddenEnd } from '../../../diff/hiddenEnd';
import { areSimilar } from '../../../diff/similarity';
import {
  contentExtensions,
  replaceContent
} from '../../../diff/replaceContent';

/** The two texts to compare, and how to draw them. */
export interface IDiffContent {
  /** The old text; empty if only `code` should be drawn. */
  readonly before: string;
  /** The new text. */
  readonly code: string;
  readonly mimeType: string;
  /** Whether to draw the texts side by side. If they are equal, only one is drawn. */
  readonly split: boolean;
  /** The accessible name of `code`. */
  readonly label: string;
  /** The accessible name of `before`, used if the texts are drawn side by side. */
  readonly labelBefore: string;
}

export class DiffEditor {
  /** @param foldedLabel The label of a folded range; `$` stands for the number of lines in it. */
  constructor(
    private readonly _parent: HTMLElement,
    private readonly _languages: IEditorLanguageRegistry,
    foldedLabel: string
  ) {
    // Create the extension once: another extension object would force a new editor state.
    this._phrases = EditorState.phrases.of({
      '$ unchanged lines': foldedLabel
    });
  }

  /** Draw this content. Syntax highlighting is added when the language's support is loaded. */
  show(content: IDiffContent): void {
    this._content = content;
    const spec = this._languages.findByMIME(content.mimeType);
    this._draw(content, spec?.support ?? []);
    if (spec && !spec.support) {
      this._languages
        .getLanguage(spec)
        .then(language => {
          if (this._content === content && language?.support) {
            this._draw(content, language.support);
          }
        })
        .catch(() => {
          // Without the language's support, the code is shown without highlighting.
        });
    }
  }

  dispose(): void {
    this._content = null;
    this._clear();
  }

  private _draw(content: IDiffContent, language: Extension): void {
    const { before, code } = content;
    // If there is no old text or the texts are equal, no lines are marked or folded.
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
    // If the last lines differ, end both with a line break and hide the empty line after it, so
    // that lines appended to the text don't mark the old last line as changed.
    const hasHiddenEnd = isChange && lastLine(before) !== lastLine(code);
    const end = hasHiddenEnd ? '\n' : '';
    const doc = code + end;
    const extensions = [
      this._phrases,
      readOnly(language, label),
      unifiedMergeView({
        // Without a change, compare `doc` with itself: that draws no marks, but the same styles.
        original: textOf(isChange ? before + end : doc),
        mergeControls: false,
        gutter: isChange,
        diffConfig: DIFF_LIMITS,
        ...(isChange && marksOf(before, code))
      }),
      hasHiddenEnd ? hiddenEnd : []
    ];
    if (this._view) {
      this._view.dispatch(replaceContent(this._view, doc, extensions));
      return;
    }
    this._clear();
    this._view = new EditorView({
      doc,
      extensions: contentExtensions.of(extensions),
      parent: this._parent
    });
  }

  private _drawSplit(content: IDiffContent, language: Extension): void {
    const { before, code, label, labelBefore } = content;
    const hasHiddenEnd = lastLine(before) !== lastLine(code);
    const end = hasHiddenEnd ? '\n' : '';
    const side = (doc: string, name: string) => ({
      doc: doc + end,
      extensions: [
        this._phrases,
        readOnly(language, name),
        hasHiddenEnd ? hiddenEnd : []
      ]
    });
    const [a, b] = [side(before, labelBefore), side(code, label)];
    const marks = marksOf(before, code);
    if (this._merge) {
      const { a: left, b: right } = this._merge;
      left.dispatch(replaceContent(left, a.doc, a.extensions));
      right.dispatch(replaceContent(right, b.doc, b.extensions));
      this._merge.reconfigure(marks);
      return;
    }
    this._clear();
    this._merge = new MergeView({
      parent: this._parent,
      a: { ...a, extensions: contentExtensions.of(a.extensions) },
      b: { ...b, extensions: contentExtensions.of(b.extensions) },
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

  private readonly _phrases: Extension;
  private _view: EditorView | null = null;
  private _merge: MergeView | null = null;
  private _content: IDiffContent | null = null;
}

/**
 * Build the options that mark a change. Changed words are marked only if the texts are similar, as
 * otherwise nearly all words would be. Long ranges of unchanged lines are folded.
 */
function marksOf(before: string, code: string) {
  return {
    highlightChanges: areSimilar(before, code),
    collapseUnchanged: { margin: 2, minSize: 4 }
  };
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1);
}

/** Build the extensions that every editor has. */
function readOnly(language: Extension, label: string): Extension {
  return [
    language,
    jupyterTheme,
    // Show characters that are invisible or change the reading order, because they can make code
    // look harmless that isn't (“Trojan Source”).
    highlightSpecialChars(),
    EditorView.lineWrapping,
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    // A tab stop, so that people can scroll and copy with the keyboard.
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-readonly': 'true',
      tabindex: '0'
    })
  ];
}

/** Split a text into lines as the editor does; the merge extension would split at `\n` only. */
function textOf(code: string): Text {
  return Text.of(code.split(/\r\n?|\n/));
}
