import { afterAll, beforeAll, expect, test } from 'vitest';
import { betOnDice, cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { giveAddress, tell, webhookOf } from '../../../../test/kit/money/deposits.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';
import { transaction } from '../../../platform/database/db.ts';
import { units } from '../../../platform/money.ts';
import { adminStatsOf } from '../../engagement/user-stats/totals.ts';
import { openClaimsOf } from '../ledger/claims.ts';
import type { Credits } from './credit.ts';

let credits: Credits;
// These entries have no skin deposits, so the invariants are checked by `books` and not when the app stops.
const app = fixture(() => startApp({ reconcileOnStop: false }));
beforeAll(async () => {
  credits = app.services.credits;
});
afterAll(async () => {
  expect(await books()).toEqual([]);
});

const at = new Date();
const pay = (player: Player, amount: string, key: string) =>
  transaction(app.db, (tx) =>
    credits.credit(tx, {
      userId: player.id,
      currencyId: 'USDT',
      kind: 'skins.deposit',
      key: `test:${player.id}:${key}`,
      at,
      amount: units(amount),
      usdAmount: units(amount),
    }),
  );
const takeBack = (player: Player, key: string) =>
  transaction(app.db, (tx) => credits.reverse(tx, { key: `test:${player.id}:${key}`, at }));
const owed = async (player: Player) => (await openClaimsOf(app.db, player.id)).get('USDT') ?? 0n;
const books = async () => {
  const { findings } = await reconcile(app.db, { seedSecret: app.config.SEED_SECRET });
  return findings.filter(({ problem }) => !problem.includes('skin deposit'));
};

test('credits and reverses a key only once, and rejects a different amount with the same key', async () => {
  const player = await app.newPlayer();
  const all = await Promise.all(Array.from({ length: 20 }, () => pay(player, '10', 'a')));
  expect(all.filter((one) => !one.replayed)).toHaveLength(1);
  expect(new Set(all.map((one) => one.entryId)).size).toBe(1);
  await expect(pay(player, '11', 'a')).rejects.toMatchObject({ code: 'ENTRY_KEY_REUSED' });
  expect(await cashOf(player)).toBe('10');
  const back = await Promise.all(Array.from({ length: 10 }, () => takeBack(player, 'a')));
  expect(back.filter((one) => !one.replayed)).toEqual([
    expect.objectContaining({ taken: units('10'), claimed: 0n }),
  ]);
  expect(await cashOf(player)).toBe('0');
  await expect(takeBack(player, 'never')).rejects.toThrow();
  expect((await adminStatsOf(app.db, [player.id])).get(player.id)).toMatchObject({ totalDeposits: '0' });
  expect(await books()).toEqual([]);
});

test('uses each credit to pay the oldest claims in its currency first, and never makes a balance negative', async () => {
  const player = await app.newPlayer();
  const open: string[] = [];
  for (let step = 0; step < 40; step++) {
    const dice = Math.random();
    if (dice < 0.4 || open.length === 0) {
      open.push(String(step));
      await pay(player, String(1 + Math.floor(Math.random() * 50)), String(step));
    } else if (dice < 0.7)
      await takeBack(player, open.splice(Math.floor(Math.random() * open.length), 1)[0]!);
    else {
      const params = { currencyId: 'USDT', amount: String(Math.floor(Math.random() * 30)) };
      const body = { userId: player.id, action: 'SET_BALANCE', params };
      await app.call('POST', '/debug/user/action', { body });
    }
    if (step % 10 === 9) expect(await books()).toEqual([]);
  }
});

test('debits a reversed credit from cash, then from the vault, and records the rest as a claim', async () => {
  const player = await app.newPlayer();
  await pay(player, '100', 'a');
  await player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '30' } });
  const params = { currencyId: 'USDT', amount: '20' };
  await app.call('POST', '/debug/user/action', {
    body: { userId: player.id, action: 'SET_BALANCE', params },
  });
  expect(await takeBack(player, 'a')).toMatchObject({ taken: units('50'), claimed: units('50') });
  expect(await owed(player)).toBe(units('50'));
  expect(await pay(player, '20', 'b')).toMatchObject({ recovered: units('20') });
  expect(await pay(player, '35', 'c')).toMatchObject({ recovered: units('30') });
  expect([await cashOf(player), await owed(player)]).toEqual(['5', 0n]);
});

