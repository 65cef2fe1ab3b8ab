/** Bets of cached players are settled in one round trip, with the same result as settlement with locks. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { betOnDice, cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import {
  type DiceBet,
  diceBet,
  diceIdOf,
  diceRequest,
  EVENS,
  EVENS_ODDS,
  startSettlement,
} from '../../../../test/kit/games/settlement.ts';
import { formatUnits, ONE, units } from '../../../platform/money.ts';
import { firstNumber } from '../fairness/hash.ts';
import { playDice } from '../house-games/dice/rules.ts';
import type { GameRequest } from './request.ts';
import type { Settlement } from './settlement.ts';

let settlement: Settlement;
let diceId: number;
const app = fixture(startApp);
beforeAll(async () => {
  diceId = await diceIdOf(app);
  settlement = startSettlement(app, 'lone');
});
afterAll(() => settlement.close());

/** Client seed and nonce of every played bet. A single bet that used outdated rows is played a second time. */
let played: string[];
let player: Player;
beforeEach(async () => {
  const balances = ['USDT', 'USDC'].map((currencyId) => ({ currencyId, amount: '100' }));
  const { username } = (await app.call('POST', '/debug/user/create', { body: { balances } })).body;
  player = await app.newPlayer({ username });
  await player.call('POST', '/fairness/seeds/rotate', { body: { clientSeed: 'first' } });
  played = [];
});

const play: DiceBet['play'] = (seeds, nonce, terms) => {
  played.push(`${seeds.clientSeed} ${nonce}`);
  return diceBet(player.id, diceId).play(seeds, nonce, terms);
};
const request = (changes: Partial<DiceBet> = {}): GameRequest =>
  diceRequest(player.id, diceId, {
    play,
    answer: ({ betId, createdAt, payoutUsd, outcome }) => [betId, createdAt, String(payoutUsd), outcome],
    ...changes,
  });
const bet = (changes?: Partial<DiceBet>) => settlement.settle(request(changes)) as Promise<any>;
const storedBets = () =>
  app.db.selectFrom('bets').selectAll().where('user_id', '=', player.id).orderBy('id').execute();

/** Expects these bets, and the cash balance that results from them and from other movements. */
async function expectBooks(nonces: (number | null)[], moved = 0n): Promise<void> {
  const bets = await storedBets();
  expect(bets.map((b) => b.nonce)).toEqual(nonces);
  const inUsdt = bets.filter((b) => b.currency_id === 'USDT');
  const cash = inUsdt.reduce((sum, b) => sum + b.payout - b.amount, 100n * ONE + moved);
  expect(await cashOf(player)).toBe(formatUnits(cash));
}

test('produces the same nonces, outcomes and balances for sequential and concurrent bets', async () => {
  const lone = [];
  for (let i = 0; i < 10; i++) lone.push(await bet());
  const together = await Promise.all(Array.from({ length: 10 }, () => bet()));
  expect(played).toEqual(Array.from({ length: 20 }, (_, i) => `first ${i}`));
  const { revealed } = (await player.call('POST', '/fairness/seeds/rotate', { body: {} })).body;
  const bets = await storedBets();
  for (const [i, answer] of [...lone, ...together].entries()) {
    const { outcome, multiplier, scale } = playDice(
      EVENS,
      EVENS_ODDS,
      firstNumber(revealed.serverSeed, 'first', i),
    );
    const row = bets[i]!;
    const paid = (ONE * multiplier) / scale;
    expect(answer).toEqual([String(row.id), row.created_at.toISOString(), String(paid), outcome]);
    expect(row).toMatchObject({ nonce: i, payout: paid, usd_payout: paid, outcome });
  }
  await expectBooks(Array.from({ length: 20 }, (_, i) => i));
});

