import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { cashOf, PATIENCE, type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  betOn,
  changeGame,
  endPhase,
  keepSeeds,
  newestRound,
  placeDirectly,
  startSpeedRoulette,
  turnUntil,
} from '../../../../../test/kit/games/speed-roulette.ts';
import { startProcess } from '../../../../../test/kit/processes/process.ts';
import { ONE, units } from '../../../../platform/money.ts';
import { createEncryption } from '../../../../platform/secrets/encryption.ts';
import { firstNumber, hashServerSeed } from '../../fairness/hash.ts';
import { linkAt } from './commit.ts';
import { colorOf, multiplierOf, positionOf } from './rules.ts';

// The timeouts are long, because a hundred players connect at the same time.
const app = fixture(() => startSpeedRoulette(PATIENCE));
const second = fixture(() => startApp({ env: app.env, database: app.database }));

const statuses = async (roundId: bigint): Promise<Record<string, number>> => {
  const { rows } = await sql<{ status: string; bets: number }>`
    select status, count(*)::int as bets from bets where round_id = ${roundId} group by 1`.execute(app.db);
  return Object.fromEntries(rows.map(({ status, bets }) => [status, bets]));
};

const playersWith = (count: number, usdt = 100): Promise<Player[]> =>
  Promise.all(Array.from({ length: count }, () => app.newPlayer({ usdt })));

/** Returns the total payout, in dollars, of a stake of one dollar on each colour. */
const won = (number: number): bigint => multiplierOf(colorOf(number), number);
const ALL = ['RED', 'BLACK', 'GREEN'] as const;
const oneEach = (players: readonly Player[]) =>
  players.flatMap(({ id: userId }) => ALL.map((color) => ({ userId, color })));

/** Returns the next round after its betting phase, in which each player has bet one dollar on each colour. */
async function bookOf(players: readonly Player[]): Promise<bigint> {
  if ((await newestRound(app))?.phase !== 'BETTING') await turnUntil(app, 'BETTING');
  const { id } = (await newestRound(app))!;
  await placeDirectly(app.db, oneEach(players));
  await turnUntil(app, 'WAITING');
  return id;
}

/** Makes the database reject every change that ends the bet. */
const poison = (id: bigint) =>
  sql
    .raw(`create or replace function poisoned() returns trigger language plpgsql as $$ begin
      if new.id = ${id} and new.status in ('SETTLED', 'ROLLBACK') then raise exception 'poisoned' using errcode = 'data_exception'; end if;
      return new; end $$;
    create or replace trigger poisoned before update on bets for each row execute function poisoned()`)
    .execute(app.db);
const heal = () => sql.raw('drop trigger poisoned on bets').execute(app.db);

test("limits the profit of a player's bets in a round to maxProfit, reducing the last bets first", async () => {
  await changeGame(app, { maxBet: '1000', maxProfit: '1000' });
  await comesUpGreen();
  const [player] = (await playersWith(1, 5000)) as [Player];
  await turnUntil(app, 'BETTING');
  for (const color of ['GREEN', 'GREEN', 'RED', 'GREEN'])
    expect((await betOn(player, color, { betAmount: '60' })).status).toBe(201);
  const { id, number } = await turnUntil(app, 'RESULT');
  expect(number).toBe(0);
  const { rows } = await sql<{ payout: bigint; usd_payout: bigint; max_profit_usd: bigint }>`
    select payout, usd_payout, max_profit_usd from bets where round_id = ${id} order by id`.execute(app.db);
  expect(rows).toEqual(
    ['840', '400', '0', '0'].map((amount) => ({
      payout: units(amount),
      usd_payout: units(amount),
      max_profit_usd: units('1000'),
    })),
  );
  expect(await cashOf(player)).toBe('6000');
  await changeGame(app, { maxBet: '1000', maxProfit: '100000' });
});

/** Gives the chain a public seed for which its first round is green, before any round uses the chain. */
async function comesUpGreen(): Promise<void> {
  const { rows } = await sql<{
    links: Buffer;
    length: number;
  }>`select links, length from speed_chains`.execute(app.db);
  const encryption = createEncryption(app.config.SEED_SECRET, 'speed-roulette chains');
  const seed = linkAt(encryption.open(rows[0]!.links), rows[0]!.length - 1);
  let publicSeed = hashServerSeed('block');
  while (positionOf(firstNumber(seed, publicSeed, 1)) !== 0) publicSeed = hashServerSeed(publicSeed);
  await sql`update speed_chains set public_seed = ${publicSeed}`.execute(app.db);
}

