/**
 * A read-only diff of two texts in JupyterLab's theme, in one column or side by side. The diff is
 * drawn by CodeMirror's merge extension.
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
  /** The old text. If it is empty, the new text is drawn without marks. */
  readonly before: string;
  /** The new text. */
  readonly code: string;
  readonly mimeType: string;
  /**
   * Whether to draw the texts side by side, not in one column. This is ignored if the old text is
   * empty or the texts are equal.
   */
  readonly isSplit: boolean;
  /** The accessible name of `code`. */
  readonly label: string;
  /** The accessible name of `before`, used if the texts are drawn side by side. */
  readonly labelBefore: string;
}

export class DiffEditor {
  /**
   * @param _parent The element in which the diff is drawn.
   * @param foldedLabel The text that replaces a folded range of unchanged lines. In this text, `$`
   * stands for the number of folded lines.
   */
  constructor(
    private readonly _parent: HTMLElement,
    private readonly _languages: IEditorLanguageRegistry,
    foldedLabel: string
  ) {
    // Create this extension only once. With a new extension object for each content, CodeMirror
    // would create the editor's state again.
    this._phrases = EditorState.phrases.of({
      '$ unchanged lines': foldedLabel
    });
  }

  /** Draw a diff. Syntax highlighting is added as soon as the language's support is loaded. */
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
    // If the old text is empty or the texts are equal, draw only the new text, without marks.
    const isChange = before !== '' && before !== code;
    if (isChange && content.isSplit) {
      this._drawSideBySide(content, language);
    } else {
      this._drawInOneColumn(content, language, isChange);
    }
  }

  private _drawInOneColumn(
    content: IDiffContent,
    language: Extension,
    isChange: boolean
  ): void {
    const { before, code, label } = content;
    const hasHiddenEnd = isChange && needsHiddenEnd(before, code);
    const end = hasHiddenEnd ? '\n' : '';
    const doc = code + end;
    const extensions = [
      this._phrases,
      readOnlyExtensions(language, label),
      unifiedMergeView({
        // Without a change, compare `doc` with itself. This draws no marks, but it uses the same
        // styles as a diff with marks. `replaceContent` is slow if the styles change.
        original: textOf(isChange ? before + end : doc),
        mergeControls: false,
        gutter: isChange,
        diffConfig: DIFF_LIMITS,
        ...(isChange && mergeOptions(before, code))
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

  private _drawSideBySide(content: IDiffContent, language: Extension): void {
    const { before, code, label, labelBefore } = content;
    const hasHiddenEnd = needsHiddenEnd(before, code);
    const end = hasHiddenEnd ? '\n' : '';
    const editorConfig = (text: string, name: string) => ({
      doc: text + end,
      extensions: [
        this._phrases,
        readOnlyExtensions(language, name),
        hasHiddenEnd ? hiddenEnd : []
      ]
    });
    const left = editorConfig(before, labelBefore);
    const right = editorConfig(code, label);
    const options = mergeOptions(before, code);
    if (this._mergeView) {
      const { a: leftView, b: rightView } = this._mergeView;
      leftView.dispatch(replaceContent(leftView, left.doc, left.extensions));
      rightView.dispatch(
        replaceContent(rightView, right.doc, right.extensions)
      );
      this._mergeView.reconfigure(options);
      return;
    }
    this._clear();
    this._mergeView = new MergeView({
      parent: this._parent,
      a: { ...left, extensions: contentExtensions.of(left.extensions) },
      b: { ...right, extensions: contentExtensions.of(right.extensions) },
      gutter: true,
      ...options,
      diffConfig: DIFF_LIMITS
    });
  }

  private _clear(): void {
    this._view?.destroy();
    this._mergeView?.destroy();
    this._view = this._mergeView = null;
  }

  /** The extension that translates the texts of the merge extension. */
  private readonly _phrases: Extension;
  /** The editor of a diff in one column; null while no such diff is drawn. */
  private _view: EditorView | null = null;
  /** The two editors of a diff side by side; null while no such diff is drawn. */
  private _mergeView: MergeView | null = null;
  /** The content that was drawn last; null after `dispose`. */
  private _content: IDiffContent | null = null;
}

/**
 * Return whether to add a line break at the end of both texts. Without it, adding a line at the end
 * of a text would make the previous line look changed, too. `hiddenEnd` hides the empty line that
 * follows the line break.
 */
function needsHiddenEnd(before: string, code: string): boolean {
  return lastLine(before) !== lastLine(code);
}

/**
 * Build the options with which a change is drawn. Changed words are marked only if the texts are
 * similar: otherwise nearly all words would be marked. Long ranges of unchanged lines are folded.
 */
function mergeOptions(before: string, code: string) {
  return {
    highlightChanges: areSimilar(before, code),
    // Two unchanged lines on each side of a change stay visible.
    collapseUnchanged: { margin: 2, minSize: 4 }
  };
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1);
}

/** Build the extensions of a read-only editor. `label` is the accessible name of its text. */
function readOnlyExtensions(language: Extension, label: string): Extension {
  return [
    language,
    jupyterTheme,
    // Show characters that are invisible or change the reading order, because they can make
    // dangerous code look harmless (an attack that is known as “Trojan Source”).
    highlightSpecialChars(),
    EditorView.lineWrapping,
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    // The tab stop lets people scroll and copy the text with the keyboard.
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-readonly': 'true',
      tabindex: '0'
    })
  ];
}

/** Split a text into lines as an editor does. The merge extension would split it at `\n` only. */
function textOf(code: string): Text {
  return Text.of(code.split(/\r\n?|\n/));
}
