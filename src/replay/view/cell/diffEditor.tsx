/** A read-only diff of two texts in JupyterLab's theme, drawn by CodeMirror's merge extension. */
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, Extension, Text } from '@codemirror/state';
import { EditorView, highlightSpecialChars } from '@codemirror/view';
import { IEditorLanguageRegistry, jupyterTheme } from '@jupyterlab/codemirror';
import React from 'react';

import { DIFF_LIMITS } from '../../../diff/limits';
import { hiddenEnd } from '../../../diff/hiddenEnd';
import { areSimilar } from '../../../diff/lineDiff';
import {
  contentExtensions,
  replaceContent
} from '../../../diff/replaceContent';
import { useReplay } from '../context';

export interface IDiffContent {
  readonly before: string;
  readonly code: string;
  readonly mimeType: string;
  readonly isSplit: boolean;
  readonly label: string;
  /** The accessible name of `before`, used if the texts are drawn side by side. */
  readonly labelBefore: string;
}

export class DiffEditor {
  /** @param foldedLabel - The text in place of folded lines; `$` is their number. */
  constructor(
    private readonly _parent: HTMLElement,
    private readonly _languages: IEditorLanguageRegistry,
    foldedLabel: string
  ) {
    // With a new object for each content, CodeMirror would create the editor's state again.
    this._phrases = EditorState.phrases.of({
      '$ unchanged lines': foldedLabel
    });
  }

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
    const { before, code, label, labelBefore } = content;
    // If the old text is empty or the texts are equal, draw only the new text, without marks.
    const isChange = before !== '' && before !== code;
    // Without a line break at the end, adding a last line would make the one before look changed,
    // too. `hiddenEnd` hides the empty line.
    const hasHiddenEnd = isChange && lastLine(before) !== lastLine(code);
    const end = hasHiddenEnd ? '\n' : '';
    const configOf = (text: string, name: string) => ({
      doc: text + end,
      extensions: [
        this._phrases,
        readOnlyExtensions(language, name),
        hasHiddenEnd ? hiddenEnd : []
      ]
    });
    const right = configOf(code, label);
    if (isChange && content.isSplit) {
      const left = configOf(before, labelBefore);
      this._drawSideBySide(left, right, mergeOptions(before, code));
      return;
    }
    const doc = code + end;
    const extensions = [
      ...right.extensions,
      unifiedMergeView({
        // Comparing `doc` with itself draws no marks, but keeps the styles. `replaceContent` is
        // slow if they change.
        original: textOf(isChange ? before + end : doc),
        mergeControls: false,
        gutter: isChange,
        diffConfig: DIFF_LIMITS,
        ...(isChange && mergeOptions(before, code))
      })
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

  private _drawSideBySide(
    left: IEditorConfig,
    right: IEditorConfig,
    options: ReturnType<typeof mergeOptions>
  ): void {
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

  private readonly _phrases: Extension;
  private _view: EditorView | null = null;
  private _mergeView: MergeView | null = null;
  private _content: IDiffContent | null = null;
}

interface IEditorConfig {
  readonly doc: string;
  readonly extensions: Extension;
}

/** Changed words are marked only in similar texts: otherwise nearly all would be. */
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

function readOnlyExtensions(language: Extension, label: string): Extension {
  return [
    language,
    jupyterTheme,
    // Show invisible characters that make dangerous code look harmless (“Trojan Source”).
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

export interface IStepCodeProps extends IDiffContent {
  transitionMs: number;
}

/** A diff that reuses one editor for all steps. */
export function StepCode(props: IStepCodeProps): React.JSX.Element {
  const { before, code, mimeType, isSplit, label, labelBefore, transitionMs } =
    props;
  const { languages, trans } = useReplay();
  const host = React.useRef<HTMLDivElement>(null);
  const editor = React.useRef<DiffEditor | null>(null);
  React.useEffect(() => {
    const foldedLabel = trans.__('$ unchanged lines');
    const diffEditor = new DiffEditor(host.current!, languages, foldedLabel);
    editor.current = diffEditor;
    return () => {
      editor.current = null;
      diffEditor.dispose();
    };
  }, [languages, trans]);
  React.useEffect(() => {
    const labels = { label, labelBefore };
    editor.current?.show({ before, code, mimeType, isSplit, ...labels });
  }, [before, code, mimeType, isSplit, label, labelBefore, languages, trans]);
  return (
    <div
      ref={host}
      className={`jp-AIServer-Replay-code ${transitionMs ? 'jp-mod-playing' : ''}`}
      style={
        {
          '--jp-AIServer-Replay-pace': `${transitionMs}ms`
        } as React.CSSProperties
      }
    />
  );
}