describe('a cached player whose rows have changed', () => {
  beforeEach(async () => {
    await bet();
    await bet();
    expect(played).toEqual(['first 0', 'first 1']);
  });

  test('uses the new balance for bets after a vault move', async () => {
    const body = { currencyId: 'USDT', amount: '40' };
    expect((await player.call('POST', '/accounting/to-vault', { body })).status).toBe(201);
    await bet();
    expect(played.slice(2)).toEqual(['first 2', 'first 2']);
    await expectBooks([0, 1, 2], -40n * ONE);
  });

  test('rejects a bet above the current balance when all money is in the vault', async () => {
    const amount = formatUnits(units(await cashOf(player)) - ONE / 2n);
    await player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount } });
    await expect(bet()).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      details: { available: '0.5' },
    });
    expect((await storedBets()).map((b) => b.nonce)).toEqual([0, 1]);
  });

  test('uses the next nonce after a bet in another process', async () => {
    expect((await betOnDice(player)).status).toBe(201);
    await bet();
    expect(played.slice(2)).toEqual(['first 2', 'first 3']);
    await expectBooks([0, 1, 2, 3]);
  });

  test('uses the new seed pair after a rotation, never the revealed one', async () => {
    await player.call('POST', '/fairness/seeds/rotate', { body: { clientSeed: 'second' } });
    await bet();
    expect(played.slice(2)).toEqual(['first 2', 'second 0']);
    await bet();
    // The nonce and the wallet are unchanged, so only the seed pair shows that the cache is outdated.
    await player.call('POST', '/fairness/seeds/rotate', { body: { clientSeed: 'third' } });
    for (let i = 0; i < 2; i++) expect((await betOnDice(player, { currencyId: 'USDC' })).status).toBe(201);
    await bet();
    expect(played.slice(5)).toEqual(['second 2', 'third 2']);
    await expectBooks([0, 1, 0, 1, 0, 1, 2]);
  });

  test('rejects bets after a ban', async () => {
    await app.db.updateTable('players').set({ is_banned: true }).where('user_id', '=', player.id).execute();
    await expect(bet()).rejects.toMatchObject({ status: 403, code: 'USER_BANNED' });
    await app.db.updateTable('players').set({ is_banned: false }).where('user_id', '=', player.id).execute();
    await expectBooks([0, 1]);
  });

  test('settles the next bet normally after a failed bet', async () => {
    const impossible = { maxProfitUsd: 2n ** 64n };
    await expect(bet(impossible)).rejects.toThrow(RangeError);
    await expect(bet({ windowId: 'a\0b' })).rejects.toMatchObject({ code: '22021' });
    await bet();
    await bet();
    await expectBooks([0, 1, 2, 3]);
  });

  test('uses the separate balance of each currency', async () => {
    const inEuro = { currencyId: 'EUR', decimals: 2 };
    await expect(bet(inEuro)).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    await bet();
    await expectBooks([0, 1, 2]);
  });
});

