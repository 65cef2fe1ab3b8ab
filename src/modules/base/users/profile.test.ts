import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { fingerprint } from '../../../../test/kit/http/fingerprint.ts';
import { form, picture, upload } from '../../../../test/kit/http/images.ts';
import { updateProfile } from './profile.ts';
import { toShortPublicUser } from './service.ts';

const folder = mkdtempSync(join(tmpdir(), 'croupier-avatars-'));
let png: Buffer;
const app = fixture(() => startApp({ env: { DATA_DIR: folder } }));
beforeAll(async () => {
  png = await picture(400, 300).png().toBuffer();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const patch = (player: Player, body: object) => player.call('PATCH', '/user/me', { body });
const me = async (player: Player) => (await player.call('GET', '/user/me')).body;
const codeOf = ({ status, body }: { status: number; body: any }) => `${status} ${body.code}`;
const fresh = () => `n_${randomBytes(7).toString('hex')}`;
const stored = () => readdirSync(join(folder, 'files', 'avatars'));
const fileOf = (url: string) => url.split('/').at(-1)!;

describe('PATCH /user/me', () => {
  test('changes only the given fields and returns the new profile', async () => {
    const player = await app.newPlayer();
    const before = await me(player);
    const changes = {
      username: fresh(),
      language: 'pt-BR',
      isPrivate: true,
      isStreamerMode: true,
      isEmailNotificationsEnabled: false,
      platformTradeLink: 'https://platform.example/tradeoffer/new/?partner=1&token=a-B_c',
    };
    const { status, body } = await patch(player, changes);
    expect([status, body]).toEqual([200, { ...before, ...changes }]);
    expect(await me(player)).toEqual(body);
    for (const [name, value] of Object.entries({
      language: 'de',
      isPrivate: false,
      platformTradeLink: null,
    })) {
      const one = await patch(player, { [name]: value });
      expect(one.body).toEqual({ ...(await me(player)), [name]: value });
    }
    expect(await me(player)).toMatchObject({ username: changes.username, isStreamerMode: true });
  });

  test('rejects a request without a session with 401', async () => {
    expect(codeOf(await app.call('PATCH', '/user/me', { body: { isPrivate: true } }))).toBe(
      '401 UNAUTHORIZED',
    );
    expect(codeOf(await app.call('PATCH', '/user/me', form([{ bytes: png, filename: 'a' }])))).toBe(
      '401 UNAUTHORIZED',
    );
  });

  test('rejects a request that changes nothing', async () => {
    const player = await app.newPlayer();
    for (const options of [{}, { body: {} }, form([])])
      expect(codeOf(await player.call('PATCH', '/user/me', options))).toBe('400 NOTHING_TO_CHANGE');
  });

  test('rejects a username in use in any letter case or look-alike spelling, but lets users change the case of their own name', async () => {
    const [owner, other] = [
      await app.newPlayer({ username: `Bo0k_${randomBytes(4).toString('hex')}` }),
      await app.newPlayer(),
    ];
    const { username } = owner;
    for (const taken of [
      username,
      username.toUpperCase(),
      username.replace('0', 'o'),
      username.replace('0', 'O'),
    ])
      expect(codeOf(await patch(other, { username: taken })), taken).toBe('409 AUTH_USER_EXISTS');
    expect(await me(other)).toMatchObject({ username: other.username });
    expect((await patch(owner, { username: username.toUpperCase() })).body.username).toBe(
      username.toUpperCase(),
    );
    const next = fresh();
    expect((await patch(owner, { username: next })).status).toBe(200);
    // A former name stays reserved for its owner (freed-names.test.ts).
    expect(codeOf(await patch(other, { username }))).toBe('409 AUTH_USER_EXISTS');
    expect((await patch(owner, { username })).body.username).toBe(username);
  });

  test('gives a username to only one of five concurrent requests', async () => {
    const players = await Promise.all(Array.from({ length: 5 }, () => app.newPlayer()));
    const username = fresh();
    const answers = await Promise.all(players.map((player) => patch(player, { username })));
    expect(answers.map(codeOf).sort()).toEqual(['200 undefined', ...Array(4).fill('409 AUTH_USER_EXISTS')]);
  });

  test.each([
    { username: 'ab' },
    { username: 'x'.repeat(21) },
    { username: 'a b c' },
    { username: 'аdmin' },
    { username: null },
    { language: 'german' },
    { language: null },
    { isPrivate: 'true' },
    { isPrivate: 1 },
    { avatar: 1 },
    { avatar: 'x'.repeat(501) },
    { email: 'new@mail.example' },
    { image: 'x' },
  ])('rejects %j and changes nothing', async (body) => {
    const player = await app.newPlayer();
    const before = await fingerprint(app.db);
    expect(codeOf(await patch(player, { isStreamerMode: true, ...body }))).toBe('400 VALIDATION_FAILED');
    expect(await fingerprint(app.db)).toEqual(before);
  });
});

describe('avatars', () => {
  test('re-encodes avatars, serves them publicly, and deletes them when they are replaced', async () => {
    const player = await app.newPlayer();
    const { status, body } = await upload(player, png);
    expect([status, body.avatar]).toEqual([200, expect.stringMatching(/\/files\/avatars\/[\w-]{22}\.webp$/)]);
    const path = new URL(body.avatar).pathname;
    const shown = await fetch(app.url + path);
    expect(shown.status).toBe(200);
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cross-origin-resource-policy': 'cross-origin',
    });
    const { format, width, height } = await sharp(Buffer.from(await shown.arrayBuffer())).metadata();
    expect([format, width, height]).toEqual(['webp', 256, 256]);

    const next = (await upload(player, await picture(50, 90, '#0000ff').jpeg().toBuffer())).body.avatar;
    expect(next).not.toBe(body.avatar);
    expect((await fetch(app.url + path)).status).toBe(404);
    expect(stored()).toContain(fileOf(next));
    expect(stored()).not.toContain(fileOf(body.avatar));
    expect(await me(player)).toMatchObject({ avatar: next });
  });

  test('deletes an avatar and its file when the avatar is set to null', async () => {
    const player = await app.newPlayer();
    const { avatar } = (await upload(player, png)).body;
    expect((await patch(player, { avatar: null })).body.avatar).toBeNull();
    expect(stored()).not.toContain(fileOf(avatar));
    expect((await patch(player, { avatar: null })).status).toBe(200);
  });

  test('keeps an avatar when the request contains its own URL, and rejects any other URL', async () => {
    const [player, other] = [await app.newPlayer(), await app.newPlayer()];
    const { avatar } = (await upload(player, png)).body;
    expect(codeOf(await patch(player, { avatar, isPrivate: true }))).toBe('200 undefined');
    expect(stored()).toContain(fileOf(avatar));
    for (const text of ['', `${avatar}?`, avatar.replace('127.0.0.1', '[::1]'), 'null'])
      expect(codeOf(await patch(player, { avatar: text })), text).toBe('400 AVATAR_NOT_UPLOADED');
    const refused = await patch(other, { avatar, isPrivate: true });
    expect(codeOf(refused)).toBe('400 AVATAR_NOT_UPLOADED');
    expect(refused.body.message).toContain('multipart');
    expect(await me(other)).toMatchObject({ avatar: null, isPrivate: false });
  });

  test('leaves only one avatar file after concurrent uploads', async () => {
    const player = await app.newPlayer();
    const before = stored().length;
    const answers = await Promise.all(Array.from({ length: 6 }, () => upload(player, png)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(stored().length).toBe(before + 1);
    expect(stored()).toContain(fileOf((await me(player)).avatar));
  });

  test('keeps the previous avatar when a new upload is rejected', async () => {
    const player = await app.newPlayer();
    const { avatar } = (await upload(player, png)).body;
    expect(codeOf(await upload(player, 'no picture'))).toBe('400 IMAGE_INVALID');
    expect(await me(player)).toMatchObject({ avatar });
    expect((await app.call('GET', new URL(avatar).pathname)).status).toBe(200);
  });

  test('leaves no avatar file behind when the database update fails', async () => {
    const player = await app.newPlayer();
    const { avatar } = (await upload(player, png)).body;
    const before = stored().sort();
    const update = (id: number, body: object) =>
      updateProfile.handler(app.services, { user: { id }, body, file: { bytes: png } });
    await expect(update(2 ** 31 - 1, {})).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
    await expect(update(player.id, { username: 'a\0b' })).rejects.toThrow('invalid byte sequence');
    expect(stored().sort()).toEqual(before);
    expect(await me(player)).toMatchObject({ avatar });
  });

  test('lets staff remove an avatar together with its file', async () => {
    const player = await app.newPlayer();
    const { avatar } = (await upload(player, png)).body;
    const staff = await app.as({ permissions: ['user.write'] });
    const reset = (id: number) => staff.call('PATCH', `/admin/user/${id}/avatar/reset`);
    const removed = await reset(player.id);
    expect([removed.status, removed.body]).toEqual([200, '']);
    expect((await me(player)).avatar).toBeNull();
    expect(stored()).not.toContain(fileOf(avatar));
    expect((await reset(player.id)).status).toBe(200);
    expect((await reset(2 ** 31 - 1)).body.code).toBe('USER_NOT_FOUND');
  });
});

test('shows an active self-exclusion in the profile, but not one that has ended', async () => {
  const player = await app.newPlayer();
  expect((await me(player)).selfExclusion).toBeNull();
  const body = { durationDays: 1, reason: 'a break' };
  const set = await player.call('POST', '/user-limits/self-exclusion', { body });
  expect([set.status, set.body.isActive, set.body.reason]).toEqual([201, true, 'a break']);
  expect((await me(player)).selfExclusion).toEqual(set.body);
  const over = new Date(Date.now() - 1000);
  const times = { expires_at: over, play_from: over };
  await app.db.updateTable('exclusions').set(times).where('user_id', '=', player.id).execute();
  expect((await me(player)).selfExclusion).toBeNull();
});

describe('privacy', () => {
  const row = { id: 7, username: 'real_name', avatar: 'https://api.example/files/a.webp', vip_level: 3 };
  const open = { id: 7, username: 'real_name', avatar: row.avatar, vipLevel: 3 };
  const hidden = { id: null, username: 'Incognito', avatar: null, vipLevel: null, isPrivate: true };

  test.each([
    [false, false, open, false],
    [true, false, hidden, true],
    [false, true, hidden, false],
    [true, true, hidden, true],
  ])(
    'with private %s and streamer mode %s, returns %j to other players and visitors',
    (is_private, is_streamer_mode, seen, isPrivate) => {
      const user = { ...row, is_private, is_streamer_mode };
      for (const viewer of [8, undefined]) {
        const shown = toShortPublicUser(user, viewer);
        expect(shown).toMatchObject(seen);
        if (is_private || is_streamer_mode) expect(JSON.stringify(shown)).not.toMatch(/real_name|webp|7|3/);
      }
      expect(toShortPublicUser(user, 7)).toEqual({ ...open, isPrivate });
    },
  );

  test('shows the username of a private player on bets only to that player', async () => {
    const [player, other] = [await app.newPlayer({ usdt: 10 }), await app.newPlayer()];
    await patch(player, { isPrivate: true, isStreamerMode: true });
    const { betId } = (await betOnDice(player)).body;
    const { body } = await player.call('GET', `/bets/house-games/info/${betId}`);
    expect(body.user).toMatchObject({ id: player.id, username: player.username, isPrivate: true });
    expect((await other.call('GET', `/bets/house-games/info/${betId}`)).status).toBe(404);
    const open = await other.call('GET', `/fairness/bets/${betId}`);
    expect(open.text).not.toContain(player.username);
  });
});
