/**
 * Writes a short text about the error below a cell, for the request to fix that error.
 *
 * Invariants: the error belongs to the cell's current code, not to an older version; frames inside
 * libraries are left out.
 */
import type { Cell, ICodeCellModel } from '@jupyterlab/cells';
import type { IError } from '@jupyterlab/nbformat';

/** The largest number of characters: errors of databases may repeat long statements. */
const MAX_LENGTH = 1000;
/** ANSI colour codes. */
const ESCAPE = '\u001b';
const ANSI = new RegExp(`${ESCAPE}\\[[0-9;]*[A-Za-z]`, 'g');

/** The first line of a cell's frame in a traceback of IPython. Called functions are below it. */
const CELL_FRAME = /^(Cell|Input) In ?\[|^<ipython-input-/;

/**
 * The cell's line that the traceback marks, if it marks any, and the error message; null if there
 * is no error.
 */
export function cellErrorText(cell: Cell | null): string | null {
  const model = cell?.model as Partial<ICodeCellModel> | undefined;
  const { outputs } = model ?? {};
  if (!outputs || model?.isDirty) {
    return null;
  }
  for (let index = outputs.length - 1; index >= 0; index--) {
    const output = outputs.get(index).toJSON();
    if (output.output_type === 'error') {
      return summarize(output as IError);
    }
  }
  return null;
}

function summarize({ ename, evalue, traceback }: IError): string {
  // In a chain of exceptions, the last one is the error below the cell.
  const lines =
    textOf(traceback)
      .split('Traceback (most recent call last)')
      .pop()
      ?.split('\n') ?? [];
  const frame = lines.findIndex(line => CELL_FRAME.test(line));
  const markedLine =
    frame >= 0 && lines.slice(frame).find(line => /^-+> *\d+/.test(line));
  const description = [textOf(ename), textOf(evalue)]
    .filter(Boolean)
    .join(': ');
  const message =
    description || (lines.filter(line => line.trim()).pop() ?? '');
  return [markedLine, message.slice(0, MAX_LENGTH)]
    .filter((line): line is string => !!line && !!line.trim())
    .map(line => line.trim())
    .join('\n');
}

/** The text of an output's field; empty if the field, which can be anything, isn't text. */
function textOf(value: unknown): string {
  const text = Array.isArray(value) ? value.join('\n') : value;
  return typeof text === 'string' ? text.replace(ANSI, '') : '';
}
