import { expect, test } from 'vitest';
import type { Player } from '../../../../test/kit/app.ts';
import {
  BONUS,
  newCodes,
  newPromo,
  PROMO_STAFF,
  redeem,
  startPromo,
} from '../../../../test/kit/engagement/promo.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { anAddress } from '../../../../test/kit/processes/visitors.ts';

const app = fixture(() => startPromo());
const second = fixture(() => startPromo({ database: app.database }));
const staff = fixture(() => app.as(PROMO_STAFF));
const players = fixture(async () => ({
  all: await Promise.all(Array.from({ length: 40 }, () => app.newPlayer())),
}));

const tally = (answers: readonly { status: number; body: any }[]) => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const what = status === 201 ? '201' : `${status} ${body.code}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
};
/** Sends requests alternately to two processes. */
const through = (player: Player, i: number, body: object) =>
  (i % 2 ? app : second).call('POST', '/promo/redeem', {
    token: player.token,
    body,
    headers: { 'x-forwarded-for': anAddress() },
  });

test('grants a single-use code once when 200 players redeem it concurrently', async () => {
  const id = await newPromo(staff, BONUS);
  const [code] = await newCodes(staff, id, { kind: 'ONE_TIME' });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => through(players.all[i % 40]!, i, { code })),
  );
  const counts = tally(answers);
  expect(counts['201']).toBe(1);
  expect((counts['409 PROMO_EXHAUSTED'] ?? 0) + (counts['409 PROMO_ALREADY_USED'] ?? 0)).toBe(199);
  const grants = await app.db
    .selectFrom('promo_grants')
    .select('id')
    .where('promo_id', '=', BigInt(id))
    .execute();
  expect(grants).toHaveLength(1);
  const { uses } = await app.db
    .selectFrom('promo_codes')
    .select('uses')
    .where('promo_id', '=', BigInt(id))
    .executeTakeFirstOrThrow();
  expect(uses).toBe(1);
});

test('makes exactly seven grants from a budget of seven grants, one per player', async () => {
  const id = await newPromo(staff, { budget: { maxGrants: 7, maxTotalUsd: '1000' } });
  const codes = [...(await newCodes(staff, id)), ...(await newCodes(staff, id))];
  const answers = await Promise.all(
    Array.from({ length: 160 }, (_, i) => through(players.all[i % 40]!, i, { code: codes[i % 2] })),
  );
  expect(tally(answers)['201']).toBe(7);
  const rows = await app.db
    .selectFrom('promo_grants')
    .select('user_id')
    .where('promo_id', '=', BigInt(id))
    .execute();
  expect(new Set(rows.map((row) => row.user_id)).size).toBe(7);
});

test('does not deadlock when offers, codes and staff grants of one promotion are used concurrently', async () => {
  const ids = await Promise.all([1, 2, 3].map(() => newPromo(staff, { ...BONUS, type: 'DEPOSIT' })));
  const codes = await Promise.all(ids.map(async (id) => (await newCodes(staff, id))[0]));
  const userIds = players.all.map(({ id }) => id).toReversed();
  const given = ids.map((id) =>
    staff.call('POST', `/admin/promo/${id}/grant`, { body: { userIds, reason: 'a race' } }),
  );
  const redeemed = players.all.flatMap((player, i) =>
    ids.map((promoId, at) => through(player, i + at, i % 2 ? { promoId } : { code: codes[at] })),
  );
  const answers = await Promise.all([...given, ...redeemed]);
  expect(tally(answers)).toEqual({ '201': 3 + 120 });
  for (const { body } of await Promise.all(given)) expect(body).toMatchObject({ granted: 40, skipped: [] });
  const rows = await app.db
    .selectFrom('promo_grants')
    .select(['user_id', 'status'])
    .where('promo_id', 'in', ids.map(BigInt))
    .execute();
  expect(rows).toHaveLength(240);
  // Each of the 40 players has at most one active grant. Their other grants wait.
  expect(rows.filter(({ status }) => status === 'ACTIVE').length).toBeLessThanOrEqual(40);
});

test('grants a promotion that is limited per address to only one of twenty players at one address', async () => {
  const id = await newPromo(staff, { conditions: { onePerIp: true } });
  const [code] = await newCodes(staff, id);
  const address = anAddress();
  const twenty = players.all.slice(0, 20);
  await app.db
    .updateTable('registration_info')
    .set({ ip_address: address })
    .where(
      'user_id',
      'in',
      twenty.map((player) => player.id),
    )
    .execute();
  const answers = await Promise.all(twenty.map((player) => redeem(player, { code })));
  expect(tally(answers)).toEqual({ '201': 1, '403 PROMO_NOT_ELIGIBLE': 19 });
});
