import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import type { UserRow } from '../../base/users/service.ts';
import { SORTS } from './schemas.ts';

const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));
beforeAll(async () => {
  await app.newPlayer();
  await makeCrowd();
  await app.as({ permissions: ['user.read'] });
});

const PLAIN = {
  sortBy: 'id',
  sortOrder: 'asc',
  withPermissions: false,
  withRoles: false,
  withNotes: false,
  withBalance: false,
  withStatsUsd: false,
};
const listAs = (who: Player, body: object = {}) =>
  who.call('POST', '/admin/user/all', { body: { ...PLAIN, ...body } });
const list = (body?: object) => listAs(boss, body);
const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();

const pick = <T>(values: readonly T[], i: number): T => values[i % values.length]!;
const NAMES = ['anna', 'Ann_a', 'bob', 'B0bby', 'x_1', 'percent', 'zed', 'ANNABEL', 'a1', 'per_cent'];
const day = (n: number) => new Date(Date.UTC(2024, 0, 1 + n));

/** Creates users with different values in every filtered field. Several users share each value. */
async function makeCrowd(): Promise<void> {
  const rows = Array.from({ length: 90 }, (_, i) => ({
    username: i % 11 === 0 ? null : `${pick(NAMES, i * 7)}${i}`,
    email: i % 13 === 0 ? null : `${pick(NAMES, i * 3)}.${i}@${pick(['Mail.example', 'web.example'], i)}`,
    username_skeleton: `crowd ${i}`,
    created_at: day(i % 30),
    last_login_at: i % 4 === 0 ? null : day((i % 30) + ((i * 7) % 11)),
    country_code: pick(['DE', 'BR', null], i),
    vip_level: i % 6,
    kyc_level: (i * 5) % 4,
    email_verified: i % 2 === 0,
    is_mfa_enabled: i % 9 === 0,
    is_test: i % 5 === 0,
    is_bot: i % 30 === 1,
    is_streamer: i % 8 === 0,
    is_youtuber: i % 10 === 0,
    is_private: i % 3 === 0,
    affiliate_code: pick(['one', 'Two', null], i * 2),
    self_excluded_until: pick([null, day(0), new Date(Date.now() + 9e8)], i * 5),
    banned_at: i % 7 === 0 ? day(50) : null,
    ban_reason: i % 7 === 0 ? `reason ${i}` : null,
    is_staff: i % 12 === 0,
    roles: i % 12 === 0 ? pick([['RISK'], ['SUPPORT', 'RISK']], i / 12) : [],
    permissions: i % 12 === 0 ? ['user.read'] : [],
  }));
  const made = await app.db.insertInto('users').values(rows).returning('id').execute();
  const address = (i: number) => pick(['10.0.0.1', '10.0.0.2', '2001:db8::1'], i);
  await app.db
    .insertInto('registration_info')
    .values(
      made
        .filter((_, i) => i % 2 === 0)
        .map(({ id }, i) => ({ user_id: id, type: 'EMAIL', ip_address: address(i) })),
    )
    .execute();
  const session = (id: number, i: number) => ({
    id: randomUUID(),
    user_id: id,
    refresh_hash: Buffer.from(`crowd ${id} ${i}`),
    ip_address: address(i),
    expires_at: new Date(),
  });
  await app.db
    .insertInto('sessions')
    .values(made.filter((_, i) => i % 3 === 0).flatMap(({ id }, i) => [session(id, i), session(id, i + 1)]))
    .execute();
}

type Person = UserRow & { addresses: Set<string | null> };

async function everybody(): Promise<Person[]> {
  const users = await app.db.selectFrom('users').selectAll().execute();
  const seen = await app.db
    .selectFrom('sessions')
    .select(['user_id', 'ip_address'])
    .union(app.db.selectFrom('registration_info').select(['user_id', 'ip_address']))
    .execute();
  return users.map((user) => ({
    ...user,
    addresses: new Set(seen.filter((s) => s.user_id === user.id).map((s) => s.ip_address)),
  }));
}

