/**
 * The diff of a suggestion, in an editor of its own over the cell's.
 *
 * Invariants: it never changes the cell's shared model. The cell's editor is only hidden, so that
 * its undo history, cursor and extensions stay.
 */
import { unifiedMergeView } from '@codemirror/merge';
import {
  Compartment,
  type Extension,
  type Range,
  StateEffect,
  type StateEffectType,
  StateField,
  type Text
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  WidgetType
} from '@codemirror/view';
import type { Cell } from '@jupyterlab/cells';
import { CodeEditor } from '@jupyterlab/codeeditor';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';

import { DIFF_LIMITS } from '../../../diff/limits';
import { hiddenEnd } from '../../../diff/hiddenEnd';
import { textChanges } from '../../../diff/replaceContent';
import { areSimilar } from '../../../diff/lineDiff';
import type { IProblem } from '../../../kernel/check';
import { suppressShortcuts } from '../../../ui/focus';
import { offsetOf } from '../../model/problems';
import { streamView } from './streamView';
import { ChangeAction, changeKeys } from '../input/promptKeys';

interface IRange {
  readonly from: number;
  readonly to: number;
}

const setProblems = StateEffect.define<IRange[]>();
const setSelected = StateEffect.define<IRange | null>();
/** Sets the offset at which the partial answer ends; null for a complete one. */
const setWrittenEnd = StateEffect.define<number | null>();

function problemRanges(code: string, problems: readonly IProblem[]): IRange[] {
  return problems
    .map(({ line, column, endLine, endColumn }) => ({
      from: offsetOf(code, line, column),
      to: offsetOf(code, endLine, endColumn)
    }))
    .filter(({ from, to }) => from < to);
}

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

const problem = Decoration.mark({ class: 'jp-AIServer-Diff-problem' });
const selectedLine = Decoration.line({ class: 'jp-AIServer-Diff-selected' });
const dimmedLine = Decoration.line({ class: 'jp-AIServer-Diff-pending' });
const caret = Decoration.widget({ widget: new Caret(), side: 1 });

function decorateLines(
  doc: Text,
  line: Decoration,
  first: number,
  last: number
): Range<Decoration>[] {
  const count = Math.max(0, last - first + 1);
  return Array.from({ length: count }, (_, index) =>
    line.range(doc.line(first + index).from)
  );
}

function decorated<T>(
  type: StateEffectType<T>,
  decorate: (value: T, doc: Text) => Range<Decoration>[]
): StateField<DecorationSet> {
  return StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update: (decorations, tr) => {
      const effect = tr.effects.find(candidate => candidate.is(type));
      return effect
        ? Decoration.set(decorate(effect.value as T, tr.state.doc), true)
        : decorations.map(tr.changes);
    },
    provide: field => EditorView.decorations.from(field)
  });
}

const diffDecorations = [
  decorated(setProblems, ranges =>
    ranges.map(({ from, to }) => problem.range(from, to))
  ),
  decorated(setSelected, (range, doc) => {
    const lineAt = (offset: number) =>
      doc.lineAt(Math.min(offset, doc.length)).number;
    return range
      ? decorateLines(doc, selectedLine, lineAt(range.from), lineAt(range.to))
      : [];
  }),
  // Dim the lines of old code after a partial answer.
  decorated(setWrittenEnd, (writtenEnd, doc) => {
    if (writtenEnd === null) {
      return [];
    }
    const offset = Math.min(writtenEnd, doc.length);
    const { number } = doc.lineAt(offset);
    return [
      caret.range(offset),
      ...decorateLines(doc, dimmedLine, number + 1, doc.lines)
    ];
  })
];

const OPEN_CLASS = 'jp-AIServer-mod-diff';

export interface IDiffOptions {
  cell: Cell;
  newEditor: CodeEditor.Factory;
  trans: TranslationBundle;
  onChange: (offset: number, action: ChangeAction) => void;
  onEdit: (code: string) => void;
  onKey: (event: KeyboardEvent) => void;
}

export interface IDiffContent {
  original: string;
  /** The part of the suggestion that has arrived. */
  code: string;
  problems?: readonly IProblem[];
  selected?: IRange | null;
  isStreaming: boolean;
  isEditable?: boolean;
  /** Whether no model wrote the code, so that none can be asked for another change. */
  isRemedy?: boolean;
}

export class DiffOverlay implements IDisposable {
  constructor(private readonly _options: IDiffOptions) {
    const { cell, newEditor, trans } = _options;
    this._node = document.createElement('div');
    this._node.className = 'jp-AIServer-Diff';
    this._node.setAttribute('role', 'region');
    this._node.setAttribute('aria-label', trans.__('Suggested code'));
    suppressShortcuts(this._node);
    this._node.addEventListener('keydown', _options.onKey, { capture: true });
    this._node.addEventListener('keydown', event => this._onKeydown(event));
    this._model = new CodeEditor.Model({ mimeType: cell.model.mimeType });
    this._editor = newEditor({
      host: this._node,
      model: this._model,
      config: { ...cell.editorConfig, readOnly: true },
      extensions: [
        this._mergeCompartment.of([]),
        diffDecorations,
        hiddenEnd,
        this._editableCompartment.of(EditorView.editable.of(false)),
        EditorView.contentAttributes.of({
          tabindex: '0',
          'aria-label': trans.__('Suggested code')
        }),
        EditorView.updateListener.of(update => {
          if (update.docChanged && !this._isUpdating) {
            // `hiddenEnd.ts` adds a line break at the end.
            _options.onEdit(update.state.doc.toString().replace(/\n$/, ''));
          }
        })
      ]
    }) as CodeMirrorEditor;
    cell.editorWidget?.node.append(this._node);
    cell.addClass(OPEN_CLASS);
  }

