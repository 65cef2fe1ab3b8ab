import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { units } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';

const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));

const call = (by: Player, path: string, { id }: Player, fields: object = {}, key: string = randomUUID()) =>
  by.call('POST', `/admin/admin-tips${path}`, {
    body: { recipientUserId: id, currencyId: 'USDT', amount: '0', notes: 'they cannot wager it', ...fields },
    headers: { 'Idempotency-Key': key },
  });
const end = (by: Player, player: Player, fields: object = {}, key?: string) =>
  call(by, '/end-turnover', player, fields, key);
const exclude = async (player: Player, durationDays = 180) => {
  const body = { durationDays };
  expect((await player.call('POST', '/user-limits/self-exclusion', { body })).status).toBe(201);
};
const eligibility = async (player: Player) =>
  (await player.call('GET', '/payments/withdraw/eligibility?currencyId=USDT')).body;

/** Creates a player who has an unwagered tip of this amount and another 100 USDT in cash. */
async function tipped(amount: string): Promise<Player> {
  const player = await app.newPlayer({ usdt: 100 });
  const given = await call(await app.as('superadmin'), '', player, { amount });
  expect(given.status, given.text).toBe(200);
  return player;
}

test('ends the turnover of a self-excluded player, who forfeits the tip and can withdraw the remaining cash', async () => {
  const player = await tipped('20');
  expect(codeOf(await end(boss, player, { amount: '20' }))).toBe('409 TURNOVER_NOT_ENDABLE');
  await exclude(player);
  expect((await eligibility(player)).reasons).toContain('ROLLOVER_OPEN');
  const key = randomUUID();
  for (const response of [
    await end(boss, player, { amount: '20' }, key),
    await end(boss, player, { amount: '20' }, key),
  ])
    expect(response.status, response.text).toBe(200);
  expect(await cashOf(player)).toBe('100');
  expect(await eligibility(player)).toMatchObject({ wagerRemainingUsd: '0' });
  expect((await eligibility(player)).reasons).not.toContain('ROLLOVER_OPEN');
  const [audited] = await app.db
    .selectFrom('admin_audit')
    .select(['before', 'after', 'reason'])
    .where('path', '=', '/admin/admin-tips/end-turnover')
    .where('status_code', '=', 200)
    .where('after', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .execute();
  expect(audited).toMatchObject({
    before: { userId: player.id, balance: '120', openTurnoverUsd: '20' },
    after: { balance: '100', openTurnoverUsd: '0' },
    reason: 'they cannot wager it',
  });
  expect(codeOf(await end(boss, player))).toBe('409 TURNOVER_NOT_ENDABLE');
});

test('rejects amounts above the cash, players in a cooling-off period, and staff without the permission', async () => {
  const player = await tipped('20');
  await exclude(player, 7);
  expect(codeOf(await end(boss, player))).toBe('409 TURNOVER_NOT_ENDABLE');
  const excluded = await tipped('20');
  await exclude(excluded);
  expect(codeOf(await end(boss, excluded, { amount: '121' }))).toBe('400 INSUFFICIENT_BALANCE');
  const reader = await app.as({ permissions: ['tip.read', 'withdraw.approve'] });
  expect(codeOf(await end(reader, excluded))).toBe('403 FORBIDDEN');
  expect(await cashOf(excluded)).toBe('120');
});

test('requires a second approver for a tip above the limit for a single staff member', async () => {
  const player = await tipped('900');
  await exclude(player);
  const [one, other] = [await app.as('superadmin'), await app.as('superadmin')];
  // All amounts that one staff member moved for this player within a day are added up, and the sum is compared with the threshold.
  expect(codeOf(await end(one, player))).toBe('409 APPROVAL_NEEDED');
  expect(codeOf(await end(one, player))).toBe('409 APPROVAL_NEEDED');
  expect((await end(other, player)).status).toBe(200);
  expect([await cashOf(player), (await eligibility(player)).wagerRemainingUsd]).toEqual(['1000', '0']);
});

test('requires a new proposal if the open turnover has grown since the first one', async () => {
  const player = await tipped('900');
  await exclude(player);
  const [one, other] = [await app.as('superadmin'), await app.as('superadmin')];
  expect(codeOf(await end(one, player))).toBe('409 APPROVAL_NEEDED');
  await app.db.transaction().execute(async (tx) => {
    await lockPlayers(tx, [player.id]);
    await app.services.rollover.add(tx, { userId: player.id, usdAmount: units('50') });
  });
  expect(codeOf(await end(other, player))).toBe('409 APPROVAL_NEEDED');
  expect((await eligibility(player)).wagerRemainingUsd).toBe('950');
  expect((await end(one, player)).status).toBe(200);
  const proposals = await app.db
    .selectFrom('staff_values')
    .select(['usd_amount', 'agreed_by'])
    .where('operation', '=', 'admin-tip.end-turnover')
    .where('carried_out_at', 'is not', null)
    .orderBy('carried_out_at', 'desc')
    .limit(1)
    .execute();
  expect(proposals).toEqual([{ usd_amount: units('950'), agreed_by: one.id }]);
});
