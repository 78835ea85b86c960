/**
 * A small preview of what a run put out: some text, and the first picture.
 *
 * What must hold: it is bounded, however much was put out, and no character is cut in two.
 */
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';

/** Bytes of UTF-8. */
export const MOST_TEXT = 4096;
/** Base64 of a larger picture is not looked at. */
const MOST_PICTURE = 24_000_000;
const PICTURES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** Colours, as a terminal is told of them. */
const ESCAPE = '\u001b';
const ANSI = new RegExp(`${ESCAPE}\\[[0-9;]*[A-Za-z]`, 'g');

export interface IText {
  text: string;
  truncated?: true;
}

/** A picture as a kernel gives it. */
export interface IPicture {
  readonly mime: string;
  readonly base64: string;
}

/** The outputs' text, as far as it is kept; null if there is none. */
export function textOf(outputs: readonly IOutput[]): IText | null {
  let text = '';
  let isCut = false;
  for (const output of outputs) {
    // Enough to know that more is there; a log of megabytes is not put together for it.
    if (text.length > MOST_TEXT) {
      isCut = true;
      break;
    }
    const part = partOf(output);
    text += text && part && !text.endsWith('\n') ? `\n${part}` : part;
  }
  const kept = cut(text.replace(ANSI, ''));
  if (!kept) {
    return null;
  }
  isCut ||= kept.length < text.replace(ANSI, '').length;
  return isCut ? { text: kept, truncated: true } : { text: kept };
}

/** The first picture that can be made small; null if there is none. */
export function pictureOf(outputs: readonly IOutput[]): IPicture | null {
  for (const { data } of outputs) {
    for (const mime of PICTURES) {
      const value = (data as Record<string, unknown> | undefined)?.[mime];
      const base64 = Array.isArray(value) ? value.join('') : value;
      if (typeof base64 === 'string' && base64.length < MOST_PICTURE) {
        return { mime, base64 };
      }
    }
  }
  return null;
}

/** The outputs of a cell as they are stored. */
export function listed({ outputs }: ICodeCellModel): IOutput[] {
  return Array.from({ length: outputs.length }, (_, index) =>
    outputs.get(index).toJSON()
  );
}

/** The beginning of a text, of so many bytes at most. */
export function cut(text: string, most = MOST_TEXT): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > most) {
      return text.slice(0, end);
    }
    end += character.length;
  }
  return text;
}

function partOf(output: IOutput): string {
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
      // What stands for a picture says nothing that the picture does not.
      return PICTURES.some(mime => mime in data)
        ? ''
        : textIn(data['text/plain']);
    }
  }
}

/** A file may hold anything in an output. Of a long text the beginning is enough. */
function textIn(value: unknown): string {
  const text = Array.isArray(value) ? value.join('') : value;
  return typeof text === 'string' ? text.slice(0, 4 * MOST_TEXT) : '';
}
