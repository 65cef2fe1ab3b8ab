/** A process caches rounds and sessions. Changes by other processes must still always take effect. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { betOnDice, cashOf, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  back,
  bet,
  GENERIC,
  HUB88,
  openLab,
  SOFTSWISS,
  win,
} from '../../../../../test/kit/games/provider-wallet.ts';

const one = fixture(startApp);
const second = fixture(() => startApp({ database: one.database }));
const ONE = 100_000_000n;
const times = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));
const OK = { status: 'OK', isRepeated: false };
const ENDS = { closes: true };

async function betOf(userId: number) {
  const { rows } = await sql<{
    status: string;
    amount: bigint;
    payout: bigint;
    stakes: number;
    wins: number;
  }>`
    select b.status, b.amount, b.payout, r.stakes, r.wins from provider_rounds r join bets b on b.id = r.bet_id
    where r.user_id = ${userId}`.execute(one.db);
  expect(rows).toHaveLength(1);
  return rows[0]!;
}
const idsOf = async (userId: number) =>
  (
    await sql<{ id: string }>`select transaction_id as id from provider_transactions where user_id = ${userId}
      order by 1`.execute(one.db)
  ).rows.map(({ id }) => id);

describe('a round cached by this process', () => {
  test('books a win and the end of its round after another process accepted a stake', async () => {
    const { player, call, elsewhere } = await (await openLab(one, GENERIC, { second })).seat(100);
    expect(await call([bet('b1', 10)])).toMatchObject(OK);
    expect(await elsewhere([bet('b2', 20)])).toMatchObject(OK);
    expect(await call([win('w1', 5)], ENDS)).toMatchObject({ ...OK, balance: 75n * ONE });
    expect(await betOf(player.id)).toEqual({
      status: 'SETTLED',
      amount: 30n * ONE,
      payout: 5n * ONE,
      stakes: 2,
      wins: 1,
    });
  });

  test('keeps the stored bet when other processes changed its stakes but the balance is the same as before', async () => {
    const { player, call, elsewhere } = await (await openLab(one, SOFTSWISS, { second })).seat(100);
    expect(await call([bet('b1', 10)])).toMatchObject(OK);
    expect(await elsewhere([bet('b2', 25)])).toMatchObject(OK);
    expect(await elsewhere([back('x1', 'b1')])).toMatchObject(OK);
    expect(await call([win('w1', 0)], ENDS)).toMatchObject({ ...OK, balance: 75n * ONE });
    expect(await betOf(player.id)).toMatchObject({
      status: 'SETTLED',
      amount: 25n * ONE,
      stakes: 1,
      wins: 1,
    });
  });

  test('rejects a win every time when another process has ended the round', async () => {
    const { player, call, elsewhere } = await (await openLab(one, GENERIC, { second })).seat(100);
    expect(await call([bet('b1', 10)])).toMatchObject(OK);
    expect(await elsewhere([], ENDS)).toMatchObject({ status: 'OK' });
    const refused = { status: 'ROUND_CLOSED', balance: 90n * ONE };
    expect(await call([win('w1', 5)])).toMatchObject(refused);
    expect(await elsewhere([win('w1', 5)])).toMatchObject(refused);
    expect(await idsOf(player.id)).toEqual(['b1', 'w1']);
  });

  test('does not change a round when its end is reported a second time', async () => {
    const { player, call, elsewhere } = await (await openLab(one, GENERIC, { second })).seat(100);
    await call([bet('b1', 10)]);
    await elsewhere([], ENDS);
    expect(await call([], ENDS)).toMatchObject({ status: 'OK', balance: 90n * ONE });
    expect(await betOf(player.id)).toMatchObject({ status: 'SETTLED', payout: 0n });
  });

  test('rejects a win for a bet that another process rolled back', async () => {
    const { player, call, elsewhere } = await (await openLab(one, HUB88, { second })).seat(100);
    await call([bet('b1', 10)]);
    await call([bet('b2', 5)]);
    expect(await elsewhere([back('x1', 'b1')])).toMatchObject(OK);
    expect((await call([win('w1', 50, 'b1')])).status).toBe('TRANSACTION_NOT_FOUND');
    expect(await call([win('w2', 1, 'b2')], ENDS)).toMatchObject({ ...OK, balance: 96n * ONE });
    expect(await idsOf(player.id)).toEqual(['b1', 'b2', 'w2', 'x1']);
  });

  test('rejects a win for a bet that the same process rolled back', async () => {
    const { call } = await (await openLab(one, HUB88, { second })).seat(100);
    await call([bet('b1', 10)]);
    await call([bet('b2', 5)]);
    expect(await call([back('x1', 'b1')])).toMatchObject(OK);
    expect((await call([win('w1', 50, 'b1')])).status).toBe('TRANSACTION_NOT_FOUND');
    expect(await call([back('x2', 'b1')])).toMatchObject({ ...OK, balance: 95n * ONE });
  });

  test('returns money once, without a tombstone, when a bet and its rollback arrive at different processes', async () => {
    const { player, call, elsewhere } = await (await openLab(one, HUB88, { second })).seat(100);
    await elsewhere([bet('b1', 10)]);
    await call([bet('b2', 5)]);
    expect(await call([back('x1', 'b1')])).toMatchObject({ ...OK, balance: 95n * ONE });
    expect(await elsewhere([back('x2', 'b1')])).toMatchObject({ ...OK, balance: 95n * ONE });
    expect(await idsOf(player.id)).toEqual(['b1', 'b2', 'x1', 'x2']);
  });
});

describe('a transaction id that another process has booked', () => {
  test('returns the stored response even if the balance is no longer sufficient', async () => {
    const { call, elsewhere } = await (await openLab(one, GENERIC, { second })).seat(100);
    await call([bet('b0', 1)], { round: 'r0' });
    const first = await elsewhere([bet('b1', 99)]);
    expect(first).toMatchObject({ ...OK, balance: 0n });
    expect(await call([bet('b1', 99)])).toEqual({
      ...first,
      isRepeated: true,
      actions: [expect.anything()],
    });
    expect((await call([bet('b1', 98)])).status).toBe('TRANSACTION_CONFLICT');
  });

  test('returns the stored rejection even after a deposit', async () => {
    const { player, call, elsewhere } = await (await openLab(one, GENERIC, { second })).seat(1);
    expect((await elsewhere([bet('b1', 10)])).status).toBe('INSUFFICIENT_FUNDS');
    await player.call('GET', '/debug/me/give-money?amount=100');
    expect((await call([bet('b1', 10)])).status).toBe('INSUFFICIENT_FUNDS');
    expect(await call([bet('b2', 10)])).toMatchObject({ ...OK, balance: 91n * ONE });
  });

  test('rejects a transaction that was rolled back before it arrived', async () => {
    const { call, elsewhere } = await (await openLab(one, GENERIC, { second })).seat(100);
    expect(await elsewhere([back('x1', 'b1')])).toMatchObject(OK);
    expect((await call([bet('b1', 10)])).status).toBe('TRANSACTION_CONFLICT');
    expect(await call([bet('b2', 10)])).toMatchObject({ ...OK, balance: 90n * ONE });
  });

  test('processes the other calls in a batch normally when one transaction id is a repeat', async () => {
    const lab = await openLab(one, GENERIC, { second });
    const seats = await Promise.all(times(12, () => lab.seat(100)));
    await seats[0]!.elsewhere([bet('shared', 1)]);
    const answers = await Promise.all(
      seats.map(({ call }, i) => call([i === 0 ? bet('shared', 1) : bet(`own${i}`, 1)])),
    );
    expect(answers.map(({ isRepeated }) => isRepeated)).toEqual(times(12, (i) => i === 0));
    expect(answers.every(({ status, balance }) => status === 'OK' && balance === 99n * ONE)).toBe(true);
  });

  test('books a transaction once when both processes receive it sixty times concurrently', async () => {
    const { player, call, elsewhere } = await (await openLab(one, GENERIC, { second })).seat(100);
    for (let turn = 0; turn < 5; turn++) {
      const said = bet(`t${turn}`, 1);
      const all = await Promise.all(times(60, (i) => (i % 2 ? call : elsewhere)([said])));
      expect(all.filter(({ isRepeated }) => !isRepeated)).toHaveLength(1);
      expect(new Set(all.map(({ actions }) => actions[0]!.transactionId)).size).toBe(1);
    }
    expect([await cashOf(player), await idsOf(player.id)]).toEqual(['95', ['t0', 't1', 't2', 't3', 't4']]);
  });
});

test('keeps sums, counts and cash exact when both processes book stakes and wins of the same rounds', {
  timeout: 240_000,
}, async () => {
  const lab = await openLab(one, GENERIC, { second });
  const seats = await Promise.all(times(4, () => lab.seat(1000)));
  for (let turn = 0; turn < 6; turn++)
    await Promise.all(
      seats.flatMap(({ call, elsewhere }) =>
        times(20, (i) => {
          const at = i % 2 ? call : elsewhere;
          return at([turn === 0 || i % 3 ? bet(`${turn}b${i}`, 2) : win(`${turn}w${i}`, 1)]).then(
            ({ status }) => expect(status).toMatch(/OK|CONFLICT/),
          );
        }),
      ),
    );
  for (const { player } of seats) {
    const { rows } = await sql<{ staked: bigint; won: bigint; bets: number; wins: number }>`
      select coalesce(sum(amount) filter (where type = 'BET'), 0)::int8 as staked,
        coalesce(sum(amount) filter (where type = 'WIN'), 0)::int8 as won,
        count(*) filter (where type = 'BET')::int as bets, count(*) filter (where type = 'WIN')::int as wins
      from provider_transactions where user_id = ${player.id} and status = 'DONE'`.execute(one.db);
    const { staked, won, bets, wins } = rows[0]!;
    if (bets === 0) continue;
    expect(await betOf(player.id)).toMatchObject({ amount: staked, payout: won, stakes: bets, wins });
    expect(BigInt(await cashOf(player)) * ONE).toBe(1000n * ONE - staked + won);
  }
});

describe('a session cached by this process', () => {
  test('accepts a win in the open round after a sign-out, but accepts no bet', async () => {
    const { player, call } = await (await openLab(one, GENERIC, { second })).seat(100);
    expect(await call([bet('b1', 10)])).toMatchObject(OK);
    expect(await call([bet('b2', 10)])).toMatchObject(OK);
    await sql`update sessions set revoked_at = now() where user_id = ${player.id}`.execute(one.db);
    expect((await call([bet('b3', 10)])).status).toBe('TOKEN_EXPIRED');
    expect(await call([win('w1', 5)], ENDS)).toMatchObject({ ...OK, balance: 85n * ONE });
    expect(await idsOf(player.id)).toEqual(['b1', 'b2', 'w1']);
  });

  test.each([
    ['ended', sql`ended_at = now()`],
    ['is over', sql`expires_at = now()`],
  ])('accepts no bet when it %s', async (_, change) => {
    const { player, call } = await (await openLab(one, GENERIC, { second })).seat(100);
    await call([bet('b1', 10)]);
    await sql`update provider_sessions set ${change} where user_id = ${player.id}`.execute(one.db);
    expect((await call([bet('b2', 10)])).status).toBe('TOKEN_EXPIRED');
    expect(await idsOf(player.id)).toEqual(['b1']);
  });

  test('rejects a session that was deleted', async () => {
    const { player, call } = await (await openLab(one, GENERIC, { second })).seat(100);
    await call([bet('b1', 10)]);
    await sql`delete from provider_sessions where user_id = ${player.id}`.execute(one.db);
    expect((await call([bet('b2', 10)])).status).toBe('INVALID_TOKEN');
  });

  test('rejects a session of another player', async () => {
    const lab = await openLab(one, GENERIC, { second });
    const [mine, other] = [await lab.seat(100), await lab.seat(100)];
    await mine.call([bet('b1', 10)]);
    const stolen = { playerId: String(other.player.id) };
    expect((await mine.call([bet('b2', 10)], stolen)).status).toBe('INVALID_TOKEN');
    expect(await cashOf(other.player)).toBe('100');
  });
});

test('rejects spending money that another process has spent, and allows spending money that another process has credited', async () => {
  const { player, call, elsewhere } = await (await openLab(one, GENERIC, { second })).seat(10);
  await call([bet('b1', 4)]);
  await elsewhere([bet('b2', 4)]);
  expect((await call([bet('b3', 4)])).status).toBe('INSUFFICIENT_FUNDS');
  await player.call('GET', '/debug/me/give-money?amount=10');
  expect(await call([bet('b4', 4)])).toMatchObject({ ...OK, balance: 8n * ONE });
});

test('places house bets only once when a wallet call in the same batch has to be processed again', async () => {
  const { player, call, elsewhere } = await (await openLab(one, GENERIC, { second })).seat(100);
  await call([bet('b0', 1)]);
  for (let turn = 0; turn < 5; turn++) {
    await elsewhere([bet(`e${turn}`, 1)]);
    const [repeated, ...bets] = await Promise.all([
      call([bet(`e${turn}`, 1)]),
      ...times(10, () => betOnDice(player, { betAmount: '0.1' })),
    ]);
    expect(repeated).toMatchObject({ status: 'OK', isRepeated: true });
    expect(bets.map(({ status }) => status)).toEqual(times(10, () => 201));
  }
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from bets where user_id = ${player.id}
    and nonce is not null`.execute(one.db);
  expect(rows[0]!.n).toBe(50);
});

test('discards every cached round when the connection is lost during a batch', async () => {
  const lab = await openLab(one, GENERIC);
  const [waiting, other] = [await lab.seat(100), await lab.seat(100)];
  // Waits, because the cache is briefly disabled after failures such as those in the previous test.
  await sleep(500);
  expect(await waiting.call([bet('b1', 10)])).toMatchObject(OK);
  expect(await other.call([bet('c1', 10)])).toMatchObject(OK);
  // Changes the row but not its change counter, as if the server had been restored to an earlier state.
  const setStakes = (stakes: number) =>
    sql`update provider_rounds set stakes = ${stakes} where user_id = ${other.player.id}`.execute(one.db);
  await setStakes(3);

  const blocker = new pg.Client({ connectionString: one.database.url });
  await blocker.connect();
  await blocker.query('begin');
  await blocker.query('select from players where user_id = $1 for update', [waiting.player.id]);
  const booked = waiting.call([bet('b2', 10)]);
  const breakLane = async () =>
    (
      await blocker.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like '% lane %' and wait_event_type = 'Lock'`)
    ).rowCount;
  await expect.poll(breakLane).toBe(1);
  await blocker.query('rollback');
  await blocker.end();
  expect(await booked).toMatchObject(OK);

  await sleep(500);
  expect(await other.call([win('w1', 5)])).toMatchObject(OK);
  expect(await betOf(other.player.id)).toMatchObject({ stakes: 3, wins: 1 });
  await setStakes(1);
});