test('adds up turnover requirements, and lets bets reduce the turnover immediately but never below zero', async () => {
  const player = await app.newPlayer();
  expect(await app.services.rollover.remaining(app.db, player.id)).toBe(0n);
  await pay(player, '10', 'a');
  await betOnDice(player, { betAmount: '4' });
  expect(await app.services.rollover.remaining(app.db, player.id)).toBe(units('6'));
  // The result is the same before and after the statistics have consumed the bet.
  await app.services.userStats.consume();
  expect(await app.services.rollover.remaining(app.db, player.id)).toBe(units('6'));
  await pay(player, '10', 'b');
  expect(await app.services.rollover.remaining(app.db, player.id)).toBe(units('16'));
  const params = { currencyId: 'USDT', amount: '100' };
  await app.call('POST', '/debug/user/action', {
    body: { userId: player.id, action: 'SET_BALANCE', params },
  });
  await betOnDice(player, { betAmount: '50' });
  expect(await app.services.rollover.remaining(app.db, player.id)).toBe(0n);
  await pay(player, '3', 'c');
  expect(await app.services.rollover.remaining(app.db, player.id)).toBe(units('3'));
  await takeBack(player, 'c');
  expect(await app.services.rollover.remaining(app.db, player.id)).toBe(0n);
});

test('requires turnover again when a bet is rolled back after a later deposit', async () => {
  const player = await app.newPlayer();
  const remaining = () => app.services.rollover.remaining(app.db, player.id);
  await pay(player, '10', 'a');
  const { body: bet } = await betOnDice(player, { betAmount: '10' });
  expect(await remaining()).toBe(0n);
  await pay(player, '1', 'b');
  const boss = await app.as('superadmin');
  const answer = await boss.call('POST', `/admin/bets/${bet.betId}/rollback`, {
    body: { reason: 'a fault' },
    headers: { 'Idempotency-Key': `rollback-${bet.betId}` },
  });
  expect(answer.status, answer.text).toBeLessThan(300);
  expect(await remaining()).toBe(units('11'));
  await pay(player, '1', 'c');
  expect(await remaining()).toBe(units('12'));
});

test('restarts the turnover history from the current row if a process of the previous version changed the row', async () => {
  const player = await app.newPlayer();
  const remaining = () => app.services.rollover.remaining(app.db, player.id);
  await pay(player, '10', 'a');
  await app.db
    .updateTable('rollovers')
    .set({ required_usd: units('30'), kept_usd: units('20') })
    .where('user_id', '=', player.id)
    .execute();
  expect(await remaining()).toBe(units('30'));
  await betOnDice(player, { betAmount: '5' });
  await pay(player, '2', 'b');
  expect(await app.services.rollover.open(app.db, player.id)).toEqual({
    openUsd: units('27'),
    keptUsd: units('20'),
  });
});

test('detects during reconciliation missing entries and deposits, an excess claim and an invalid reversal', async () => {
  const spoilt = await startApp({ reconcileOnStop: false });
  const player = await spoilt.newPlayer();
  const address = await giveAddress(spoilt.db, player.id);
  for (const amount of ['5', '6', '7']) await tell(spoilt, webhookOf(address, { amount }));
  const found = async () => {
    const { findings } = await reconcile(spoilt.db, { seedSecret: spoilt.config.SEED_SECRET });
    return findings.filter((f) => f.invariant === 'N6').map((f) => f.problem);
  };
  expect(await found()).toEqual([]);
  const of = (amount: string) => spoilt.db.updateTable('deposits').where('amount', '=', units(amount));
  await of('5')
    .set({ amount: units('5.5') })
    .execute();
  expect(await found()).toEqual([expect.stringContaining('exactly one ledger entry')]);
  await of('5.5')
    .set({ amount: units('5') })
    .execute();
  await of('6').set({ status: 'REVERSED' }).execute();
  expect(await found()).toEqual([expect.stringContaining('was reversed')]);
  await of('6').set({ status: 'COMPLETED' }).execute();
  await spoilt.db.deleteFrom('deposits').where('amount', '=', units('7')).execute();
  expect(await found()).toEqual([expect.stringContaining('an entry has no deposit')]);
  const claim = { user_id: player.id, currency_id: 'USDT', amount: 1n, remaining: 1n, source_key: 'x' };
  await spoilt.db.insertInto('claims').values(claim).execute();
  expect(await found()).toContain("a player's claims do not match the ledger");
  await spoilt.db
    .updateTable('payment_credits')
    .set({ amount: 1n })
    .where('amount', '=', units('7'))
    .execute();
  expect(await found()).toContain('a credit or its reversal does not match the ledger');
  await spoilt.stop();
});
