import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { fingerprint } from './kit/http/fingerprint.ts';
import { form, gif, noise, type Part, picture, png, upload, zeros } from './kit/http/images.ts';
import { rawRequest } from './kit/http/raw-http.ts';
import { startProcess } from './kit/processes/process.ts';
import { withinOneMinute } from './kit/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'croupier-uploads-'));
let good: Buffer;
const app = fixture(() => startApp({ env: { DATA_DIR: folder } }));
const player = fixture(() => app.newPlayer());
beforeAll(async () => {
  good = await picture(300, 200).png().toBuffer();
  writeFileSync(join(folder, 'seed-secret'), 'canary of a secret');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const send = (parts: readonly Part[], options = {}) => player.call('PATCH', '/user/me', form(parts, options));
const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();
/** Lists everything below DATA_DIR, to detect unexpected files. */
const onDisk = () =>
  (readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith('.webp'));
const storedBytes = (url: string) => readFileSync(join(folder, new URL(url).pathname));

describe('uploads', () => {
  test('rejects everything except small pictures, without storing anything', async () => {
    await upload(player, good);
    const [rows, files] = [await fingerprint(app.db), onDisk()];
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const wrongMagic = Buffer.from(good).fill(0x51, 1, 2);
    const cases: [string, Buffer | string, string][] = [
      [
        '14,000² pixels',
        await picture(14_000, 14_000, '#fff').png({ compressionLevel: 9 }).toBuffer(),
        '400 IMAGE_INVALID',
      ],
      ['a canvas of 65,535²', gif(65_535, 65_535, 3), '400 IMAGE_INVALID'],
      ['SVG', svg, '400 IMAGE_INVALID'],
      ['SVG as PNG', `\x89PNG\r\n\x1a\n${svg}`, '400 IMAGE_INVALID'],
      ['wrong magic', wrongMagic, '400 IMAGE_INVALID'],
      ['half a PNG', good.subarray(0, good.length / 2), '400 IMAGE_INVALID'],
      ['empty', '', '400 IMAGE_INVALID'],
      ['a zip', 'PK\x03\x04aaaa', '400 IMAGE_INVALID'],
      ['more than 2 MiB', Buffer.alloc(2 * 1024 * 1024 + 1), '413 PAYLOAD_TOO_LARGE'],
      ['10 MiB', Buffer.alloc(10 * 1024 * 1024), '413 PAYLOAD_TOO_LARGE'],
    ];
    for (const [name, bytes, code] of cases)
      for (const filename of ['me.png', 'me.svg'])
        expect(codeOf(await send([{ bytes, filename, type: 'image/png' }])), name).toBe(code);
    expect(await fingerprint(app.db)).toEqual(rows);
    expect(new Set(onDisk())).toEqual(new Set(files));
  }, 240_000);

  test('rejects two files, extra fields, other names and truncated bodies with 400 and stores nothing', async () => {
    const file = { bytes: good, filename: 'me.png' };
    const [rows, files] = [await fingerprint(app.db), onDisk()];
    for (const parts of [
      [file, file],
      [file, { name: 'isPrivate', bytes: 'true' }],
      [{ name: 'roles', bytes: 'SUPERADMIN' }, file],
      [{ ...file, name: 'avatar' }],
    ])
      expect(codeOf(await send(parts))).toBe('400 VALIDATION_FAILED');
    for (const end of ['', '--frontier'])
      expect(codeOf(await send([file], { end }))).toBe('400 VALIDATION_FAILED');
    expect(await fingerprint(app.db)).toEqual(rows);
    expect(new Set(onDisk())).toEqual(new Set(files));
  });

  test("ignores the uploaded file's name when it chooses the path and type", async () => {
    for (const filename of [
      '../../seed-secret',
      '..\\..\\x.png',
      '/etc/passwd',
      'x.html',
      '%2e%2e%2fx',
      '',
      'a.webp\r\n',
    ]) {
      const { status, body } = await send([{ bytes: good, filename, type: 'text/html' }]);
      expect(status, filename).toBe(200);
      expect(new URL(body.avatar).pathname).toMatch(/^\/files\/avatars\/[\w-]{22}\.webp$/);
    }
    expect(onDisk().every((name) => /^files\/avatars\/[\w-]{22}\.webp$/.test(name))).toBe(true);
    expect(readFileSync(join(folder, 'seed-secret'), 'utf8')).toBe('canary of a secret');
  });

  test('re-encodes the picture, without scripts, location or camera data', async () => {
    const script = '<html><script>alert(1)</script></html>';
    const tagged = png(100, 100, [
      ['tEXt', Buffer.from(`Comment\0${script}`)],
      ['IDAT', zeros(101 * 100)],
    ]);
    const photo = await picture(600, 400)
      .jpeg()
      .withExif({ IFD0: { Make: 'canary' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 2/1' } })
      .toBuffer();
    for (const bytes of [Buffer.concat([tagged, Buffer.from(script)]), photo]) {
      const { body } = await upload(player, bytes);
      const stored = storedBytes(body.avatar);
      expect(stored.toString('latin1')).not.toMatch(/script|canary/);
      const { format, width, height, exif } = await sharp(stored).metadata();
      expect([format, width, height, exif]).toEqual(['webp', 256, 256, undefined]);
    }
  });

  test('uses less than 200 MB for 100 concurrent files and decompression bombs, and keeps the service responsive', async () => {
    const service = await startProcess({
      APP_ENV: 'test',
      ALLOW_UNSAFE_DATABASE: 'true',
      DATABASE_URL: app.database.url,
      DATA_DIR: folder,
      // Upload limits are off, so that one user can simulate a hundred users with one file each.
      RATE_LIMIT_UPLOAD: '0',
      USER_CALLS_AT_ONCE: '0',
      MALLOC_ARENA_MAX: '2',
      JWT_SECRET: app.config.JWT_SECRET,
      SEED_SECRET: app.config.SEED_SECRET,
      DATA_SECRET: app.config.DATA_SECRET,
    });
    const headers = { authorization: `Bearer ${player.token}` };
    const put = (bytes: Buffer) => {
      const { raw, headers: type } = form([{ bytes, filename: 'me.png' }]);
      return rawRequest(service.url!, 'PATCH', '/user/me', { headers: { ...headers, ...type }, body: raw });
    };
    const heavy = await noise(820, 820).png().toBuffer();
    expect(heavy.length).toBeGreaterThan(1.8e6);
    const large = await picture(4000, 4000).png({ progressive: true }).toBuffer();
    const bomb = zeros(256 * 1024 * 1024);
    const bombs = [
      png(100, 100, [['IDAT', bomb]]),
      png(100, 100, [
        ['zTXt', Buffer.concat([Buffer.from('Comment\0\0'), bomb])],
        ['IDAT', zeros(101 * 100)],
      ]),
      gif(4000, 4000, 100_000),
    ];
    try {
      expect((await put(good)).status).toBe(200);
      const before = peakOf(service.pid);
      for (const bytes of bombs) expect([200, 400]).toContain((await put(bytes)).status);
      const all = await Promise.all(Array.from({ length: 100 }, (_, i) => put(i % 10 === 0 ? large : heavy)));
      const count = (status: number) => all.filter((answer) => answer.status === status).length;
      expect(count(200)).toBeGreaterThanOrEqual(16);
      expect(count(200) + count(503)).toBe(100);
      if (before !== undefined) expect(peakOf(service.pid)! - before).toBeLessThan(200e6);
      expect((await put(good)).status).toBe(200);
    } finally {
      expect(await service.end()).toBe(0);
    }
  }, 240_000);
});

/** Returns the peak memory of a process in bytes, or undefined if the system does not report it. */
function peakOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

describe('stored files', () => {
  const get = (path: string) => rawRequest(app.url, 'GET', path);

  test('serves a stored file at one address, and returns 404 for every other path', async () => {
    const { body } = await upload(player, good);
    const path = new URL(body.avatar).pathname;
    const name = path.split('/').at(-1)!;
    expect((await get(path)).status).toBe(200);
    const secret = '../../seed-secret';
    const elsewhere = [
      secret,
      `../${secret}`,
      `avatars/../${secret}`,
      'avatars/../../seed-secret',
      'avatars/..%2f..%2fseed-secret',
      'avatars%2f..%2f..%2fseed-secret',
      '..%2fseed-secret',
      '..%5c..%5cseed-secret',
      '%2e%2e/%2e%2e/seed-secret',
      '%252e%252e%252fseed-secret',
      'avatars/%c0%ae%c0%ae%c0%afseed-secret',
      'avatars/....//seed-secret',
      'avatars/.webp',
      'avatars/..webp',
      'avatars/',
      '',
      'avatars',
      'avatars/%00.webp',
      `avatars/${name}/`,
      `avatars//${name}`,
      `avatars/./${name}`,
      `avatars%2f${name}`,
      `avatars/${name}%00`,
      `avatars/${name}?v=1`,
      `avatars/${name}%20`,
      `avatars/${name};x`,
      `AVATARS/${name}`,
      `%61vatars/${name}`,
      `avatars/${name.slice(0, -5)}`,
      `avatars/${name.replace('.webp', '%2ewebp')}`,
      `avatars/${name}.webp`,
      `avatars/${name}%0d%0aset-cookie:x=1`,
      `avatars/%0d%0a%0d%0a${name}`,
      `constructor/${name}`,
      `__proto__/${name}`,
      `avatars/${'a'.repeat(10_000)}.webp`,
      `${'../'.repeat(3000)}etc/passwd`,
    ];
    for (const one of elsewhere) {
      const answer = await get(`/files/${one}`);
      expect(`${answer.status} ${answer.body?.code}`, one).toBe('404 NOT_FOUND');
      expect(answer.text).not.toContain('canary');
      expect(answer.headers.get('set-cookie')).toBeNull();
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    expect((await get(`/files/avatars/${'A'.repeat(22)}.webp`)).body.code).toBe('NOT_FOUND');
    expect((await get(`/files/avatars/${'a'.repeat(20_000)}`)).status).toBe(431);
  });

  test('allows clients to read stored files but not to write or list them', async () => {
    const { body } = await upload(player, good);
    const { pathname } = new URL(body.avatar);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await rawRequest(app.url, method, pathname)).status, method).toBe(405);
    const file = await get(pathname);
    const head = await rawRequest(app.url, 'HEAD', pathname);
    expect([file.status, head.status, head.text]).toEqual([200, 200, '']);
    expect(head.headers.get('content-length')).toBe(file.headers.get('content-length'));
  });

  test('counts file requests towards the public limit of the address, except in the backoffice or with a bucket', async () => {
    const { body } = await upload(player, good);
    const { pathname } = new URL(body.avatar);
    const env = { DATA_DIR: folder, RATE_LIMIT_FILE: '2' };
    const limited = await startApp({ database: app.database, env });
    const backoffice = await startApp({
      part: 'backoffice',
      database: app.database,
      env: { DATA_DIR: folder },
    });
    const bucket = { FILE_STORAGE: 's3', S3_BUCKET: 'b', FILES_URL: 'https://cdn.example' };
    const distant = await startApp({ database: app.database, env: { DATA_DIR: folder, ...bucket } });
    const from = `127.${randomInt(20, 250)}.${randomInt(250)}.1`;
    await withinOneMinute();
    const seen = [];
    for (let i = 0; i < 3; i++) seen.push((await rawRequest(limited.url, 'GET', pathname, { from })).status);
    expect(seen).toEqual([200, 200, 429]);
    for (const other of [backoffice, distant]) expect((await other.call('GET', pathname)).status).toBe(404);
    for (const one of [limited, backoffice, distant]) await one.stop();
  });
});
