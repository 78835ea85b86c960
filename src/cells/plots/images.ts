/** The images in a cell's outputs. */
import type { IOutput } from '@jupyterlab/nbformat';

/** An image as returned by a kernel. */
export interface IImage {
  readonly mime: string;
  readonly base64: string;
}

/** An image whose base64 text has this number of characters or more isn't read. */
const MAX_IMAGE_LENGTH = 24_000_000;
/** The types of images that can be drawn. */
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** Return the images of outputs in their order: of each output, the first one. */
export function imagesOf(outputs: readonly IOutput[]): IImage[] {
  return outputs.flatMap(({ data }) => {
    for (const mime of IMAGE_TYPES) {
      const value = (data as Record<string, unknown> | undefined)?.[mime];
      const base64 = Array.isArray(value) ? value.join('') : value;
      if (typeof base64 === 'string' && base64.length < MAX_IMAGE_LENGTH) {
        return [{ mime, base64 }];
      }
    }
    return [];
  });
}

/** Return whether the data of an output contains an image. */
export function hasImage(data: Readonly<Record<string, unknown>>): boolean {
  return IMAGE_TYPES.some(mime => mime in data);
}
