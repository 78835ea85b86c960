/**
 * Creates a small preview of the text in a run's outputs.
 *
 * Invariants:
 * - The size of a preview is limited.
 * - The text of a preview never ends in the middle of a character.
 */
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';

import { ANSI_CODES } from '../../../cells/cellError';
import { hasImage } from '../../../cells/plots/images';

/** The maximum size of a preview's text, in bytes of UTF-8. */
export const MAX_TEXT_BYTES = 4096;
export interface ITextPreview {
  text: string;
  /** Set if the text is only the beginning of the outputs' text. */
  truncated?: true;
  /** The numbers of rows and columns of a DataFrame that the cell ended with. */
  shape?: [number, number];
}

/** The longest HTML in which a table is looked for. */
const MAX_HTML = 200_000;

/** Return the beginning of the text in a run's outputs; null if the outputs contain no text. */
export function textOf(outputs: readonly IOutput[]): ITextPreview | null {
  let text = '';
  let isTruncated = false;
  for (const output of outputs) {
    // Stop when the preview is full, because the outputs may contain megabytes of text.
    if (text.length > MAX_TEXT_BYTES) {
      isTruncated = true;
      break;
    }
    const addition = outputText(output);
    text +=
      text && addition && !text.endsWith('\n') ? `\n${addition}` : addition;
  }
  const plainText = text.replace(ANSI_CODES, '');
  const preview = truncate(plainText);
  if (!preview) {
    return null;
  }
  isTruncated ||= preview.length < plainText.length;
  const shape = tableShape(outputs[outputs.length - 1]);
  return {
    text: preview,
    ...(isTruncated && { truncated: true as const }),
    ...(shape && { shape })
  };
}

/** Return the shape of a DataFrame of pandas or Polars in an output; null if it shows none. */
function tableShape({ data }: IOutput): [number, number] | null {
  const html = (data as Record<string, unknown> | undefined)?.['text/html'];
  const text = Array.isArray(html) ? html.join('') : html;
  if (typeof text !== 'string' || text.length > MAX_HTML) {
    return null;
  }
  // Nothing in the document is loaded or run.
  const { body } = new DOMParser().parseFromString(text, 'text/html');
  const rows =
    body.querySelector<HTMLTableElement>('table.dataframe')?.tBodies[0]?.rows;
  if (!rows) {
    return null;
  }
  // A shortened table says how many rows and columns there are.
  const notes = [...body.querySelectorAll('p, small')].map(
    note => note.textContent ?? ''
  );
  const stated = /(\d+) rows × (\d+) columns|shape: \((\d+), (\d+)\)/.exec(
    notes.join('\n')
  );
  const [rowCount, columnCount] = (stated ?? []).slice(1).filter(Boolean);
  return stated
    ? [Number(rowCount), Number(columnCount)]
    : [rows.length, rows[0]?.querySelectorAll('td').length ?? 0];
}

export function outputsOf({ outputs }: ICodeCellModel): IOutput[] {
  return Array.from({ length: outputs.length }, (_, index) =>
    outputs.get(index).toJSON()
  );
}

/** Return the beginning of a text: as many characters as fit into `limit` bytes of UTF-8. */
export function truncate(text: string, limit = MAX_TEXT_BYTES): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limit));
  return text.slice(0, read);
}

/** Return the text of one output; empty if the output has no text or is an image. */
function outputText(output: IOutput): string {
  switch (output.output_type) {
    case 'stream':
      return textIn(output.text);
    case 'error':
      return [output.ename, output.evalue]
        .map(textIn)
        .filter(Boolean)
        .join(': ');
    default: {
      const data = (output.data ?? {}) as Record<string, unknown>;
      // The plain text of an image, such as `<Figure size 640x480>`, adds nothing.
      return hasImage(data) ? '' : textIn(data['text/plain']);
    }
  }
}

/** Return the beginning of `value` if it is a text or a list of lines; otherwise an empty text. */
function textIn(value: unknown): string {
  const text = Array.isArray(value) ? value.join('') : value;
  // `truncate` applies the exact limit later, when the ANSI codes have been removed. (If an output
  // consists mostly of ANSI codes, text may be lost here, although `truncated` isn't set.)
  return typeof text === 'string' ? text.slice(0, 4 * MAX_TEXT_BYTES) : '';
}
