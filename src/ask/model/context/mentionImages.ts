/**
 * Prepares the images of mentioned cells for a request: draws them again, so that they are small
 * enough for a model and contain no hidden data.
 */
import type { Mention } from '../../../api/types';
import type { IImage } from '../../../cells/plots/images';
import { redrawImage } from '../../../cells/plots/redrawnImage';
import type { IMention } from './mentions';

/** The maximum number of images in a request: the limit of the HTTP API. */
const MAX_IMAGES = 2;
/** The maximum number of omitted images that a request counts: the limit of the HTTP API. */
const MAX_OMITTED = 1000;
/** Models scale larger images down themselves. The number of bytes is the limit of the HTTP API. */
const LIMITS = { side: 1568, bytes: 500_000 };

/** Return the mentions as they are sent, with their images. */
export async function withImages(
  mentions: readonly IMention[]
): Promise<Mention[]> {
  const prepared: Mention[] = [];
  let room = MAX_IMAGES;
  for (const { plots = [], sharesPlots, ...mention } of mentions) {
    // The text was shared with a model that doesn't see images. Another model gets no more.
    const isTextOnly = mention.shared && !sharesPlots;
    const drawable = isTextOnly ? [] : plots.slice(0, room);
    const drawn = await Promise.all(drawable.map(toBase64));
    const images = drawn.flatMap(data => (data ? [{ data }] : []));
    const omittedImages = Math.min(MAX_OMITTED, plots.length - images.length);
    room -= images.length;
    prepared.push({
      ...mention,
      ...(images.length && { images }),
      ...(omittedImages && { omittedImages })
    });
  }
  return prepared;
}

/** Return an image in base64; null if it can't be read or is too large. */
async function toBase64(image: IImage): Promise<string | null> {
  const redrawn = await redrawImage(image, LIMITS);
  if (!redrawn) {
    return null;
  }
  const bytes = new Uint8Array(await redrawn.blob.arrayBuffer());
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}
