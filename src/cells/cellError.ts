/**
 * The error below a cell, as far as it goes into a request to mend it.
 *
 * What must hold: it is of the code that the cell holds, not of code that was changed since; it
 * is short, for what a library says inside of itself helps nobody.
 */
import type { Cell, ICodeCellModel } from '@jupyterlab/cells';
import type { IError } from '@jupyterlab/nbformat';

/** A database repeats whole statements in its errors. */
const MOST = 1000;
/** Colours, as a terminal is told of them. */
const ESCAPE = '\u001b';
const ANSI = new RegExp(`${ESCAPE}\\[[0-9;]*[A-Za-z]`, 'g');

/** What IPython calls the frame of a cell; those below it are of what it calls. */
const CELL = /^(Cell|Input) In ?\[|^<ipython-input-/;

/** The line that it points at, where it points at one, and its last line; null if there is none. */
export function cellErrorText(cell: Cell | null): string | null {
  const model = cell?.model as Partial<ICodeCellModel> | undefined;
  const { outputs } = model ?? {};
  if (!outputs || model?.isDirty) {
    return null;
  }
  for (let index = outputs.length - 1; index >= 0; index--) {
    const output = outputs.get(index).toJSON();
    if (output.output_type === 'error') {
      return shortened(output as IError);
    }
  }
  return null;
}

function shortened({ ename, evalue, traceback }: IError): string {
  // Of errors that led to one another, the last is the one that is shown below all.
  const lines =
    textOf(traceback)
      .split('Traceback (most recent call last)')
      .pop()
      ?.split('\n') ?? [];
  const frame = lines.findIndex(line => CELL.test(line));
  const pointed =
    frame >= 0 && lines.slice(frame).find(line => /^-+> *\d+/.test(line));
  const last = [textOf(ename), textOf(evalue)].filter(Boolean).join(': ');
  const words = last || (lines.filter(line => line.trim()).pop() ?? '');
  return [pointed, words.slice(0, MOST)]
    .filter((line): line is string => !!line && !!line.trim())
    .map(line => line.trim())
    .join('\n');
}

/** A file may hold anything in an output. */
function textOf(value: unknown): string {
  const text = Array.isArray(value) ? value.join('\n') : value;
  return typeof text === 'string' ? text.replace(ANSI, '') : '';
}