describe('a batch of several players', () => {
  let others: Player[];
  beforeEach(async () => {
    others = await Promise.all(Array.from({ length: 3 }, () => richPlayer()));
    await rush(4);
    played = [];
  });
  const richPlayer = async () => {
    const balances = [{ currencyId: 'USDT', amount: '100' }];
    const { username } = (await app.call('POST', '/debug/user/create', { body: { balances } })).body;
    const rich = await app.newPlayer({ username });
    await rich.call('POST', '/fairness/seeds/rotate', { body: { clientSeed: `of ${rich.id}` } });
    return rich;
  };
  const everybody = () => [player, ...others];
  /** Sends this number of bets for each player at the same time, and returns their results. */
  const rush = (times: number, of = settlement, changes: Partial<DiceBet> = {}) =>
    Promise.allSettled(
      Array.from({ length: times }, () => everybody())
        .flat()
        .map(({ id }) => of.settle(diceRequest(id, diceId, { play, ...changes }))),
    );
  const failed = (results: PromiseSettledResult<unknown>[]) =>
    results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  async function expectAllBooks(bets: number, moved = new Map<number, bigint>()): Promise<void> {
    for (const one of everybody()) {
      const rows = await app.db
        .selectFrom('bets')
        .selectAll()
        .where('user_id', '=', one.id)
        .orderBy('id')
        .execute();
      expect(rows.map((row) => row.nonce)).toEqual(Array.from({ length: bets }, (_, i) => i));
      const cash = rows.reduce((sum, row) => sum + row.payout - row.amount, 100n * ONE);
      expect(await cashOf(one)).toBe(formatUnits(cash + (moved.get(one.id) ?? 0n)));
    }
  }

  test('places every bet once, with the next nonce and the balance left by the previous bet', async () => {
    for (let round = 0; round < 5; round++) expect(failed(await rush(4))).toEqual([]);
    expect(played.length).toBe(5 * 4 * 4);
    await expectAllBooks(24);
  });

  test('settles a batch again with current rows after one of its players has moved money', async () => {
    const [other] = others as [Player];
    const body = { currencyId: 'USDT', amount: '40' };
    expect((await other.call('POST', '/accounting/to-vault', { body })).status).toBe(201);
    expect(failed(await rush(1))).toEqual([]);
    expect(played.length).toBe(8);
    expect(failed(await rush(1))).toEqual([]);
    expect(played.length).toBe(12);
    await expectAllBooks(6, new Map([[other.id, -40n * ONE]]));
  });

  test('never rejects a bet based on cached rows, so that newly received money can be staked', async () => {
    const [other] = others as [Player];
    const vault = { currencyId: 'USDT', amount: formatUnits(units(await cashOf(other)) - ONE / 2n) };
    await other.call('POST', '/accounting/to-vault', { body: vault });
    const refused = failed(await rush(1));
    expect(refused).toEqual([expect.objectContaining({ code: 'INSUFFICIENT_BALANCE' })]);
    await other.call('POST', '/accounting/from-vault', { body: vault });
    expect(failed(await rush(1))).toEqual([]);
    expect(
      (await app.db.selectFrom('bets').where('user_id', '=', other.id).select('id').execute()).length,
    ).toBe(5);
  });

  test('loses no money and uses no nonce twice when two processes settle bets of the same players', async () => {
    const second = startSettlement(app, 'second');
    for (let round = 0; round < 10; round++) {
      const results = await Promise.all([rush(2), rush(2, second)]);
      expect(failed(results.flat())).toEqual([]);
    }
    await second.close();
    await expectAllBooks(44);
  });
});

test('discards rows that were read over a lost connection, because the server may have been restored to an earlier state', async () => {
  await bet();
  await bet();
  const wallet = app.db.selectFrom('wallets').select(['vault', 'version']);
  const read = () =>
    wallet.where('user_id', '=', player.id).where('currency_id', '=', 'USDT').executeTakeFirstOrThrow();
  const before = await read();
  // The row has the same version but a different balance, as if the server had been restored to an earlier state.
  const setVault = (vault: bigint) =>
    app.db
      .updateTable('wallets')
      .set({ vault })
      .where('user_id', '=', player.id)
      .where('currency_id', '=', 'USDT')
      .execute();
  await setVault(60n * ONE);
  const lane = app.sql.raw("from pg_stat_activity where application_name = 'lone lane 0'");
  await app.sql`select pg_terminate_backend(pid) ${lane}`.execute(app.db);
  await expect.poll(async () => (await app.sql`select ${lane}`.execute(app.db)).rows).toEqual([]);
  // Received data is read in one of the next iterations of the event loop.
  await sleep(200);
  await bet();
  expect(await read()).toEqual({ vault: 60n * ONE, version: BigInt(before.version) + 1n });
  await setVault(0n);
  await expectBooks([0, 1, 2]);
});

test('reports an unknown outcome when the connection breaks, and returns the outcome when the key is repeated', async () => {
  await bet();
  const repeat = { key: randomUUID(), inputHash: Buffer.alloc(32) };
  const client = new pg.Client({ connectionString: app.database.url });
  await client.connect();
  await client.query('begin');
  await client.query('select from wallets where user_id = $1 for update', [player.id]);
  const lost = bet({ repeat }).catch((error: unknown) => error);
  const killed = async () =>
    (
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'lone lane 0' and wait_event_type = 'Lock'`)
    ).rowCount;
  await expect.poll(killed).toBe(1);
  expect(await lost).toMatchObject({ status: 503, code: 'BET_OUTCOME_UNKNOWN' });
  await client.query('rollback');
  await client.end();
  const made = await bet({ repeat });
  expect(await bet({ repeat })).toEqual(made);
  await expectBooks([0, 1]);
});
