/**
 * Completes the code of a notebook's cells while a person types, through JupyterLab's inline
 * completer. JupyterLab waits until the person pauses, shows the completion and inserts it.
 *
 * Invariants:
 * - The provider is disabled until a person enables it in the settings of JupyterLab's inline
 *   completer. JupyterLab doesn't call a disabled provider.
 * - Nothing is requested if the administrator doesn't allow it.
 * - A request contains only code: of this cell and of the code cells above it.
 * - Nothing is completed while a prompt row is open in the notebook, so that only one kind of
 *   suggestion is shown.
 * - If the person types on, the running request is aborted, which stops the model.
 */
import type { Cell } from '@jupyterlab/cells';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type {
  CompletionHandler,
  IInlineCompletionContext,
  IInlineCompletionList,
  IInlineCompletionProvider
} from '@jupyterlab/completer';
import { Text } from '@jupyterlab/coreutils';
import { NotebookPanel } from '@jupyterlab/notebook';

import type { ApiClient } from '../../../api/client';
import type { CompletionBody } from '../../../api/types';
import { cellsBefore, languageOf } from '../../../cells/context';
import { IFailure, toFailure } from '../../../state/failure';
import { isForbidden } from '../../../state/features';
import type { IPromptRows } from '../../../tokens';
import { normalizeLineBreaks } from '../../../diff/lineBreaks';

/** The maximum length of a cell that is completed: the limit of the HTTP API. */
const MAX_SOURCE = 20_000;
/** The maximum length of the cells above that are sent. The server needs less. */
const MAX_ABOVE = 4000;

/** The default settings of the provider. JupyterLab adds them to those of its inline completer. */
const DEFAULTS = {
  enabled: false,
  // In the middle of a line, `completes` decides, for example before a closing bracket.
  autoFillInMiddle: true,
  debouncerDelay: 300,
  timeout: 10_000
};

export interface ICompletionOptions {
  readonly api: Pick<ApiClient, 'complete'>;
  /** The provider's name in the settings and beside a completion. */
  readonly name: string;
  /** The prompt rows of notebooks; null if the plugin that opens them is disabled. */
  readonly rows: Pick<IPromptRows, 'isOpen'> | null;
  /** Called when the server has no model for completions. */
  readonly onNoModel: (failure: IFailure) => void;
}

export class CompletionProvider implements IInlineCompletionProvider {
  constructor(private readonly _options: ICompletionOptions) {
    this.name = _options.name;
  }

  readonly identifier = 'aiserver';
  readonly name: string;
  readonly schema = { default: DEFAULTS };

  /** Request a completion. The list is empty if there is none. */
  async fetch(
    { offset, text }: CompletionHandler.IRequest,
    { widget }: Pick<IInlineCompletionContext, 'widget'>
  ): Promise<IInlineCompletionList> {
    this._abort.abort();
    const cell = widget instanceof NotebookPanel ? completedCell(widget) : null;
    const position = Text.charIndexToJsIndex(offset, text);
    const before = text.slice(0, position);
    const after = text.slice(position);
    const panel = widget as NotebookPanel;
    const canComplete = () =>
      cell !== null &&
      !isForbidden('completion') &&
      !this._options.rows?.isOpen(panel) &&
      cell.model.sharedModel.getSource() === text;
    if (!cell || !canComplete() || !completes(cell, before, after)) {
      return { items: [] };
    }
    const insertText = await this._request(cell, {
      prefix: normalizeLineBreaks(before),
      suffix: normalizeLineBreaks(after),
      language: languageOf(panel),
      cells: codeAbove(panel, cell)
    });
    return { items: insertText && canComplete() ? [{ insertText }] : [] };
  }

  /** Send a request; return an empty text if it fails, or if the person types on. */
  private async _request(cell: Cell, body: CompletionBody): Promise<string> {
    const abort = (this._abort = new AbortController());
    const onChanged = () => abort.abort();
    const { sharedModel } = cell.model;
    sharedModel.changed.connect(onChanged);
    try {
      return (await this._options.api.complete(body, abort.signal)).text;
    } catch (reason) {
      const failure = toFailure(reason);
      if (failure.code === 'no_completion_model') {
        this._options.onNoModel(failure);
      }
      // Another failure isn't reported, because the person didn't ask for the completion.
      return '';
    } finally {
      sharedModel.changed.disconnect(onChanged);
    }
  }

  private _abort = new AbortController();
}

/** Return the cell that is edited; null unless it is a code cell that can be edited. */
function completedCell(panel: NotebookPanel): Cell | null {
  const cell = panel.content.activeCell;
  return cell?.model.type === 'code' && !cell.readOnly ? cell : null;
}

/**
 * Return whether to complete a cell at the cursor, given its source before and after the cursor.
 * Within a word there is nothing to insert, and the letters that an input method is composing
 * aren't code yet.
 */
function completes(cell: Cell, before: string, after: string): boolean {
  const editor = cell.editor as CodeMirrorEditor | null;
  const isComposing = editor?.editor.composing ?? false;
  const isWithinWord = /^[\p{L}\p{N}_]/u.test(after);
  const length = before.length + after.length;
  return !isComposing && !isWithinWord && length <= MAX_SOURCE;
}

/** Return the sources of the nearest code cells above a cell, from top to bottom. */
function codeAbove(panel: NotebookPanel, cell: Cell): string[] {
  const { model } = panel.content;
  const cells = model ? cellsBefore(model, cell.model.id) : [];
  const sources: string[] = [];
  let remaining = MAX_ABOVE;
  for (const { cellType, source = '' } of cells.reverse()) {
    remaining -= cellType === 'code' ? source.length : 0;
    if (remaining < 0) {
      break;
    }
    if (cellType === 'code') {
      sources.unshift(source);
    }
  }
  return sources.slice(-100);
}
