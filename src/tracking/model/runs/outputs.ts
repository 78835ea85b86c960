/**
 * Creates a small preview of the text in a run's outputs.
 *
 * Invariants:
 * - The size of a preview is limited.
 * - Its text never ends in the middle of a character.
 */
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';

import { ANSI_CODES } from '../../../cells/cellError';
import { hasImage } from '../../../cells/plots/images';

/** In UTF-8. */
export const MAX_TEXT_BYTES = 4096;
export interface ITextPreview {
  text: string;
  /** Set if the text is only a beginning. */
  truncated?: true;
  /** The rows and columns of a DataFrame that the cell ended with. */
  shape?: [number, number];
}

/** Longer HTML isn't searched for a table. */
const MAX_HTML = 200_000;

/** Null if the outputs contain no text. */
export function textOf(outputs: readonly IOutput[]): ITextPreview | null {
  let text = '';
  let isTruncated = false;
  for (const output of outputs) {
    // The outputs may contain megabytes of text.
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

/** Return as many characters as fit into `limit` bytes of UTF-8. */
export function truncate(text: string, limit = MAX_TEXT_BYTES): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limit));
  return text.slice(0, read);
}

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
      // An image's plain text, such as `<Figure size 640x480>`, adds nothing.
      return hasImage(data) ? '' : textIn(data['text/plain']);
    }
  }
}

function textIn(value: unknown): string {
  const text = Array.isArray(value) ? value.join('') : value;
  // `truncate` applies the exact limit after the ANSI codes were removed. (An output that consists
  // mostly of ANSI codes may lose text without `truncated`.)
  return typeof text === 'string' ? text.slice(0, 4 * MAX_TEXT_BYTES) : '';
}
