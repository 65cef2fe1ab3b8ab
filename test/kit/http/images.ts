import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import type { Answer, Player } from '../app.ts';

export type Part = { name?: string; filename?: string | undefined; type?: string; bytes: Buffer | string };

/** Builds a multipart/form-data body from exactly these parts, including their file names. `end` replaces the last boundary. */
export function form(parts: readonly Part[], { end = '--frontier--\r\n' } = {}) {
  const lines = parts.flatMap(({ name = 'image', filename, type = 'image/png', bytes }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const head = `--frontier\r\nContent-Disposition: form-data; name="${name}"${file}\r\n`;
    return [`${head}${file ? `Content-Type: ${type}\r\n` : ''}\r\n`, bytes, '\r\n'];
  });
  return {
    headers: { 'content-type': 'multipart/form-data; boundary=frontier' },
    raw: Buffer.concat([...lines, end].map((piece) => Buffer.from(piece as string))),
  };
}

/** Uploads one file as a browser does. */
export const upload = (player: Player, bytes: Buffer | string, filename = 'me.png'): Promise<Answer> =>
  player.call('PATCH', '/user/me', form([{ bytes, filename }]));

/** Creates a single-colour picture. */
export const picture = (width: number, height: number, background = '#e07020') =>
  sharp({ create: { width, height, channels: 3, background } });

/** Creates a picture that cannot be compressed: about 3 bytes per pixel as PNG. */
export const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#000',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  });

/** Assembles a PNG from raw chunks. Libraries would not write such a file. */
export function png(width: number, height: number, chunks: readonly [type: string, data: Buffer][]): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const all: readonly [string, Buffer][] = [['IHDR', head], ...chunks, ['IEND', Buffer.alloc(0)]];
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    ...all.map(([type, data]) => chunk(type, data)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Returns compressed zeros, which are a thousand times larger when decompressed. */
export const zeros = (bytes: number): Buffer => deflateSync(Buffer.alloc(bytes), { level: 9 });

/** Creates a GIF with this number of frames of the given size. Each frame has the data of only one pixel. */
export function gif(width: number, height: number, frames: number): Buffer {
  const canvas = Buffer.alloc(7);
  canvas.writeUInt16LE(width, 0);
  canvas.writeUInt16LE(height, 2);
  canvas[4] = 0x80;
  const colours = Buffer.from([0, 0, 0, 255, 255, 255]);
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, ...canvas.subarray(0, 4), 0, 2, 2, 0x44, 1, 0]);
  const all = Array.from({ length: frames }, () => frame);
  return Buffer.concat([Buffer.from('GIF89a'), canvas, colours, ...all, Buffer.from(';')]);
}