test('ends a waiting run as soon as its process closes', async () => {
  await turnUntil(app, 'BETTING');
  const closing = new AbortController();
  const turn = app.services.speedRoulette.turn(60_000, closing.signal);
  const isOver = vi.fn();
  void turn.then(isOver);
  await sleep(200);
  expect(isOver).not.toHaveBeenCalled();
  const aborted = performance.now();
  closing.abort();
  await turn;
  expect(performance.now() - aborted).toBeLessThan(30_000);
});

describe('two runners', () => {
  test('lets two runners work concurrently without repeating a step', async () => {
    const players = await playersWith(5);
    for (let i = 0; i < 3; i++) {
      await turnUntil(app, 'BETTING');
      const { id } = (await newestRound(app))!;
      await placeDirectly(app.db, oneEach(players));
      while ((await newestRound(app))!.id === id) {
        await endPhase(app);
        await Promise.all([app, second, app].map((each) => each.services.speedRoulette.turn()));
      }
      expect(await statuses(id)).toEqual({ SETTLED: 15 });
    }
    const { rows } =
      await sql`select 1 from speed_rounds where phase in ('BETTING', 'WAITING', 'RESULT')`.execute(app.db);
    expect(rows).toHaveLength(1);
  });

  test('skips bets that another settlement is processing', async () => {
    const players = await playersWith(10);
    const id = await bookOf(players);
    await endPhase(app);
    await Promise.all([app, second].map((each) => each.services.speedRoulette.turn()));
    await turnUntil(app, 'RESULT', { skip: false });
    expect(await statuses(id)).toEqual({ SETTLED: 30 });
    const { number } = (await newestRound(app))!;
    for (const player of players) expect(await cashOf(player)).toBe(String(97n + won(number!)));
  });
});

describe('after a crash', () => {
  test('settles bets before the next round opens, after a crash between draw and settlement', async () => {
    const players = await playersWith(4);
    const id = await bookOf(players);
    // The first runner draws the result and fails before it settles the first bet.
    await sql
      .raw(`create or replace function crash() returns trigger language plpgsql as $$ begin
      raise exception 'gone' using errcode = 'admin_shutdown'; end $$;
      create trigger crash before update on bets for each statement execute function crash()`)
      .execute(app.db);
    await endPhase(app);
    await expect(app.services.speedRoulette.turn()).rejects.toThrow();
    expect(await newestRound(app)).toMatchObject({ id, phase: 'RESULT', settled_at: null });
    await endPhase(app);
    await expect(app.services.speedRoulette.turn()).rejects.toThrow();
    expect((await newestRound(app))!.id).toBe(id);
    expect(await statuses(id)).toEqual({ CREATED: 12 });
    await sql.raw('drop trigger crash on bets').execute(app.db);
    await second.services.speedRoulette.turn();
    expect(await statuses(id)).toEqual({ SETTLED: 12 });
    const { rows: drawn } = await sql<{
      number: number;
    }>`select number from speed_rounds where id = ${id}`.execute(app.db);
    for (const player of players) expect(await cashOf(player)).toBe(String(97n + won(drawn[0]!.number)));
  });

  test('settles the remaining bets once, after a crash during the settlement', async () => {
    const players = await playersWith(25);
    const bets = players.flatMap((player) => Array.from({ length: 10 }, () => oneEach([player])).flat());
    await turnUntil(app, 'BETTING');
    const { id } = (await newestRound(app))!;
    for (const from of [0, 375]) await placeDirectly(app.db, bets.slice(from, from + 375));
    await turnUntil(app, 'WAITING');
    // 750 bets are settled in three transactions, and the second transaction fails.
    await sql
      .raw(`create or replace function crash() returns trigger language plpgsql as $$ begin
      if exists (select from bets where round_id = ${id} and status = 'SETTLED') then
        raise exception 'gone' using errcode = 'admin_shutdown'; end if; return null; end $$;
      create trigger crash before update on bets for each statement execute function crash()`)
      .execute(app.db);
    await endPhase(app);
    await expect(app.services.speedRoulette.turn()).rejects.toThrow();
    expect(await statuses(id)).toEqual({ SETTLED: 340, CREATED: 410 });
    await sql.raw('drop trigger crash on bets').execute(app.db);
    await second.services.speedRoulette.turn();
    expect(await statuses(id)).toEqual({ SETTLED: 750 });
    const { rows } = await sql<{ number: number }>`select number from speed_rounds where id = ${id}`.execute(
      app.db,
    );
    const { rows: wallets } = await sql<{ cash: bigint }>`
      select cash from wallets where user_id = any(${players.map((p) => p.id)}) group by 1`.execute(app.db);
    expect(wallets).toEqual([{ cash: (70n + 10n * won(rows[0]!.number)) * ONE }]);
    await app.assertInvariants();
  });

  test('continues the round with its bets, after a crash during the betting phase', async () => {
    const [player] = (await playersWith(1)) as [Player];
    const { id } = await turnUntil(app, 'BETTING');
    expect((await betOn(player, 'RED')).status).toBe(201);
    await second.services.speedRoulette.turn();
    expect(await newestRound(app)).toMatchObject({ id, phase: 'BETTING' });
    expect((await betOn(player, 'BLACK')).status).toBe(201);
    await turnUntil(second, 'RESULT');
    expect(await statuses(id)).toEqual({ SETTLED: 2 });
  });

  test('draws and settles the round immediately when the outage lasted past the betting phase', async () => {
    const [player] = (await playersWith(1)) as [Player];
    const { id } = await turnUntil(app, 'BETTING');
    expect((await betOn(player, 'RED')).status).toBe(201);
    await sql`update speed_rounds set started_at = now() - interval '1 hour', ends_at = now() - interval '59 minutes'
      where id = ${id}`.execute(app.db);
    await sql`update bets set created_at = now() - interval '1 hour' where round_id = ${id}`.execute(app.db);
    await second.services.speedRoulette.turn();
    expect(await newestRound(app)).toMatchObject({ id, phase: 'RESULT', settled_at: expect.any(Date) });
    expect(await statuses(id)).toEqual({ SETTLED: 1 });
  });
});

