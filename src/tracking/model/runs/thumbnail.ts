/**
 * Makes a picture small.
 *
 * What must hold: what comes out is a plain picture of at most 320 pixels a side, drawn anew, so
 * that nothing that was hidden in the file (where it was made, an appended archive) goes along.
 */
import type { IPicture } from './outputs';

const MOST_PIXELS = 320;
/** What the server takes. */
const MOST_BYTES = 256 * 1024;

export interface IThumbnail {
  readonly blob: Blob;
  readonly width: number;
  readonly height: number;
}

/** A small copy; null where the picture can't be read, or not be made small enough. */
export async function thumbnail(picture: IPicture): Promise<IThumbnail | null> {
  try {
    const bytes = Uint8Array.from(atob(picture.base64), char =>
      char.charCodeAt(0)
    );
    const bitmap = await createImageBitmap(
      new Blob([bytes], { type: picture.mime })
    );
    const scale = Math.min(
      1,
      MOST_PIXELS / Math.max(bitmap.width, bitmap.height)
    );
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
    for (const [type, quality] of KINDS) {
      const blob = await new Promise<Blob | null>(resolve =>
        canvas.toBlob(resolve, type, quality)
      );
      if (blob && blob.size <= MOST_BYTES) {
        return { blob, width: canvas.width, height: canvas.height };
      }
    }
  } catch {
    // No picture, whatever it says it is.
  }
  return null;
}

/** A plot is sharpest as PNG; a photograph would be too large. */
const KINDS: readonly (readonly [string, number?])[] = [
  ['image/png'],
  ['image/jpeg', 0.8]
];