/** The meaning of each filter, written as a simple predicate. */
const MEANINGS: Record<string, (user: Person, value: any) => boolean> = {
  id: (u, v) => u.id === v,
  username: (u, v) => u.username?.toLowerCase() === v.toLowerCase(),
  email: (u, v) => u.email?.toLowerCase() === v.toLowerCase(),
  country: (u, v) => u.country_code === v,
  ipAddress: (u, v) => u.addresses.has(v),
  minVipLevel: (u, v) => u.vip_level >= v,
  maxVipLevel: (u, v) => u.vip_level <= v,
  kycLevel: (u, v) => u.kyc_level === v,
  emailVerified: (u, v) => u.email_verified === v,
  mfaEnabled: (u, v) => u.is_mfa_enabled === v,
  isStaff: (u, v) => u.is_staff === v,
  isTest: (u, v) => u.is_test === v,
  isBot: (u, v) => u.is_bot === v,
  isStreamer: (u, v) => u.is_streamer === v,
  isYoutuber: (u, v) => u.is_youtuber === v,
  isPrivate: (u, v) => u.is_private === v,
  isSelfExcluded: (u, v) =>
    (u.self_excluded_until !== null && u.self_excluded_until.getTime() > Date.now()) === v,
  affiliateCode: (u, v) => u.affiliate_code === v,
  registeredFrom: (u, v) => u.created_at >= new Date(v),
  registeredTo: (u, v) => u.created_at <= new Date(v),
  lastLoginFrom: (u, v) => u.last_login_at !== null && u.last_login_at >= new Date(v),
  lastLoginTo: (u, v) => u.last_login_at !== null && u.last_login_at <= new Date(v),
};
const time = fc.integer({ min: -1, max: 41 }).map((n) => day(n).toISOString());
const level = fc.integer({ min: 0, max: 6 });
const VALUES: Record<string, fc.Arbitrary<unknown>> = {
  id: fc.integer({ min: 1, max: 100 }),
  username: fc.integer({ min: 0, max: 89 }).map((i) => `${pick(NAMES, i * 7)}${i}`.toUpperCase()),
  email: fc.integer({ min: 0, max: 89 }).map((i) => `${pick(NAMES, i * 3)}.${i}@mail.example`),
  country: fc.constantFrom('DE', 'BR', 'ZZ'),
  ipAddress: fc.constantFrom('10.0.0.1', '10.0.0.2', '2001:db8::1', 'nowhere'),
  minVipLevel: level,
  maxVipLevel: level,
  kycLevel: level,
  affiliateCode: fc.constantFrom('one', 'Two', 'two'),
  registeredFrom: time,
  registeredTo: time,
  lastLoginFrom: time,
  lastLoginTo: time,
};
const SEARCHES = [
  'ann',
  'ANNA',
  'a',
  'b0',
  '_',
  'x_1',
  '%',
  'per_',
  'r_c',
  'mail.example',
  '@',
  '7',
  '77',
  'none',
  '\\',
  'e',
  ' bob ',
];

function isFound(user: Person, search: string): boolean {
  const text = search.trim().toLowerCase();
  const [name, address] = [user.username?.toLowerCase(), user.email?.toLowerCase()];
  if (String(user.id) === text) return true;
  if (!/[a-z0-9]{3}/.test(text)) return name?.startsWith(text) ?? false;
  return [name, address].some((value) => value?.includes(text));
}

const keyOf = (sortBy: string, u: Person): number | string =>
  ({
    id: u.id,
    createdAt: u.created_at.getTime(),
    lastLoginAt: u.last_login_at?.getTime() ?? -Infinity,
    username: u.username?.toLowerCase() ?? '',
    email: u.email?.toLowerCase() ?? '',
    vipLevel: u.vip_level,
    kycLevel: u.kyc_level,
  })[sortBy]!;

