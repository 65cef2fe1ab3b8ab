import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { gif, picture, png, zeros } from '../../../test/kit/http/images.ts';
import { toWebp } from './images.ts';

const SIZE = { maxPixels: 16_000_000, width: 256, height: 256 };
const FORM = { format: 'webp', width: 256, height: 256 };
const draw = (bytes: Buffer) => toWebp(bytes, SIZE);
const formOf = async (bytes: Buffer) => {
  const { format, width, height, pages } = await sharp(bytes).metadata();
  return { format, width, height, ...(pages === undefined ? {} : { pages }) };
};
const refusalOf = (bytes: Buffer) =>
  draw(bytes).then(
    () => 'taken',
    ({ status, code, details }) => `${status} ${code} ${details.reason}`,
  );
const NO_IMAGE = '400 IMAGE_INVALID It is not a PNG, JPEG, WebP or GIF.';
const TOO_LARGE = '400 IMAGE_INVALID It has too many pixels.';
const DAMAGED = '400 IMAGE_INVALID It is damaged.';

test.each(['png', 'jpeg', 'webp', 'gif'] as const)(
  'converts a picture in %s to WebP of the requested size',
  async (format) => {
    for (const [width, height] of [
      [3000, 2000],
      [10, 10],
      [1, 4000],
      [256, 256],
    ] as const)
      expect(await formOf(await draw(await picture(width, height)[format]().toBuffer()))).toEqual(FORM);
  },
);

test('crops the sides of a wide picture and keeps the middle', async () => {
  const left = await picture(300, 300, '#ff0000').png().toBuffer();
  const middle = await picture(900, 300, '#0000ff')
    .composite([{ input: left, left: 0, top: 0 }])
    .png()
    .toBuffer();
  const { dominant } = await sharp(await draw(middle)).stats();
  expect(dominant.b).toBeGreaterThan(200);
  expect(dominant.r).toBeLessThan(60);
});

test('scales a whole picture down to fit, but never scales it up', async () => {
  const whole = async (width: number, height: number) => {
    const bytes = await picture(width, height).png().toBuffer();
    const shown = await formOf(await toWebp(bytes, { ...SIZE, isWhole: true }));
    return [shown.width, shown.height];
  };
  expect(await whole(1024, 512)).toEqual([256, 128]);
  expect(await whole(300, 1200)).toEqual([64, 256]);
  expect(await whole(256, 10)).toEqual([256, 10]);
  expect(await whole(20, 30)).toEqual([20, 30]);
});

test('rotates a picture upright according to its camera orientation', async () => {
  const top = await picture(400, 200, '#ff0000').png().toBuffer();
  const turned = await picture(400, 400, '#0000ff')
    .composite([{ input: top, left: 0, top: 0 }])
    .jpeg()
    .withMetadata({ orientation: 3 })
    .toBuffer();
  const { data, info } = await sharp(await draw(turned))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const [first, last] = [data[2]!, data[data.length - info.channels + 2]!];
  expect(first).toBeGreaterThan(200);
  expect(last).toBeLessThan(60);
});

