/**
 * A read-only diff of two texts with JupyterLab's theme, unified or side by side. It depends on
 * CodeMirror only, and not on steps.
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

export interface IDiffContent {
  readonly before: string;
  readonly code: string;
  readonly mimeType: string;
  /** Whether to draw side by side; without a difference one text is drawn regardless. */
  readonly split: boolean;
  /** The accessible name of the code. */
  readonly label: string;
  /** The accessible name of the text before, where it has its own editor. */
  readonly labelBefore: string;
}

export class DiffEditor {
  /** @param folded The label of a folded range; `$` stands for the number of lines. */
  constructor(
    private readonly _parent: HTMLElement,
    private readonly _languages: IEditorLanguageRegistry,
    folded: string
  ) {
    // Created once, because an editor with other phrases needs a new state.
    this._phrases = EditorState.phrases.of({ '$ unchanged lines': folded });
  }

  /** Draw other content. Highlighting follows when the language is loaded. */
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
          // The code stays without highlighting.
        });
    }
  }

  dispose(): void {
    this._content = null;
    this._clear();
  }

  private _draw(content: IDiffContent, language: Extension): void {
    const { before, code } = content;
    // Without a difference there is nothing to mark or to fold.
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
      this._phrases,
      readOnly(language, label),
      unifiedMergeView({
        // Without a change a diff of equal texts adds the styles of one.
        original: textOf(isChange ? before + end : doc),
        mergeControls: false,
        gutter: isChange,
        diffConfig: DIFF_LIMITS,
        ...(isChange && marksOf(before, code))
      }),
      isOpenEnd ? hiddenEnd : []
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
    const isOpenEnd = lastLine(before) !== lastLine(code);
    const end = isOpenEnd ? '\n' : '';
    const side = (doc: string, name: string) => ({
      doc: doc + end,
      extensions: [
        this._phrases,
        readOnly(language, name),
        isOpenEnd ? hiddenEnd : []
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

/** The marks of a change: the changed words, if that helps; long unchanged ranges are folded. */
function marksOf(before: string, code: string) {
  return {
    highlightChanges: areSimilar(before, code),
    collapseUnchanged: { margin: 2, minSize: 4 }
  };
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1);
}

/** The extensions of every editor. */
function readOnly(language: Extension, label: string): Extension {
  return [
    language,
    jupyterTheme,
    // Show characters that are invisible or change the reading order (Trojan Source).
    highlightSpecialChars(),
    EditorView.lineWrapping,
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    // Focusable, so that the keyboard can scroll and copy.
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-readonly': 'true',
      tabindex: '0'
    })
  ];
}

/** Split lines as the editor does; the merge extension splits strings differently. */
function textOf(code: string): Text {
  return Text.of(code.split(/\r\n?|\n/));
}
