/**
 * Completes the code of a cell while a person types, through JupyterLab's inline completer, which
 * waits for a pause, shows the completion and inserts it.
 *
 * Invariants:
 * - JupyterLab doesn't call the provider until a person enables it in the settings of the inline
 *   completer.
 * - Nothing is requested if the administrator forbids it.
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

/** The limit of the HTTP API. */
const MAX_SOURCE = 20_000;
/** The server needs less of the cells above. */
const MAX_ABOVE = 4000;

/** JupyterLab adds these settings to those of its inline completer. */
const DEFAULTS = {
  enabled: false,
  // In the middle of a line, `completes` decides, for example before a closing bracket.
  autoFillInMiddle: true,
  debouncerDelay: 300,
  timeout: 10_000
};

export interface ICompletionOptions {
  readonly api: Pick<ApiClient, 'complete'>;
  /** The name in the settings and beside a completion. */
  readonly name: string;
  /** Null if the plugin that opens prompt rows is disabled. */
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

  /** The list is empty if there is no completion. */
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

  /** Return an empty text if the request fails, or if the person types on. */
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

/** Null unless the edited cell is a code cell that can be edited. */
function completedCell(panel: NotebookPanel): Cell | null {
  const cell = panel.content.activeCell;
  return cell?.model.type === 'code' && !cell.readOnly ? cell : null;
}

/**
 * Within a word there is nothing to insert, and the letters that an input method is composing aren't
 * code yet.
 */
function completes(cell: Cell, before: string, after: string): boolean {
  const editor = cell.editor as CodeMirrorEditor | null;
  const isComposing = editor?.editor.composing ?? false;
  const isWithinWord = /^[\p{L}\p{N}_]/u.test(after);
  const length = before.length + after.length;
  return !isComposing && !isWithinWord && length <= MAX_SOURCE;
}

/** The sources of the nearest code cells above, from top to bottom. */
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
