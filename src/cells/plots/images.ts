/**
 * The images in a cell's outputs.
 *
 * Invariant: even a small image is encoded again before it is stored or sent, so that it contains no
 * hidden data of the file, such as GPS coordinates or an appended archive.
 */
import type { IOutput } from '@jupyterlab/nbformat';

export interface IImage {
  readonly mime: string;
  readonly base64: string;
}

/** Base64 texts that are longer aren't read. */
const MAX_IMAGE_LENGTH = 24_000_000;
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** Return the first image of each output. */
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

export function hasImage(data: Readonly<Record<string, unknown>>): boolean {
  return IMAGE_TYPES.some(mime => mime in data);
}

export interface IRedrawnImage {
  readonly blob: Blob;
  readonly width: number;
  readonly height: number;
}

export interface IImageLimits {
  /** The maximum width and height, in pixels. */
  readonly side: number;
  readonly bytes: number;
}

/** Draw an image within the limits; null if it can't be read or stays too large. */
export async function redrawImage(
  image: IImage,
  limits: IImageLimits
): Promise<IRedrawnImage | null> {
  try {
    const bytes = Uint8Array.from(atob(image.base64), char =>
      char.charCodeAt(0)
    );
    const bitmap = await createImageBitmap(
      new Blob([bytes], { type: image.mime })
    );
    const longest = Math.max(bitmap.width, bitmap.height);
    const scale = Math.min(1, limits.side / longest);
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    const context = canvas.getContext('2d');
    if (!context) {
      return null;
    }
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    for (const [type, quality] of FORMATS) {
      const blob = await new Promise<Blob | null>(resolve =>
        canvas.toBlob(resolve, type, quality)
      );
      if (blob && blob.size <= limits.bytes) {
        return { blob, width: canvas.width, height: canvas.height };
      }
    }
  } catch {
    // The data isn't an image, despite its type.
  }
  return null;
}

/**
 * The types to try, with their quality. PNG shows plots most sharply; JPEG is smaller for
 * photographs.
 */
const FORMATS: readonly (readonly [string, number?])[] = [
  ['image/png'],
  ['image/jpeg', 0.8]
];
