/**
 * Builds a short text about the error below a cell, for a request to fix it.
 *
 * Invariants:
 * - If the code was changed after it ran, there is no text.
 * - The text contains no lines of the functions that the cell's code called.
 */
import type { Cell, ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { IError } from '@jupyterlab/nbformat';

/** A database's error message may repeat a long query. */
const MAX_LENGTH = 1000;
const ESCAPE = '\u001b';
/** Matches terminal control codes: IPython colours tracebacks with them. */
export const ANSI_CODES = new RegExp(`${ESCAPE}\\[[0-9;]*[A-Za-z]`, 'g');

/**
 * Matches the heading above the lines of the cell's code in IPython's traceback. The lines of
 * functions that it called come later.
 */
const CELL_FRAME = /^(Cell|Input) In ?\[|^<ipython-input-/;

/** Matches the temporary file's name in a syntax error's message: `(691823508.py, line 1)`. */
const CELL_FILE = /\((?:\d+\.py|<ipython-input[^>]*>), (line \d+)\)$/;

/**
 * Return the error's message, after the line of the cell's code that raised it, if the traceback
 * shows it. Return null if there is no error.
 */
export function cellErrorText(cell: Cell | null): string | null {
  const error = cell && errorOutput(cell.model);
  return error ? summariseError(error) : null;
}

/** Return the error output of the cell's current code; null if there is none. */
export function errorOutput(cell: ICellModel): IError | null {
  const { outputs, isDirty } = cell as Partial<ICodeCellModel>;
  if (!outputs || isDirty) {
    return null;
  }
  for (let index = outputs.length - 1; index >= 0; index--) {
    const output = outputs.get(index);
    if (output.type === 'error') {
      return output.toJSON() as IError;
    }
  }
  return null;
}

function summariseError({ ename, evalue, traceback }: IError): string {
  // If an exception was raised while another one was handled, there are several tracebacks. The last
  // one belongs to the error that is shown.
  const lines =
    textOf(traceback)
      .split('Traceback (most recent call last)')
      .pop()
      ?.split('\n') ?? [];
  const frameIndex = lines.findIndex(line => CELL_FRAME.test(line));
  // IPython marks the line that raised the error with an arrow.
  const markedLine =
    frameIndex >= 0 &&
    lines.slice(frameIndex).find(line => /^-+> *\d+/.test(line));
  const description = [textOf(ename), textOf(evalue).replace(CELL_FILE, '($1)')]
    .filter(Boolean)
    .join(': ');
  const message =
    description || (lines.filter(line => line.trim()).pop() ?? '');
  return [markedLine, message.slice(0, MAX_LENGTH)]
    .filter((line): line is string => !!line && !!line.trim())
    .map(line => line.trim())
    .join('\n');
}

function textOf(value: unknown): string {
  const text = Array.isArray(value) ? value.join('\n') : value;
  return typeof text === 'string' ? text.replace(ANSI_CODES, '') : '';
}
