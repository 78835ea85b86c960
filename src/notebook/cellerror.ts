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
const HEADING = 'Traceback (most recent call last)';
/** Colours. The escape is what they begin with. */
// eslint-disable-next-line no-control-regex
const ANSI = /\u001b\[[0-9;]*[A-Za-z]/g;

/** The line that it points at, where it points at one, and its last line; null if there is none. */
export function errorOf(cell: Cell | null): string | null {
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
  const lines = textOf(traceback).split('\n');
  // An error that led to another comes first, and is a library's: `last` is of the last one.
  const headings = lines.map(line => line.includes(HEADING));
  const frames = lines.slice(headings.lastIndexOf(true) + 1);
  // The first frame is the cell's own; those below are of what it calls.
  const pointed = frames.find(line => /^-+> *\d+/.test(line));
  const last = [textOf(ename), textOf(evalue)].filter(Boolean).join(': ');
  const words = last || (lines.filter(line => line.trim()).pop() ?? '');
  return [pointed, words.slice(0, MOST)]
    .filter((line): line is string => !!line?.trim())
    .map(line => line.trim())
    .join('\n');
}

/** A file may hold anything in an output. */
function textOf(value: unknown): string {
  const text = Array.isArray(value) ? value.join('\n') : value;
  return typeof text === 'string' ? text.replace(ANSI, '') : '';
}
