import { afterAll, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { aCode, type Person, startAffiliates } from '../../../../test/kit/engagement/affiliates.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const world = fixture(() => startAffiliates());
afterAll(() => world.forgetPlay());

const report = async (key: string, query: string) =>
  world.app.call('GET', `/external/affiliates?${query}`, { headers: { 'x-api-key': key } });
const of = (...codes: string[]) => codes.map((code) => `codes=${encodeURIComponent(code)}`).join('&');

/** Creates an affiliate with an API key. */
async function partner() {
  const owner = await world.affiliate();
  const made = await world.boss.call('POST', '/admin/api-keys', { body: { userId: owner.id } });
  expect(made.status).toBe(201);
  return { ...owner, key: made.body.key as string };
}
const wager = (person: Person, { day, usd }: { day: string; usd: number }) =>
  world.app.sql`with units as (select ${usd}::numeric * 100000000 as usd),
    referral as (update referrals set wagered_usd = wagered_usd + units.usd from units where user_id = ${person.id} returning affiliate_user_id),
    affiliate as (update affiliates set wagered_usd = wagered_usd + units.usd from units where user_id = (select affiliate_user_id from referral))
    insert into referral_days (user_id, day, affiliate_user_id, wagered_usd)
    select ${person.id}, ${day}::date, affiliate_user_id, units.usd from referral, units`.execute(
    world.app.db,
  );

test("returns the wagers and deposits of a partner's referrals for whole UTC days", async () => {
  const owner = await partner();
  const [one, other, idle] = [
    await world.join({ code: owner.code }),
    await world.join({ code: owner.code }),
    await world.join({ code: owner.code }),
  ];
  await world.payIn(one, '12.5');
  for (const [day, usd] of [
    ['2026-01-31', 1],
    ['2026-02-01', 10],
    ['2026-02-28', 100],
    ['2026-03-01', 1000],
  ] as const)
    await wager(other, { day, usd });
  const february = 'startDate=2026-02-01T23:59:59.999Z&endDate=2026-02-28T00:00:00.000Z';
  const { status, body } = await report(owner.key, `${of(owner.code)}&${february}`);
  expect(status).toBe(200);
  expect(body).toEqual([
    { id: other.id, username: other.username, avatar: null, wagered: '110', deposited: '0' },
  ]);
  const year = await report(owner.key, of(owner.code.toUpperCase()));
  expect(year.body).toEqual([
    { id: one.id, username: one.username, avatar: null, wagered: '0', deposited: '12.5' },
    { id: other.id, username: other.username, avatar: null, wagered: '1111', deposited: '0' },
  ]);
  expect(year.text).not.toContain(idle.username);
});

test('returns hidden players as Incognito, without id and avatar', async () => {
  const owner = await partner();
  const [hidden, streaming] = [
    await world.join({ code: owner.code }),
    await world.join({ code: owner.code }),
  ];
  await hidden.call('PATCH', '/user', { body: { isPrivate: true } });
  for (const person of [hidden, streaming]) await world.payIn(person, '1');
  await world.app.db
    .updateTable('users')
    .set({ is_streamer_mode: true, is_private: false, avatar: '/face.webp' })
    .where('id', '=', streaming.id)
    .execute();
  await world.app.db.updateTable('users').set({ is_private: true }).where('id', '=', hidden.id).execute();
  const { body } = await report(owner.key, of(owner.code));
  const row = { id: null, username: 'Incognito', avatar: null, wagered: '0', deposited: '1' };
  expect(body).toEqual([row, row]);
});

test('ignores unknown codes and codes of other affiliates', async () => {
  const [owner, other] = [await partner(), await partner()];
  await world.payIn(await world.join({ code: other.code }), '7');
  const own = await world.join({ code: owner.code });
  await world.payIn(own, '8');
  expect((await report(owner.key, of(other.code, aCode()))).body).toEqual([]);
  const mixed = await report(owner.key, of(other.code, owner.code));
  expect(mixed.body).toEqual([
    { id: own.id, username: own.username, avatar: null, wagered: '0', deposited: '8' },
  ]);
  // A deleted code still belongs to the partner, so its report can still be read.
  await world.boss.call('DELETE', '/admin/affiliate/code', { body: { id: owner.code } });
  expect((await report(owner.key, of(owner.code))).body).toHaveLength(1);
});

test('rejects unknown and deleted API keys, and invalid days and codes', async () => {
  const owner = await partner();
  expect(codeOf(await report('ck_nothing', of(owner.code)))).toBe('401 API_KEY_INVALID');
  expect(codeOf(await world.app.call('GET', `/external/affiliates?${of(owner.code)}`))).toBe(
    '401 API_KEY_INVALID',
  );
  for (const query of [
    '',
    'codes=a%20b',
    `${of(owner.code)}&startDate=yesterday`,
    `${of(owner.code)}&startDate=2026-02-02T00:00:00.000Z&endDate=2026-02-01T00:00:00.000Z`,
    `${of(owner.code)}&startDate=2024-01-01T00:00:00.000Z&endDate=2026-02-01T00:00:00.000Z`,
  ])
    expect(codeOf(await report(owner.key, query)), query).toBe('400 VALIDATION_FAILED');
  const { id } = owner;
  expect((await world.boss.call('DELETE', `/admin/api-keys/${id}`)).status).toBe(204);
  expect(codeOf(await report(owner.key, of(owner.code)))).toBe('401 API_KEY_INVALID');
});