const filter = fc.record(
  Object.fromEntries(Object.keys(MEANINGS).map((field) => [field, VALUES[field] ?? fc.boolean()])),
  { requiredKeys: [] },
);
/** Combines only a few conditions, because no user meets all of them. */
const fewOf = filter.chain((all) =>
  fc
    .subarray(Object.keys(all), { maxLength: 2 })
    .map((names) => Object.fromEntries(names.map((n) => [n, all[n]]))),
);
/** Usually returns undefined, because each additional condition reduces the number of matches. */
const seldom = (values: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values });
const request = fc.record({
  sortBy: fc.constantFrom(...SORTS),
  sortOrder: fc.constantFrom('asc', 'desc'),
  isBanned: seldom(fc.boolean()),
  role: seldom(fc.constantFrom('RISK', 'SUPPORT', 'NOBODYS')),
  search: seldom(fc.constantFrom(...SEARCHES)),
  where: fewOf,
  page: fc.constantFrom(1, 1, 1, 2, 3, 6),
  take: fc.constantFrom(1, 7, 20, 100),
});

test('returns the same users as a simple model for random filters, searches, sort orders and pages', async () => {
  const people = await everybody();
  let nonEmpty = 0;
  await fc.assert(
    fc.asyncProperty(request, async (wanted) => {
      const { page = 1, take = 20, where = {}, search, sortBy, sortOrder, isBanned, role } = wanted as any;
      const due = people
        .filter((u) => isBanned === undefined || (u.banned_at !== null) === isBanned)
        .filter((u) => role === undefined || u.roles.includes(role))
        .filter((u) => search === undefined || isFound(u, search))
        .filter((u) => Object.entries(where).every(([field, value]) => MEANINGS[field]!(u, value)))
        .sort((a, b) => {
          const [x, y] = [keyOf(sortBy, a), keyOf(sortBy, b)];
          const way = sortOrder === 'desc' ? -1 : 1;
          return way * (x < y ? -1 : x > y ? 1 : a.id - b.id);
        });
      const { status, body } = await list(wanted);
      expect(status, JSON.stringify(body)).toBe(200);
      expect(body.data.map((u: any) => u.id)).toEqual(
        due.slice((page - 1) * take, page * take).map((u) => u.id),
      );
      expect(body).toMatchObject({ take, page, total: due.length, totalPages: Math.ceil(due.length / take) });
      if (body.data.length > 0) nonEmpty++;
    }),
    { seed: 26, numRuns: 150 },
  );
  expect(nonEmpty).toBeGreaterThan(40);
}, 240_000);

test.each(Object.keys(MEANINGS))(
  'matches exactly the right users for each value of the filter %s',
  async (field) => {
    const people = await everybody();
    for (const value of fc.sample(VALUES[field] ?? fc.boolean(), { numRuns: 6, seed: 5 })) {
      const { body } = await list({ where: { [field]: value }, take: 100 });
      const due = people.filter((u) => MEANINGS[field]!(u, value)).map((u) => u.id);
      expect(body.data.map((u: any) => u.id).sort((a: number, b: number) => a - b)).toEqual(
        due.sort((a, b) => a - b).slice(0, 100),
      );
    }
  },
);