describe('a bet that cannot be settled', () => {
  test('marks a bet as ERROR with its reason, and settles it once the cause is fixed', async () => {
    const players = await playersWith(40);
    await turnUntil(app, 'BETTING');
    const { id } = (await newestRound(app))!;
    const ids = await placeDirectly(app.db, oneEach(players));
    await poison(ids[55]!);
    await turnUntil(app, 'WAITING');
    const { number } = await turnUntil(app, 'RESULT');
    expect(await statuses(id)).toEqual({ SETTLED: 119, ERROR: 1 });
    const read = async () => {
      const { rows } =
        await sql`select status, error_reason, payout from bets where id = ${ids[55]!}`.execute(app.db);
      return rows[0];
    };
    expect(await read()).toEqual({ status: 'ERROR', error_reason: 'poisoned', payout: 0n });
    expect((await turnUntil(app, 'BETTING')).id).toBeGreaterThan(id);

    expect(await app.services.speedRoulette.retry(ids[55]!)).toBe('ERROR');
    await heal();
    const retries = await Promise.all(
      [app, second].map((each) => each.services.speedRoulette.retry(ids[55]!)),
    );
    expect(retries).toContain('SETTLED');
    expect(await read()).toMatchObject({ status: 'SETTLED', error_reason: null });
    expect(await app.services.speedRoulette.retry(ids[55]!)).toBeUndefined();
    expect(await app.services.speedRoulette.retry(1n)).toBeUndefined();
    for (const player of players) expect(await cashOf(player)).toBe(String(97n + won(number!)));
  });

  test('settles the other bets when one has an unknown colour', async () => {
    const [player] = (await playersWith(1)) as [Player];
    await turnUntil(app, 'BETTING');
    const colors = ['RED', 'PINK', 'BLACK', 'GREEN'];
    const ids = await placeDirectly(
      app.db,
      colors.map((color) => ({ userId: player.id, color })),
    );
    const { id, number } = await turnUntil(app, 'RESULT');
    expect(await statuses(id)).toEqual({ SETTLED: 3, ERROR: 1 });
    expect(await cashOf(player)).toBe(String(96n + won(number!)));
    await sql`update bets set inputs = '{"color":"RED"}' where id = ${ids[1]!}`.execute(app.db);
    expect(await app.services.speedRoulette.retry(ids[1]!)).toBe('SETTLED');
  });
});

describe("players' limits in a round", () => {
  test('counts the wins and losses of a restricted player towards the limits', async () => {
    await turnUntil(app, 'RESULT');
    const [player] = (await playersWith(1)) as [Player];
    const limit = { type: 'LOSS', period: 'DAY', amount: '2' };
    expect((await player.call('POST', '/user-limits/gambling-limits', { body: limit })).status).toBeLessThan(
      300,
    );
    await turnUntil(app, 'BETTING');
    expect((await betOn(player, 'RED')).status).toBe(201);
    expect((await betOn(player, 'BLACK')).status).toBe(201);
    expect((await betOn(player, 'BLACK', { betAmount: '0.01' })).body.code).toBe('LIMIT_REACHED');
    const { number } = await turnUntil(app, 'RESULT');
    await turnUntil(app, 'BETTING');
    const next = await betOn(player, 'BLACK');
    if (number === 0) expect(next.body.code).toBe('LIMIT_REACHED');
    else expect(next.status).toBe(201);
  });
});

