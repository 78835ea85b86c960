/**
 * Creates the small preview of a run's outputs: the beginning of the text, and the first image.
 *
 * Invariant: the preview's size is limited, and its text never ends within a character.
 */
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';

/** The largest size of a preview's text, in bytes of UTF-8. */
export const MAX_TEXT = 4096;
/** The largest image of which a thumbnail is created, in characters of base64. */
const MAX_IMAGE = 24_000_000;
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** ANSI colour codes. */
const ESCAPE = '\u001b';
const ANSI = new RegExp(`${ESCAPE}\\[[0-9;]*[A-Za-z]`, 'g');

export interface ITextPreview {
  text: string;
  truncated?: true;
}

/** An image as returned by a kernel. */
export interface IImage {
  readonly mime: string;
  readonly base64: string;
}

/** The beginning of the outputs' text; null if there is none. */
export function textOf(outputs: readonly IOutput[]): ITextPreview | null {
  let text = '';
  let isTruncated = false;
  for (const output of outputs) {
    // Stop once the preview is full, so that a log of megabytes isn't joined.
    if (text.length > MAX_TEXT) {
      isTruncated = true;
      break;
    }
    const added = outputText(output);
    text += text && added && !text.endsWith('\n') ? `\n${added}` : added;
  }
  const preview = truncate(text.replace(ANSI, ''));
  if (!preview) {
    return null;
  }
  isTruncated ||= preview.length < text.replace(ANSI, '').length;
  return isTruncated ? { text: preview, truncated: true } : { text: preview };
}

/** The first image of which a thumbnail can be created; null if there is none. */
export function imageOf(outputs: readonly IOutput[]): IImage | null {
  for (const { data } of outputs) {
    for (const mime of IMAGE_TYPES) {
      const value = (data as Record<string, unknown> | undefined)?.[mime];
      const base64 = Array.isArray(value) ? value.join('') : value;
      if (typeof base64 === 'string' && base64.length < MAX_IMAGE) {
        return { mime, base64 };
      }
    }
  }
  return null;
}

/** The outputs of a cell in nbformat. */
export function outputsOf({ outputs }: ICodeCellModel): IOutput[] {
  return Array.from({ length: outputs.length }, (_, index) =>
    outputs.get(index).toJSON()
  );
}

/** The beginning of a text, at most `limit` bytes of UTF-8. */
export function truncate(text: string, limit = MAX_TEXT): string {
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
      // The plain text of an image, such as `<Figure size 640x480>`, adds nothing.
      return IMAGE_TYPES.some(mime => mime in data)
        ? ''
        : textIn(data['text/plain']);
    }
  }
}

/** The beginning of a text in an output; empty if the value, which can be anything, isn't text. */
function textIn(value: unknown): string {
  const text = Array.isArray(value) ? value.join('') : value;
  return typeof text === 'string' ? text.slice(0, 4 * MAX_TEXT) : '';
}