describe('a row of the user list', () => {
  test('contains the fields that staff may see, the ban, and extra fields only on request', async () => {
    const player = await app.newPlayer({ usdt: 12.5 });
    for (let n = 1; n <= 22; n++)
      await app.db
        .insertInto('user_notes')
        .values({ user_id: player.id, created_by: boss.id, note: `n${n}` })
        .execute();
    const where = { id: player.id };
    const [bare] = (await list({ where })).body.data;
    const { body: view } = await boss.call('GET', `/admin/user/${player.id}`);
    expect(bare).toEqual({ ...view, isBanned: false, banReason: null });
    expect(bare).toMatchObject({
      username: player.username,
      isBanned: false,
      banReason: null,
      mfaSecret: '',
    });
    const flags = { withPermissions: true, withRoles: true, withNotes: true, withBalance: true };
    const [full] = (await list({ where, ...flags })).body.data;
    expect(full).toMatchObject({
      permissions: [],
      roles: [],
      balances: [{ currencyId: 'USDT', amount: '12.5', usdAmount: '12.5' }],
    });
    expect(full.notes.map((n: any) => n.note)).toEqual(Array.from({ length: 20 }, (_, i) => `n${22 - i}`));
    expect(full.notes[0].createdBy.id).toBe(boss.id);
    const [member] = (await list({ role: 'SUPPORT', ...flags, take: 1 })).body.data;
    expect(member).toMatchObject({
      permissions: ['user.read'],
      roles: ['SUPPORT', 'RISK'],
      balances: [],
      notes: [],
    });
    expect((await list({ role: 'SUPPORT', take: 1 })).body.data[0].permissions).toEqual([]);
    const [banned] = (await list({ isBanned: true, take: 1 })).body.data;
    expect(banned).toMatchObject({ isBanned: true, banReason: expect.stringMatching(/^reason/) });
  });

  test('masks email addresses without user.pii, and then rejects partial searches for them and sorting by them', async () => {
    const clerk = await app.as({ permissions: ['user.read'] });
    const expert = await app.as({ permissions: ['user.read', 'user.pii', 'note.read'] });
    const { id, username } = await app.newPlayer();
    const whole = `${username}@test.example`;
    expect((await listAs(clerk, { where: { id } })).body.data[0].email).toBe('p_***@test.example');
    expect((await listAs(expert, { where: { id } })).body.data[0].email).toBe(whole);
    const found = async (who: Player, search: string) => (await listAs(who, { search })).body.total;
    expect(await found(clerk, `${username}@te`)).toBe(0);
    expect(await found(expert, `${username}@te`)).toBe(1);
    expect(await found(clerk, whole.toUpperCase())).toBe(1);
    expect(await found(clerk, '@t')).toBe(0);
    expect(codeOf(await listAs(clerk, { sortBy: 'email' }))).toBe('403 FORBIDDEN');
    expect(codeOf(await listAs(clerk, { withNotes: true }))).toBe('403 FORBIDDEN');
    expect(codeOf(await listAs(expert, { sortBy: 'email', withNotes: true }))).toBe('200');
  });
});

test('requires staff.read to list staff, roles and permissions', async () => {
  const clerk = await app.as({ permissions: ['user.read'] });
  const expert = await app.as({ permissions: ['user.read', 'staff.read'] });
  for (const asked of [
    { withRoles: true },
    { withPermissions: true },
    { role: 'RISK' },
    { where: { isStaff: true } },
    { where: { isStaff: false } },
  ]) {
    const refused = await listAs(clerk, asked);
    expect(codeOf(refused), JSON.stringify(asked)).toBe('403 FORBIDDEN');
    expect(refused.body.details).toEqual({ permission: 'staff.read' });
    expect(codeOf(await listAs(expert, asked)), JSON.stringify(asked)).toBe('200');
  }
  expect(codeOf(await listAs(clerk, { where: { isTest: true } }))).toBe('200');
});

describe('a malformed list request', () => {
  test.each([
    [{ sortBy: 'password_hash' }],
    [{ sortBy: 'id; drop table users' }],
    [{ sortOrder: 'up' }],
    [{ withRoles: undefined }],
    [{ take: 101 }],
    [{ page: 0 }],
    [{ where: { passwordHash: 'x' } }],
    [{ where: { country: 'de' } }],
    [{ where: { registeredFrom: 'yesterday' } }],
    [{ where: { id: '1' } }],
    [{ where: [] }],
    [{ search: 'x'.repeat(65) }],
    [{ order: 'id' }],
  ])('rejects the list request %j with 400', async (body) => {
    expect(codeOf(await list(body))).toBe('400 VALIDATION_FAILED');
  });

  test('returns an empty page with an exact total beyond the end', async () => {
    const { body: first } = await list();
    for (const page of [Math.ceil(first.total / 20) + 1, Number.MAX_SAFE_INTEGER]) {
      const { status, body } = await list({ page });
      expect([status, body.data, body.total]).toEqual([200, [], first.total]);
    }
    expect((await list({ where: { isTest: true }, page: Number.MAX_SAFE_INTEGER })).body.data).toEqual([]);
  });

  test('rejects callers without the permission', async () => {
    const [player, other] = [await app.newPlayer(), await app.as({ permissions: ['user.write'] })];
    expect(codeOf(await listAs(player))).toBe('403 FORBIDDEN');
    expect(codeOf(await listAs(other))).toBe('403 FORBIDDEN');
    expect(codeOf(await app.call('POST', '/admin/user/all', { body: PLAIN }))).toBe('401 UNAUTHORIZED');
  });
});
