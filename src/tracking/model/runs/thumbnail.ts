/**
 * Creates thumbnails of images in outputs. The sides of a thumbnail are at most 320 pixels long.
 *
 * Invariant: even a small image is drawn and encoded again, never copied. So a thumbnail contains
 * no hidden data of the original file, such as GPS coordinates or an appended archive.
 */
import type { IImage } from './outputs';

/** The maximum width and the maximum height of a thumbnail, in pixels. */
const MAX_SIDE = 320;
/** The maximum size of a blob that the server accepts, in bytes. */
const MAX_BYTES = 256 * 1024;

export interface IThumbnail {
  readonly blob: Blob;
  readonly width: number;
  readonly height: number;
}

/**
 * Create a thumbnail. Return null if the image can't be read, or if the thumbnail is too large for
 * a blob.
 */
export async function createThumbnail(
  image: IImage
): Promise<IThumbnail | null> {
  try {
    const bytes = Uint8Array.from(atob(image.base64), char =>
      char.charCodeAt(0)
    );
    const bitmap = await createImageBitmap(
      new Blob([bytes], { type: image.mime })
    );
    const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
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
      if (blob && blob.size <= MAX_BYTES) {
        return { blob, width: canvas.width, height: canvas.height };
      }
    }
  } catch {
    // The data isn't an image, despite its type.
  }
  return null;
}

/**
 * The types of thumbnails to try, in this order, each with its quality. PNG comes first because it
 * shows plots most sharply. If the PNG is too large for a blob, as it can be for a photograph, the
 * thumbnail is stored as JPEG.
 */
const FORMATS: readonly (readonly [string, number?])[] = [
  ['image/png'],
  ['image/jpeg', 0.8]
];
