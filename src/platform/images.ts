import type { Metadata } from 'sharp';
import { createConcurrencyLimit } from './concurrency-limit.ts';
import { AppError, commonErrors } from './errors.ts';

export type ImageSize = {
  /** Most pixels that the uploaded image may have. */
  maxPixels: number;
  /** The size that is stored: images are scaled to it, and cropped where they are wider or higher. */
  width: number;
  height: number;
  /** Nothing is cropped: images that are larger are scaled down until they fit into it, others keep their size. */
  isWhole?: boolean;
};

const QUALITY = 82;
const TIMEOUT_SECONDS = 10;

/** Formats by what their bytes say, never by what a client calls them. Not SVG: it can hold scripts. */
const LOADERS: Readonly<Record<string, string>> = {
  'image/png': 'VipsForeignLoadPngBuffer',
  'image/jpeg': 'VipsForeignLoadJpegBuffer',
  'image/webp': 'VipsForeignLoadWebpBuffer',
  'image/gif': 'VipsForeignLoadNsgifBuffer',
};

/** Memory for each pixel while an image is decoded: 8 bits in four channels. */
const BYTES_A_PIXEL = 4;
/** Images that take more than this while they are decoded are decoded one at a time. */
const LARGE_BYTES = 4 * 1024 * 1024;
const inTurn = createConcurrencyLimit({ concurrency: 2, queue: 32 });
const alone = createConcurrencyLimit({ concurrency: 1, queue: 32 });

/**
 * The picture in `bytes`, drawn anew as WebP: its first frame, upright, without metadata or anything else that the file carried.
 * Throws 400 IMAGE_INVALID for what is not a whole PNG, JPEG, WebP or GIF of at most `maxPixels`, 503 when too many wait.
 */
export function toWebp(
  bytes: Uint8Array,
  { maxPixels, width, height, isWhole = false }: ImageSize,
): Promise<Buffer> {
  return inTurn(async () => {
    // With the first image: most processes never see one.
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