  isDisposed = false;

  get hasFocus(): boolean {
    return this._node.contains(document.activeElement);
  }

  show(content: IDiffContent): void {
    if (!this.isDisposed) {
      this._isUpdating = true;
      this._show(content);
      this._isUpdating = false;
    }
  }

  private _show(content: IDiffContent): void {
    const { original, code, isStreaming } = content;
    const { isEditable = false, isRemedy = false } = content;
    this._node.classList.toggle('jp-mod-streaming', isStreaming);
    this._node.classList.toggle('jp-mod-remedy', isRemedy);
    this._draw(content);
    this._setEditable(isEditable);
    const hasHighlights = !isStreaming && areSimilar(original, code);
    if (original !== this._original || hasHighlights !== this._hasHighlights) {
      this._original = original;
      this._hasHighlights = hasHighlights;
      // In an empty cell, every line is new: a background colour replaces the diff.
      const isCellEmpty = !original.trim();
      this._node.classList.toggle('jp-mod-new', isCellEmpty);
      this._editor.editor.dispatch({
        effects: this._mergeCompartment.reconfigure(
          isCellEmpty ? [] : this._mergeExtension(original, hasHighlights)
        )
      });
    }
  }

  private _draw(content: IDiffContent): void {
    const { original, code, isStreaming } = content;
    const { problems = [], selected = null } = content;
    const view = this._editor.editor;
    const streamed = isStreaming ? streamView(original, code) : null;
    const text = (streamed?.doc ?? code) + '\n';
    const isNewlySelected = selected && selected.from !== this._selectedFrom;
    view.dispatch({
      changes: textChanges(view.state.doc.toString(), text),
      effects: [
        setWrittenEnd.of(streamed?.writtenEnd ?? null),
        setProblems.of(problemRanges(code, problems)),
        setSelected.of(selected),
        ...(isNewlySelected
          ? [EditorView.scrollIntoView(selected.from, { y: 'nearest' })]
          : [])
      ]
    });
    this._selectedFrom = selected?.from ?? null;
  }

  private _setEditable(isEditable: boolean): void {
    if (isEditable !== this._isEditable) {
      this._isEditable = isEditable;
      this._editor.setOption('readOnly', !isEditable);
      this._editor.editor.dispatch({
        effects: this._editableCompartment.reconfigure(
          EditorView.editable.of(isEditable)
        )
      });
      // An undo must not bring back a part of the answer.
      this._model.sharedModel.clearUndoHistory();
    }
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.isDisposed = true;
    this._editor.dispose();
    this._model.dispose();
    this._node.remove();
    const { cell } = this._options;
    if (!cell.isDisposed) {
      cell.removeClass(OPEN_CLASS);
      // While hidden, the editor couldn't measure itself, and its width may have changed.
      (cell.editor as CodeMirrorEditor | null)?.editor.requestMeasure();
    }
  }

  private _mergeExtension(original: string, hasHighlights: boolean): Extension {
    return unifiedMergeView({
      original: original + '\n',
      gutter: false,
      highlightChanges: hasHighlights,
      diffConfig: DIFF_LIMITS,
      mergeControls: type => {
        if (type === 'reject') {
          return this._createButton('reject');
        }
        const buttons = document.createElement('span');
        buttons.append(
          this._createButton('accept'),
          this._createButton('regenerate')
        );
        return buttons;
      }
    });
  }

  /** Undo and redo edits of the suggestion. JupyterLab's shortcuts are disabled here. */
  private _onKeydown(event: KeyboardEvent): void {
    const { ctrlKey, metaKey, altKey, shiftKey } = event;
    const key = event.key.toLowerCase();
    const isRedo = key === 'y' || (key === 'z' && shiftKey);
    if ((ctrlKey || metaKey) && !altKey && (key === 'z' || isRedo)) {
      event.preventDefault();
      event.stopPropagation();
      if (isRedo) {
        this._editor.redo();
      } else {
        this._editor.undo();
      }
    }
  }

  private _createButton(action: ChangeAction): HTMLElement {
    const { trans, onChange } = this._options;
    const labels = {
      accept: trans.__('Accept this change'),
      regenerate: trans.__('Regenerate this change'),
      reject: trans.__('Reject this change')
    };
    const button = document.createElement('button');
    button.type = 'button';
    button.className = `jp-AIServer-Diff-decide jp-mod-${action}`;
    button.title = `${labels[action]} (${changeKeys(action)})`;
    button.setAttribute('aria-label', labels[action]);
    button.textContent = { accept: '✓', regenerate: '↻', reject: '✗' }[action];
    button.onclick = () =>
      onChange(this._editor.editor.posAtDOM(button), action);
    return button;
  }

  private readonly _node: HTMLElement;
  private readonly _model: CodeEditor.Model;
  private readonly _editor: CodeMirrorEditor;
  private readonly _mergeCompartment = new Compartment();
  private readonly _editableCompartment = new Compartment();
  private _isEditable = false;
  /** Whether `show` changes the text, not the person. */
  private _isUpdating = false;
  private _selectedFrom: number | null = null;
  private _original: string | null = null;
  private _hasHighlights = false;
}