describe('a round that cannot be drawn', () => {
  test('voids the round, returns the stakes, skips its position and continues with the next chain', async () => {
    await turnUntil(app, 'RESULT');
    await turnUntil(app, 'BETTING');
    const players = await playersWith(6);
    const id = await bookOf(players);
    const { position, chain_id: chain, seed_hash: announced } = (await newestRound(app))!;
    await sql`update speed_rounds set seed_hash = 'not this one' where id = ${id}`.execute(app.db);
    await poison(await newestBet(id));
    await endPhase(app);
    await app.services.speedRoulette.turn();
    expect(await newestRound(app)).toMatchObject({ id, phase: 'VOID', seed: null, number: null });
    expect(await statuses(id)).toEqual({ ROLLBACK: 17, ERROR: 1 });
    await heal();
    expect(await app.services.speedRoulette.retry(await newestBet(id))).toBe('ROLLBACK');
    expect(await statuses(id)).toEqual({ ROLLBACK: 18 });
    for (const player of players) expect(await cashOf(player)).toBe('100');
    const { body } = await players[0]!.call('GET', '/bets?status=ROLLBACK');
    expect(body.data[0]).toMatchObject({ status: 'ROLLBACK', amount: '1', payout: '0' });
    await sql`update speed_rounds set seed_hash = ${announced} where id = ${id}`.execute(app.db);

    await keepSeeds(app, app.outside);
    const next = await turnUntil(app, 'BETTING');
    expect(next.position).toBe(1);
    expect(next.chain_id).toBeGreaterThan(chain);
    expect(position).toBeGreaterThan(1);
    const chains = (await app.call('GET', '/fairness/chains')).body;
    expect(chains[1]).toMatchObject({ isRetired: true, played: position });
    expect(JSON.stringify(app.lines)).toContain('a round cannot be drawn and is void');
  });

  test('stops using a chain that cannot be decrypted', async () => {
    const players = await playersWith(2);
    const id = await bookOf(players);
    const { chain_id: chain } = (await newestRound(app))!;
    await sql`update speed_chains set links = '\\x00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff'
      where id = ${chain}`.execute(app.db);
    // A second process, which has not read the links yet.
    const fresh = await startApp({ env: app.env, database: app.database });
    await endPhase(app);
    await fresh.services.speedRoulette.turn();
    expect(await statuses(id)).toEqual({ ROLLBACK: 6 });
    await keepSeeds(fresh, app.outside);
    expect((await turnUntil(fresh, 'BETTING')).chain_id).toBeGreaterThan(chain);
    await fresh.stop();
    const later = await startApp({ env: app.env, database: app.database });
    const { chain_id: last } = await turnUntil(later, 'RESULT');
    await sql`update speed_chains set links = '\\x00' where id = ${last}`.execute(app.db);
    await later.stop();
    const last2 = await startApp({ env: app.env, database: app.database });
    await turnUntil(last2, 'DONE');
    await keepSeeds(last2, app.outside);
    expect((await turnUntil(last2, 'BETTING')).chain_id).toBeGreaterThan(last);
    await last2.stop();
  });

  const newestBet = async (roundId: bigint): Promise<bigint> => {
    const { rows } = await sql<{
      id: bigint;
    }>`select max(id) as id from bets where round_id = ${roundId}`.execute(app.db);
    return rows[0]!.id;
  };
});

test('continues on another worker within five seconds when the active one is killed', async () => {
  await changeGame(app, { timeConfig: { bettingMs: 3000, waitingMs: 0, resultMs: 1000 } });
  await turnUntil(app, 'RESULT');
  const { JWT_SECRET, SEED_SECRET, DATA_SECRET } = app.config;
  const env = {
    ...app.env,
    APP_ENV: 'test',
    ALLOW_UNSAFE_DATABASE: 'true',
    DATABASE_URL: app.database.url,
    WORKER_PORT: '0',
    JWT_SECRET,
    SEED_SECRET,
    DATA_SECRET,
  };
  const first = await startProcess(env, 'worker');
  const runs = async (id: bigint, withinMs: number) =>
    vi.waitFor(async () => expect((await newestRound(app))!.id).toBeGreaterThan(id), {
      timeout: withinMs,
      interval: 50,
    });
  await runs((await newestRound(app))!.id, 15_000);
  const other = await startProcess(env, 'worker');
  await sleep(500);
  const { id } = (await newestRound(app))!;
  process.kill(first.pid, 'SIGKILL');
  // Makes the next phase due, so that a runner can advance the round immediately.
  await endPhase(app);
  const phase = (await newestRound(app))!.phase;
  await vi.waitFor(
    async () => {
      const now = (await newestRound(app))!;
      expect([now.id, now.phase]).not.toEqual([id, phase]);
    },
    { timeout: 5000, interval: 50 },
  );
  await runs(id, 10_000);
  expect(await other.end()).toBe(0);
});
