/** The output of a cell as text, for a request that mentions the cell. */
import type { Cell, ICodeCellModel } from '@jupyterlab/cells';
import type { MultilineString } from '@jupyterlab/nbformat';
import type { IOutputAreaModel } from '@jupyterlab/outputarea';

import { ANSI_CODES } from './cellError';

// The text is shortened to its beginning and its end. The limit of the HTTP API is 20,000.
const MAX_START = 5000;
const MAX_END = 14_000;

/** Return the output shown below a cell as text; empty if its current code has no output. */
export function resultText(cell: Cell | null): string {
  const { outputs, isDirty } = (cell?.model ?? {}) as Partial<ICodeCellModel>;
  return isDirty ? '' : outputText(outputs);
}

/** Return the text of a cell's outputs, without errors; empty if the outputs have no text. */
export function outputText(
  outputs: Pick<IOutputAreaModel, 'length' | 'get'> | undefined
): string {
  const texts: string[] = [];
  for (let index = 0; index < (outputs?.length ?? 0); index++) {
    texts.push(textOf(outputs!.get(index).toJSON()));
  }
  const text = texts.filter(Boolean).join('\n').replace(ANSI_CODES, '').trim();
  return text.length > MAX_START + MAX_END
    ? `${text.slice(0, MAX_START)}\n[…]\n${text.slice(-MAX_END)}`
    : text;
}

function textOf(output: {
  output_type?: unknown;
  text?: unknown;
  data?: unknown;
}): string {
  const { output_type: type, text, data } = output;
  const plain =
    type === 'stream'
      ? text
      : (data as Record<string, unknown> | undefined)?.['text/plain'];
  return join(plain as MultilineString | undefined).trimEnd();
}

function join(text: MultilineString | undefined): string {
  return Array.isArray(text) ? text.join('') : String(text ?? '');
}
