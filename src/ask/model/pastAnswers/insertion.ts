/**
 * Inserts a past answer into a cell, and makes it an example of a request.
 *
 * Invariant: the cell's own code stays. The event of an insertion says which model wrote the code, in
 * which turn of which notebook.
 */
import { PathExt } from '@jupyterlab/coreutils';

import type { EventBody, Mention, PastAnswer } from '../../../api/types';
import { normalizeLineBreaks } from '../../../diff/lineBreaks';

/** The name of a notebook whose file was moved or deleted; for models and histories. */
const UNKNOWN_NOTEBOOK = 'another notebook';

/** Return the file name of the answer's notebook; null if its file was moved or deleted. */
export function notebookName({
  path
}: Pick<PastAnswer, 'path'>): string | null {
  return path && PathExt.basename(path);
}

/** Return a cell's code with other code below it. */
export function appendCode(source: string, code: string): string {
  if (!source.trim()) {
    return normalizeLineBreaks(code);
  }
  const gap = source.endsWith('\n') ? '\n' : '\n\n';
  return `${source}${gap}${normalizeLineBreaks(code)}`;
}

/** Create the event that records the insertion; `source` is the cell's new code. */
export function insertEvent(answer: PastAnswer, source: string): EventBody {
  const { notebook_id, cell_id, turn_id, model: name } = answer;
  const notebook = notebookName(answer) ?? UNKNOWN_NOTEBOOK;
  return {
    type: 'edit',
    source,
    contributor: { kind: 'model', ...(name && { name }) },
    data: { past_answer: { notebook_id, cell_id, turn_id, notebook } }
  };
}

/** Return the answer as a part of a request. */
export function exampleMention(answer: PastAnswer): Mention {
  return {
    kind: 'past_answer',
    name: notebookName(answer) ?? UNKNOWN_NOTEBOOK,
    source: answer.code,
    request: answer.intent
  };
}
