/**
 * Draws images of outputs again, in order to limit their sizes.
 *
 * Invariant: even a small image is drawn and encoded again, never copied. So the result contains no
 * hidden data of the original file, such as GPS coordinates or an appended archive.
 */
import type { IImage } from './images';

export interface IRedrawnImage {
  readonly blob: Blob;
  readonly width: number;
  readonly height: number;
}

export interface IImageLimits {
  /** The maximum width and the maximum height, in pixels. */
  readonly side: number;
  readonly bytes: number;
}

/** Draw an image within the limits. Return null if it can't be read or would still be too large. */
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
 * The types to try, in this order, each with its quality. PNG comes first because it shows plots
 * most sharply. If the PNG is too large, as it can be for a photograph, JPEG is smaller.
 */
const FORMATS: readonly (readonly [string, number?])[] = [
  ['image/png'],
  ['image/jpeg', 0.8]
];