describe('uploads', () => {
  test('removes location, camera, profiles and comments', async () => {
    const canary = 'canary-51.5007N';
    const photo = await picture(600, 400)
      .jpeg()
      .withExif({
        IFD0: { Make: canary, Copyright: canary },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 2/1' },
      })
      .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${canary}</x:xmpmeta>`)
      .withIccProfile('p3')
      .toBuffer();
    expect(photo.includes(canary)).toBe(true);
    expect((await sharp(photo).metadata()).exif).toBeDefined();
    const drawn = await draw(photo);
    const { exif, icc, xmp, iptc, orientation, comments } = await sharp(drawn).metadata();
    expect([exif, icc, xmp, iptc, orientation, comments]).toEqual(Array(6).fill(undefined));
    expect(drawn.includes(canary)).toBe(false);
  });

  test('keeps only the picture of a PNG that is also an HTML page', async () => {
    const script = '<html><script>alert(document.cookie)</script></html>';
    const row = zeros(101 * 100);
    const text = Buffer.from(`Comment\0${script}`);
    const polyglot = Buffer.concat([
      png(100, 100, [
        ['tEXt', text],
        ['IDAT', row],
      ]),
      Buffer.from(script),
    ]);
    const drawn = await draw(polyglot);
    expect(await formOf(drawn)).toEqual(FORM);
    expect(drawn.includes('script')).toBe(false);
  });

  test('rejects 14,000² pixels of any format before decoding them', async () => {
    const large = await Promise.all([
      picture(14_000, 14_000).png().toBuffer(),
      picture(14_000, 14_000).jpeg().toBuffer(),
      picture(5000, 5000).webp({ effort: 0 }).toBuffer(),
      gif(65_535, 65_535, 1),
      png(60_000, 60_000, [['IDAT', zeros(1000)]]),
      png(2 ** 31 - 1, 1, [['IDAT', zeros(1000)]]),
    ]);
    for (const bytes of large) {
      const before = Date.now();
      expect([TOO_LARGE, DAMAGED]).toContain(await refusalOf(bytes));
      expect(Date.now() - before).toBeLessThan(3000);
    }
    expect(await refusalOf(large[0]!)).toBe(TOO_LARGE);
    expect(await refusalOf(await picture(4001, 4000).png().toBuffer())).toBe(TOO_LARGE);
    expect(await refusalOf(await picture(4000, 4000).png().toBuffer())).toBe('taken');
  });

  test('uses little memory and time for decompression bombs in small files', async () => {
    const bomb = zeros(256 * 1024 * 1024);
    await draw(await picture(10, 10).png().toBuffer());
    const before = process.memoryUsage().rss;
    const start = Date.now();
    const row = zeros(101 * 100);
    for (const bytes of [
      png(100, 100, [['IDAT', bomb]]),
      png(100, 100, [
        ['zTXt', Buffer.concat([Buffer.from('Comment\0\0'), bomb])],
        ['IDAT', row],
      ]),
      png(100, 100, [
        ['iCCP', Buffer.concat([Buffer.from('profile\0\0'), bomb])],
        ['IDAT', row],
      ]),
      gif(4000, 4000, 100_000),
    ])
      expect(['taken', DAMAGED]).toContain(await refusalOf(bytes));
    expect(process.memoryUsage().rss - before).toBeLessThan(150e6);
    expect(Date.now() - start).toBeLessThan(20_000);
  });

  test('rejects SVG and all other files that are not pictures, whatever their declared type', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';
    const good = await picture(50, 50).png().toBuffer();
    const wrongMagic = Buffer.from(good);
    wrongMagic[1] = 0x51;
    for (const bytes of [
      svg,
      `<?xml version="1.0"?>${svg}`,
      `\ufeff\n<!-- GIF89a -->${svg}`,
      '',
      '\x89PNG',
      'not a picture',
      '<html></html>',
      '%PDF-1.7\n1 0 obj',
      'PK\x03\x04',
      '#!/bin/sh\n',
      await picture(50, 50).tiff().toBuffer(),
      await picture(50, 50).avif().toBuffer(),
      wrongMagic,
      Buffer.concat([Buffer.from('\n'), good]),
    ])
      expect(await refusalOf(Buffer.from(bytes as string))).toBe(NO_IMAGE);
  });

  test('rejects a truncated or damaged picture', async () => {
    for (const format of ['png', 'jpeg', 'webp', 'gif'] as const) {
      const whole = await picture(900, 900)
        .composite([{ input: await picture(90, 90, '#123456').png().toBuffer() }])
        [format]()
        .toBuffer();
      expect(await refusalOf(whole.subarray(0, whole.length / 2)), format).toMatch(/^400 IMAGE_INVALID/);
    }
    expect(await refusalOf(Buffer.from('GIF89a/*<script>*/=1;'))).toBe(DAMAGED);
  });
});

test('decodes a few pictures concurrently, queues more, and rejects pictures when the queue is full', async () => {
  const bytes = await picture(2000, 2000).png().toBuffer();
  const seen = await Promise.all(Array.from({ length: 60 }, () => refusalOf(bytes).catch((e) => e.code)));
  const taken = seen.filter((s) => s === 'taken').length;
  expect(taken).toBe(34);
  expect(seen.filter((s) => s.startsWith('503 SERVICE_UNAVAILABLE')).length).toBe(26);
  expect(await refusalOf(bytes)).toBe('taken');
});
