import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { APPLICATION } from '../../../../test/kit/engagement/vip.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { form, gif, picture } from '../../../../test/kit/http/images.ts';
import { erase } from '../../backoffice/user-admin/erase.ts';
import { deleteImages } from './images.ts';

const folder = mkdtempSync(join(tmpdir(), 'croupier-vip-'));
let good: Buffer;
const app = fixture(() => startApp({ env: { DATA_DIR: folder } }));
const clerk = fixture(() => app.as({ permissions: ['vip.read', 'vip.approve'] }));
beforeAll(async () => {
  good = await picture(300, 200).png().toBuffer();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const onDisk = () =>
  (readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith('.webp'));
const applied = async (player: Player): Promise<string> =>
  (await player.call('POST', '/vip-application', { body: APPLICATION })).body.id;
const add = (player: Player, id: string, bytes: Buffer | string = good) =>
  player.call('POST', `/vip-application/${id}/image`, form([{ bytes, filename: 'proof.png' }]));
const applicant = async () => {
  const player = await app.newPlayer();
  return { player, id: await applied(player) };
};
/** Requests an image with or without a session. */
const open = async (url: string, token?: string) => {
  const response = await fetch(app.url + new URL(url).pathname, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
  });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
};
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const idIn = (url: string) => url.split('/').at(-1)!;

test('re-encodes an image as WebP with at most 2,000 pixels per side, uncropped and without metadata', async () => {
  const { player, id } = await applicant();
  const photo = await picture(3000, 1500)
    .jpeg()
    .withExif({ IFD0: { Make: 'canary' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 2/1' } })
    .toBuffer();
  const { status, body } = await add(player, id, photo);
  expect(status).toBe(201);
  expect(body.images).toHaveLength(1);
  const [url] = body.images;
  expect(url).toMatch(/\/vip-application\/image\/[\w-]{22}$/);
  const { bytes, headers } = await open(url, player.token);
  expect(headers.get('content-type')).toBe('image/webp');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('cross-origin-resource-policy')).toBe('same-site');
  expect(bytes.toString('latin1')).not.toContain('canary');
  const { format, width, height, exif } = await sharp(bytes).metadata();
  expect([format, width, height, exif]).toEqual(['webp', 2000, 1000, undefined]);
  // Small images keep their size.
  const small = (await add(player, id)).body.images[1];
  expect(await sharp((await open(small, player.token)).bytes).metadata()).toMatchObject({
    width: 300,
    height: 200,
  });
});

test('shows an image only to its owner and to staff with the permission, and not at a public URL', async () => {
  const { player, id } = await applicant();
  const [url] = (await add(player, id)).body.images;
  const { images } = (await clerk.call('GET', `/admin/vip-application/${id}`)).body;
  expect(images).toEqual([url.replace('/vip-application/', '/admin/vip-application/')]);
  expect((await open(images[0], clerk.token)).bytes).toEqual((await open(url, player.token)).bytes);
  const stranger = await app.newPlayer();
  const other = await app.as({ permissions: ['kyc.read'] });
  const statusOf = async (address: string, who?: Player) => (await open(address, who?.token)).status;
  expect(await statusOf(url, stranger)).toBe(404);
  expect(await statusOf(url, clerk)).toBe(404);
  expect(await statusOf(url)).toBe(401);
  for (const who of [player, stranger, other]) expect(await statusOf(images[0], who)).toBe(403);
  expect(await statusOf(images[0])).toBe(401);
  for (const folder of ['private', 'avatars', 'games'])
    for (const who of [undefined, player])
      expect(await statusOf(`${app.url}/files/${folder}/${idIn(url)}.webp`, who)).toBe(404);
  expect(onDisk()).toContain(`files/private/${idIn(url)}.webp`);
  const [audited] = await app.db
    .selectFrom('admin_audit')
    .select(['path', 'status_code'])
    .where('user_id', '=', clerk.id)
    .where('path', 'like', '%/image/%')
    .execute();
  expect(audited).toEqual({ path: new URL(images[0]).pathname, status_code: 200 });
});

test('rejects files that are not images and stores nothing', async () => {
  const { player, id } = await applicant();
  const before = onDisk();
  for (const bytes of [
    '',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    good.subarray(0, good.length / 2),
    gif(65_535, 65_535, 1),
  ])
    expect(codeOf(await add(player, id, bytes))).toBe('400 IMAGE_INVALID');
  expect(codeOf(await add(player, id, Buffer.alloc(2 * 1024 * 1024 + 1)))).toBe('413 PAYLOAD_TOO_LARGE');
  expect((await player.call('POST', `/vip-application/${id}/image`)).status).toBe(201);
  expect(onDisk()).toEqual(before);
  expect((await player.call('GET', '/vip-application')).body[0].images).toEqual([]);
});

test("accepts at most five images, even in concurrent uploads, and only for the player's own application before its review", async () => {
  const { player, id } = await applicant();
  const responses = await Promise.all(Array.from({ length: 12 }, () => add(player, id)));
  expect(responses.map(codeOf).sort()).toEqual([
    ...Array(5).fill('201'),
    ...Array(7).fill('409 VIP_APPLICATION_IMAGES_FULL'),
  ]);
  const [{ images }] = (await player.call('GET', '/vip-application')).body;
  expect(images).toHaveLength(5);
  for (const url of images) expect((await open(url, player.token)).status).toBe(200);

  const other = await applicant();
  expect(codeOf(await add(player, other.id))).toBe('404 VIP_APPLICATION_NOT_FOUND');
  for (const unknown of [crypto.randomUUID(), 'x'])
    expect(codeOf(await add(player, unknown))).toBe('404 VIP_APPLICATION_NOT_FOUND');
  await clerk.call('PATCH', `/admin/vip-application/${other.id}`, { body: { status: 'IN_REVIEW' } });
  expect(codeOf(await add(other.player, other.id))).toBe('409 VIP_APPLICATION_NOT_NEW');
});

test('deletes the images of a decided application after 180 days and keeps those of open applications', async () => {
  const [decided, undecided] = [await applicant(), await applicant()];
  const [url] = (await add(decided.player, decided.id)).body.images;
  const [kept] = (await add(undecided.player, undecided.id)).body.images;
  const body = { approve: false, reason: 'no' };
  await clerk.call('POST', `/admin/vip-application/${decided.id}/decision`, { body });
  const { delete_at } = await app.db
    .selectFrom('vip_application_images')
    .select('delete_at')
    .where('id', '=', idIn(url))
    .executeTakeFirstOrThrow();
  expect(Math.abs(delete_at!.getTime() - inDays(180).getTime())).toBeLessThan(60_000);
  await deleteImages(app.services);
  expect((await open(url, decided.player.token)).status).toBe(200);

  await app.db
    .updateTable('vip_application_images')
    .set({ delete_at: inDays(-1) })
    .where('id', '=', idIn(url))
    .execute();
  await deleteImages(app.services);
  expect((await open(url, decided.player.token)).status).toBe(404);
  expect((await decided.player.call('GET', '/vip-application')).body[0].images).toEqual([]);
  expect(onDisk()).not.toContain(`files/private/${idIn(url)}.webp`);
  expect((await open(kept, undecided.player.token)).status).toBe(200);
});

test('deletes more images than fit into one batch, and retries an image whose deletion failed', async () => {
  const { player, id } = await applicant();
  const [url] = (await add(player, id)).body.images;
  await app.sql`insert into vip_application_images (id, application_id, delete_at)
    select 'gone' || lpad(n::text, 18, '0'), ${id}::uuid, now() from generate_series(1, 250) n`.execute(
    app.db,
  );
  await app.sql`update vip_application_images set delete_at = now() where id = ${idIn(url)}`.execute(app.db);
  const { private: storage } = app.services.files;
  const { remove } = storage;
  storage.remove = (image) => (image === idIn(url) ? Promise.reject(new Error('disk')) : remove(image));
  const left = async () =>
    (
      await app.db
        .selectFrom('vip_application_images')
        .select('id')
        .where('application_id', '=', id)
        .execute()
    ).map((row) => row.id);
  await deleteImages(app.services);
  expect(await left()).toEqual([idIn(url)]);
  storage.remove = remove;
  await deleteImages(app.services);
  expect(await left()).toEqual([]);
});

test('does not count an image that could not be stored', async () => {
  const { player, id } = await applicant();
  const { private: storage } = app.services.files;
  const { put } = storage;
  storage.put = () => Promise.reject(Object.assign(new Error('full')));
  expect((await add(player, id)).status).toBe(500);
  storage.put = put;
  expect((await player.call('GET', '/vip-application')).body[0].images).toEqual([]);
  expect((await add(player, id)).status).toBe(201);
});

test('deletes the images of a closed account in the next run, and immediately deletes an image uploaded during the closure', async () => {
  const { player, id } = await applicant();
  const [url] = (await add(player, id)).body.images;
  const { private: storage } = app.services.files;
  const { put } = storage;
  let late: string | undefined;
  storage.put = async (image, bytes) => {
    late = image;
    await erase(app.services, { userId: player.id, by: player.id, reason: 'erasure request' });
    await deleteImages(app.services);
    await put(image, bytes);
  };
  await add(player, id);
  storage.put = put;
  for (const image of [idIn(url), late!]) expect(onDisk()).not.toContain(`files/private/${image}.webp`);
  expect(
    await app.db.selectFrom('vip_application_images').select('id').where('application_id', '=', id).execute(),
  ).toEqual([]);
});
