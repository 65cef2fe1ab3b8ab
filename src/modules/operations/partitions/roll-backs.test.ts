import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { consumeAll, correctBet } from '../../../../test/kit/games/bets.ts';
import { consumedByAll, detachBefore } from '../../../../test/kit/months.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';
import { transaction } from '../../../platform/database/db.ts';
import { replay } from '../../games/bets/consumers.ts';
import { closeMonths, holdMonthOf } from '../../games/bets/service.ts';
import { monthOfId } from '../../money/ledger/rules.ts';
import { lastId } from './queries.ts';
import { nameOf, partOf, startOf } from './rules.ts';

let player: Player;
const app = fixture(startApp);
const clerk = fixture(() => app.as({ permissions: ['bet.rollback'] }));
beforeEach(async () => {
  player = await app.newPlayer({ usdt: 100 });
});

const allTaken = () => consumedByAll(app);

/** Creates a bet in a past month that all consumers have already read. */
async function oldBet(): Promise<{ id: bigint; month: string }> {
  const { body } = await betOnDice(player);
  const id = BigInt(body.betId);
  const month = monthOfId(id);
  await app.services.partitions.ensure(startOf(month + 1));
  // Ensures that no bet is open and that ids of the next month are in use.
  await betOnDice(player);
  await allTaken();
  await detachBefore(app, month);
  return { id, month: nameOf(month) };
}

const rollBack = async (betId: bigint) => {
  const { status, body } = await clerk.call('POST', `/admin/bets/${betId}/rollback`, {
    body: { reason: 'a test' },
    headers: { 'idempotency-key': randomUUID() },
  });
  return status === 201 ? 'done' : (body.code as string);
};
const proven = async () =>
  (await reconcile(app.services.db, { seedSecret: app.config.SEED_SECRET })).findings;

