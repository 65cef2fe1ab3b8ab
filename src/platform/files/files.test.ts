import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// @ts-expect-error: it ships no types
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { createLog, silentLog } from '../observability/log.ts';
import { createFiles, type Files, newPictureId } from './files.ts';

const folder = mkdtempSync(join(tmpdir(), 'croupier-files-'));
const bytes = Buffer.from('RIFF    WEBPVP8 ');
const NAME = /^avatars\/[\w-]{22}\.webp$/;
const filesWith = (env: Record<string, string>, log = silentLog) =>
  createFiles({ config: loadConfig({ APP_ENV: 'test', DATA_DIR: folder, ...env }), log });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function namesAreOurs(files: Files): Promise<void> {
  const names = await Promise.all(Array.from({ length: 20 }, () => files.put(bytes)));
  for (const name of names) expect(name).toMatch(NAME);
  expect(new Set(names).size).toBe(20);
}

describe('storage on disk', () => {
  const files = filesWith({ PUBLIC_API_URL: 'https://api.example/' });

  test('stores a file under a generated name, reads it and removes it', async () => {
    await namesAreOurs(files);
    const name = await files.put(bytes);
    expect(readdirSync(join(folder, 'files', 'avatars'))).toContain(name.slice('avatars/'.length));
    expect(Buffer.from((await files.read(name))!)).toEqual(bytes);
    await files.forget(files.urlOf(name));
    expect(await files.read(name)).toBeUndefined();
    await files.forget(files.urlOf(name));
  });

  test('removes a file only by its URL', async () => {
    const name = await files.put(bytes);
    const url = files.urlOf(name);
    expect(url).toBe(`https://api.example/files/${name}`);
    for (const other of [
      null,
      '',
      name,
      `${url}?`,
      `https://evil.example/files/${name}`,
      `https://api.example/files/../${name}`,
      `${url}/x`,
      'https://api.example/files/avatars/../../x.webp',
    ])
      await files.forget(other);
    expect(await files.read(name)).toBeDefined();
    await files.forget(url);
    expect(await files.read(name)).toBeUndefined();
  });

  test('stores private pictures in a separate folder, and removes them idempotently', async () => {
    const id = newPictureId();
    expect(id).toMatch(/^[\w-]{22}$/);
    await files.private.put(id, bytes);
    expect(readdirSync(join(folder, 'files', 'private'))).toEqual([`${id}.webp`]);
    expect(Buffer.from((await files.private.read(id))!)).toEqual(bytes);
    expect(await files.read(`private/${id}.webp`)).toBeUndefined();
    await files.forget(files.urlOf(`private/${id}.webp`));
    expect(await files.private.read(id)).toBeDefined();
    await files.private.remove(id);
    expect(await files.private.read(id)).toBeUndefined();
    await files.private.remove(id);
  });

  test("hides private pictures from the machine's other users, including pictures that an earlier version stored", async () => {
    const data = mkdtempSync(join(tmpdir(), 'croupier-private-'));
    const hidden = join(data, 'files', 'private');
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    try {
      mkdirSync(hidden, { recursive: true, mode: 0o755 });
      const outside = join(data, 'outside');
      for (const path of [outside, join(hidden, 'earlier.webp')]) writeFileSync(path, 'x', { mode: 0o644 });
      chmodSync(hidden, 0o755);
      symlinkSync(outside, join(hidden, 'planted.webp'));
      const own = filesWith({ DATA_DIR: data });
      const id = newPictureId();
      await own.private.put(id, bytes);
      expect(modeOf(hidden)).toBe('700');
      expect(modeOf(join(hidden, `${id}.webp`))).toBe('600');
      expect(modeOf(join(hidden, 'earlier.webp'))).toBe('600');
      expect(modeOf(outside)).toBe('644');
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });

  test('never reads or removes a file outside its folder', async () => {
    const secret = join(folder, 'seed-secret');
    writeFileSync(secret, 'x');
    for (const name of [
      '../seed-secret',
      'avatars/../../seed-secret',
      '/etc/passwd',
      'avatars/..%2f..%2fseed-secret',
      secret,
      '',
    ]) {
      expect(await files.read(name)).toBeUndefined();
      await files.forget(files.urlOf(name));
    }
    expect(existsSync(secret)).toBe(true);
  });
});

describe('storage in a bucket', () => {
  let server: { run(): Promise<AddressInfo>; close(): Promise<void> };
  let files: Files;
  let endpoint: string;
  const bucketFolder = mkdtempSync(join(tmpdir(), 'croupier-bucket-'));
  beforeAll(async () => {
    const options = { port: 0, address: '127.0.0.1', silent: true, directory: bucketFolder };
    server = new S3rver({ ...options, configureBuckets: [{ name: 'pictures' }] });
    endpoint = `http://127.0.0.1:${(await server.run()).port}`;
    files = filesWith({
      FILE_STORAGE: 's3',
      FILES_URL: `${endpoint}/pictures`,
      S3_BUCKET: 'pictures',
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    });
  });
  afterAll(async () => {
    await server.close();
    rmSync(bucketFolder, { recursive: true, force: true });
  });

  test('stores a cacheable file at its URL and removes it', async () => {
    await namesAreOurs(files);
    const name = await files.put(bytes);
    expect(files.urlOf(name)).toBe(`${endpoint}/pictures/${name}`);
    const answer = await fetch(files.urlOf(name));
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
    expect(answer.headers.get('content-type')).toBe('image/webp');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    await files.forget(files.urlOf(name));
    expect((await fetch(files.urlOf(name))).status).toBe(404);
    await files.forget(files.urlOf(name));
  });

  test('stores private pictures without caching, and removes them idempotently', async () => {
    const id = newPictureId();
    await files.private.put(id, bytes);
    const stored = await fetch(files.urlOf(`private/${id}.webp`));
    expect(stored.headers.get('cache-control')).toBe('private, no-store');
    expect(Buffer.from((await files.private.read(id))!)).toEqual(bytes);
    await files.private.remove(id);
    expect(await files.private.read(id)).toBeUndefined();
    await files.private.remove(id);
  });
});

test('returns 503 and logs no key when the bucket does not respond', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  const lines: string[] = [];
  const log = createLog({
    level: 'warn',
    service: 'test',
    destination: { write: (line) => void lines.push(line) },
  });
  const url = `http://127.0.0.1:${port}`;
  const keys = { S3_ACCESS_KEY_ID: 'canary-key', S3_SECRET_ACCESS_KEY: 'canary-secret' };
  const files = filesWith(
    { FILE_STORAGE: 's3', FILES_URL: url, S3_BUCKET: 'b', S3_ENDPOINT: url, ...keys },
    log,
  );
  await expect(files.put(bytes)).rejects.toMatchObject({
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
  });
  await files.forget(`${url}/avatars/${'x'.repeat(22)}.webp`);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('a file could not be stored');
  expect(lines[1]).toContain('could not delete an unused file');
  expect(lines.join()).not.toMatch(/canary/);
});
