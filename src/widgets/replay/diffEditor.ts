/**
 * A read-only editor that shows code as its difference from the code before, in the look of
 * JupyterLab's own editors. Knows CodeMirror, and nothing of steps.
 */
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars } from '@codemirror/view';
import { IEditorLanguageRegistry, jupyterTheme } from '@jupyterlab/codemirror';
import { IDisposable } from '@lumino/disposable';

import { DIFF_LIMITS } from '../../notebook/difflimits';
import { hiddenEnd } from '../hiddenend';
import { areAlike } from '../likeness';

export interface IDiffContent {
  readonly before: string;
  readonly code: string;
  readonly mimeType: string;
  /** What a screen reader calls it. */
  readonly label: string;
  /** The words for a folded stretch; `$` stands for the number of lines. */
  readonly folded: string;
}

export class DiffEditor implements IDisposable {
  constructor(parent: HTMLElement, languages: IEditorLanguageRegistry | null) {
    this._languages = languages;
    this._view = new EditorView({ parent });
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
      this._view.destroy();
    }
  }

  private _draw(content: IDiffContent, language: Extension): void {
    const { before, code, label, folded } = content;
    // Without a difference there is nothing to mark, nor to fold around.
    const isChange = before !== '' && before !== code;
    const isOpenEnd = isChange && lastLine(before) !== lastLine(code);
    this._view.setState(
      EditorState.create({
        doc: isOpenEnd ? code + '\n' : code,
        extensions: [
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
          EditorState.phrases.of({ '$ unchanged lines': folded }),
          isChange
            ? difference(
                isOpenEnd ? before + '\n' : before,
                areAlike(before, code)
              )
            : [],
          isOpenEnd ? hiddenEnd : []
        ]
      })
    );
  }

  private readonly _languages: IEditorLanguageRegistry | null;
  private readonly _view: EditorView;
  private _content: IDiffContent | null = null;
  private _isDisposed = false;
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1);
}

function difference(before: string, words: boolean): Extension {
  return unifiedMergeView({
    original: before,
    mergeControls: false,
    gutter: true,
    highlightChanges: words,
    collapseUnchanged: { margin: 2, minSize: 4 },
    diffConfig: DIFF_LIMITS
  });
}