test('rejects changes to bets whose month is being detached, and detaches the month only after earlier transactions have ended', async () => {
  const { partitions } = app.services;
  const { id, month } = await oldBet();
  const part = partOf('bets', month);
  const isWaiting = async (mode: string) => {
    const { rows } = await sql`
      select from pg_locks where locktype = 'advisory' and mode = ${mode} and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(app.db);
    return rows.length > 0;
  };
  let refused: Promise<string> | undefined;
  await transaction(app.db, async (tx) => {
    await closeMonths(tx);
    refused = rollBack(id);
    await expect.poll(() => isWaiting('ShareLock')).toBe(true);
    await sql`insert into archived_parts (part, list, below, rows)
      select ${part}, 'bets', ${id + 1n}, 1`.execute(tx);
  });
  expect(await refused).toBe('BET_ARCHIVED');
  await sql`delete from archived_parts where part = ${part}`.execute(app.db);
  let detached: Promise<void> | undefined;
  let isDetached = false;
  await transaction(app.db, async (tx) => {
    await holdMonthOf(tx, id);
    detached = partitions.detach('bets', month).finally(() => {
      isDetached = true;
    });
    await expect.poll(() => isWaiting('ExclusiveLock')).toBe(true);
    expect(isDetached).toBe(false);
  });
  await detached;
  expect(await rollBack(id)).toBe('BET_NOT_FOUND');
  expect(await proven()).toEqual([]);
  await partitions.attach('bets', month);
  expect(await rollBack(id)).toBe('done');
});

test('keeps the best bet of an hour in a detached month when another bet of the same hour is rolled back', async () => {
  const best = async () => {
    const { body } = await player.call('GET', '/user/me/stats');
    return [body.biggestWinUsd, body.bestMultiplier];
  };
  for (let isWon = false; !isWon; ) isWon = (await betOnDice(player)).body.didWin;
  const next = monthOfId(await lastId(app.db)) + 1;
  await app.services.partitions.ensure(startOf(next));
  const { body } = await betOnDice(player, { betAmount: '0.1', threshold: 2 });
  await allTaken();
  await detachBefore(app, next);
  expect(await best()).toEqual(['1.98', 1.98]);
  expect(await rollBack(BigInt(body.betId))).toBe('done');
  // The result is the same before and after the consumers process the rollback.
  expect(await best()).toEqual(['1.98', 1.98]);
  await allTaken();
  expect(await best()).toEqual(['1.98', 1.98]);
  expect(await proven()).toEqual([]);
});

test('keeps and counts corrections of bets in a detached month, even after a replay', async () => {
  const { partitions } = app.services;
  const at = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  const bet = async () => {
    const { body } = await betOnDice(player, { betAmount: '1' });
    return { id: BigInt(body.betId), userId: player.id };
  };
  const [late, moved, again, plain] = [await bet(), await bet(), await bet(), await bet()];
  const first = await correctBet(app, late, { payout: 700_000_000n, usd: 1n });
  await correctBet(app, late, { payout: 500_000_000n, usd: 1n });
  // Moves the bet to an hour in which the player has no other settled bets.
  await correctBet(app, moved, { payout: 300_000_000n, usd: 1n, at: at(30) });
  await correctBet(app, again, null, 'CREATED');
  const month = monthOfId(late.id);
  await partitions.ensure(startOf(month + 1));
  await betOnDice(player, { betAmount: '1' });
  await allTaken();
  await detachBefore(app, month);
  await expect(partitions.detach('bets', nameOf(month))).rejects.toMatchObject({
    code: 'PARTITION_IN_USE',
    details: { reason: expect.stringContaining('1 bets') },
  });
  await correctBet(app, again, { payout: 200_000_000n, usd: 1n });
  await consumeAll(app);
  await expect(partitions.detach('bets', nameOf(month))).rejects.toMatchObject({ code: 'PARTITION_IN_USE' });
  await allTaken();
  const mine = async () => (await player.call('GET', '/user/me/stats')).body;
  const before = await mine();
  expect(before).toMatchObject({ betCount: 5, wageredUsd: '5', biggestWinUsd: '5', bestMultiplier: 5 });
  await partitions.detach('bets', nameOf(month));
  expect(await mine()).toEqual(before);
  expect(await proven()).toEqual([]);
  await expect(correctBet(app, plain, null)).rejects.toMatchObject({ code: 'BET_ARCHIVED' });
  for (const name of ['user-stats', 'game-returns']) await replay(app.db, name, first - 1n);
  for (let i = 0; i < 6; i++) {
    await app.services.userStats.consume(2);
    await app.services.returns.consume(2);
    expect(await mine()).toEqual(before);
    expect(await proven()).toEqual([]);
  }
  await allTaken();
  expect(await mine()).toEqual(before);
  await partitions.attach('bets', nameOf(month));
  expect(await mine()).toEqual(before);
  expect(await proven()).toEqual([]);
  await correctBet(app, late, { payout: 0n });
  expect(await mine()).toMatchObject({ biggestWinUsd: '3', bestMultiplier: 3 });
  await allTaken();
  expect(await mine()).toMatchObject({ biggestWinUsd: '3', bestMultiplier: 3 });
  expect(await proven()).toEqual([]);
});

test('either rolls back a bet or detaches its month when both run concurrently, and keeps the data consistent', async () => {
  const { partitions } = app.services;
  for (let i = 0; i < 6; i++) {
    const { id, month } = await oldBet();
    const [answer, refusal] = await Promise.all([
      sleep(i * 15).then(() => rollBack(id)),
      partitions.detach('bets', month).then(
        () => undefined,
        (error: { code: string }) => error.code,
      ),
    ]);
    expect(['done', 'BET_ARCHIVED', 'BET_NOT_FOUND']).toContain(answer);
    expect([undefined, 'PARTITION_IN_USE']).toContain(refusal);
    await allTaken();
    expect(await proven()).toEqual([]);
    if (refusal !== undefined) await partitions.detach('bets', month);
    expect(await proven()).toEqual([]);
  }
});
