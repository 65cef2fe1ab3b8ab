import type { Metadata } from 'sharp';
import { AppError, commonErrors } from '../errors.ts';
import { createConcurrencyLimit } from '../limits/concurrency-limit.ts';

export type ImageSize = {
  /** Maximum number of pixels in an uploaded image. */
  maxPixels: number;
  /** The stored size. Images are scaled to it and cropped to its aspect ratio. */
  width: number;
  height: number;
  /** Disables cropping. Larger images are scaled down to fit. Smaller images keep their size. */
  isWhole?: boolean;
};

const QUALITY = 82;
const TIMEOUT_SECONDS = 10;

/** Formats detected from the bytes, never from the type that the client states. SVG is excluded because it can contain scripts. */
const LOADERS: Readonly<Record<string, string>> = {
  'image/png': 'VipsForeignLoadPngBuffer',
  'image/jpeg': 'VipsForeignLoadJpegBuffer',
  'image/webp': 'VipsForeignLoadWebpBuffer',
  'image/gif': 'VipsForeignLoadNsgifBuffer',
};

/** Bytes of memory for each pixel of a decoded image: four channels of 8 bits. */
const BYTES_A_PIXEL = 4;
/** Images that need more memory than this are decoded one at a time. */
const LARGE_BYTES = 4 * 1024 * 1024;
const inTurn = createConcurrencyLimit({ concurrency: 2, queue: 32 });
const alone = createConcurrencyLimit({ concurrency: 1, queue: 32 });

/**
 * Converts the picture in `bytes` to a new WebP: its first frame, upright, without metadata or other embedded data. Throws 400
 * IMAGE_INVALID unless `bytes` is a complete PNG, JPEG, WebP or GIF of at most `maxPixels`. Throws 503 if too many callers are waiting.
 */
export function toWebp(
  bytes: Uint8Array,
  { maxPixels, width, height, isWhole = false }: ImageSize,
): Promise<Buffer> {
  return inTurn(async () => {
    // The library is loaded with the first image, because most processes never process one.
    libraries ??= load();
    const { sharp, fileTypeFromBuffer } = await libraries;
    const type = await fileTypeFromBuffer(bytes).catch(() => undefined);
    if (!type || !Object.hasOwn(LOADERS, type.mime))
      throw commonErrors.IMAGE_INVALID({ reason: 'It is not a PNG, JPEG, WebP or GIF.' });
    try {
      const image = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'warning', animated: false });
      const decoded = decodedBytes(await image.metadata());
      if (decoded > maxPixels * BYTES_A_PIXEL) throw tooManyPixels(maxPixels);
      const drawn = image
        .autoOrient()
        .resize(width, height, { fit: isWhole ? 'inside' : 'cover', withoutEnlargement: isWhole })
        .webp({ quality: QUALITY })
        .timeout({ seconds: TIMEOUT_SECONDS });
      return await (decoded > LARGE_BYTES ? alone(() => drawn.toBuffer()) : drawn.toBuffer());
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (/pixel limit/.test((error as Error).message)) throw tooManyPixels(maxPixels);
      throw commonErrors.IMAGE_INVALID({ reason: 'It is damaged.' });
    }
  });
}

function decodedBytes({ width, height, channels, depth }: Metadata): number {
  return width * height * channels * (depth === 'ushort' ? 2 : 1);
}

const tooManyPixels = (maxPixels: number) =>
  commonErrors.IMAGE_INVALID({ reason: 'It has too many pixels.', maxPixels });

let libraries: ReturnType<typeof load> | undefined;

async function load() {
  const [{ default: sharp }, { fileTypeFromBuffer }] = await Promise.all([
    import('sharp'),
    import('file-type'),
  ]);
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: Object.values(LOADERS) });
  return { sharp, fileTypeFromBuffer };
}
