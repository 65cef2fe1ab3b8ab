import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { betOnDice, cashOf } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  betOn,
  changeGame,
  endPhase,
  infoOf,
  keepSeeds,
  newestRound,
  startSpeedRoulette,
  turnUntil,
} from '../../../../../test/kit/games/speed-roulette.ts';
import { hashServerSeed, stream } from '../../fairness/hash.ts';
import { colorOf, multiplierOf, positionOf } from './rules.ts';

const app = fixture(startSpeedRoulette);
const player = fixture(() => app.newPlayer({ usdt: 1000 }));

test('rejects reads and bets before the first round', async () => {
  expect((await infoOf(player)).body).toMatchObject({ statusCode: 404, code: 'ROUND_NOT_FOUND' });
  expect((await betOn(player, 'RED')).body).toMatchObject({ statusCode: 409, code: 'BETTING_CLOSED' });
});

test('shows the limits and phase times in the config', async () => {
  const { status, body } = await player.call('GET', '/casino/games/house/speed-roulette/config');
  const timeConfig = { bettingMs: 10_000, waitingMs: 2000, resultMs: 8000 };
  expect([status, body]).toEqual([200, { minBet: 0.01, maxBet: 1000, maxProfit: 100_000, timeConfig }]);
});

describe('a whole round', () => {
  const HIDDEN = { seed: null, publicBlockHash: null, position: null, color: null };

  test('shows bets immediately, but their outcome only in the RESULT phase', async () => {
    const seen: string[] = [];
    const other = await app.newPlayer({ usdt: 100 });
    await sql`update users set is_private = true where id = ${other.id}`.execute(app.db);
    await turnUntil(app, 'BETTING');
    const look = async () => {
      const answers = await Promise.all([
        infoOf(player),
        infoOf(other),
        player.call('GET', '/bets?status=CREATED'),
        player.call('GET', '/fairness/seeds'),
        app.call('GET', '/fairness/chains'),
      ]);
      seen.push(...answers.map(({ text }) => text));
      return answers[0].body;
    };

    expect(await betOn(player, 'RED', { betAmount: '2.50', windowId: 'w' })).toMatchObject({
      status: 201,
      body: { currencyId: 'USDT', betAmount: '2.5', color: 'RED' },
    });
    expect((await betOn(other, 'GREEN')).status).toBe(201);
    expect((await betOn(player, 'BLACK')).status).toBe(201);
    expect(await cashOf(player)).toBe('996.5');

    const betting = await look();
    expect(betting.game).toMatchObject({ phase: 'BETTING', ...HIDDEN });
    expect(betting.timeToNextBlockMs).toBeGreaterThan(0);
    expect(betting.timeToNextBlockMs).toBeLessThanOrEqual(10_000);
    const length = Date.parse(betting.game.endsAt) - Date.parse(betting.game.startedAt);
    expect(length).toBe(10_000);
    const self = { id: player.id, username: player.username };
    const nobody = { id: null, username: 'Incognito', isPrivate: true };
    expect(betting.usersBets).toMatchObject([
      { user: self, currencyId: 'USDT', betAmount: '2.5', color: 'RED' },
      { user: nobody, betAmount: '1', color: 'GREEN' },
      { user: self, betAmount: '1', color: 'BLACK' },
    ]);
    expect((await infoOf(other)).body.usersBets[1].user.id).toBe(other.id);
    expect((await player.call('GET', '/bets?status=CREATED')).body.data).toMatchObject([
      { status: 'CREATED', usdAmount: '1', payout: '0', settledAt: null, game: { slug: 'speed-roulette' } },
      { status: 'CREATED', usdAmount: '2.5' },
    ]);
    const { id } = (await newestRound(app))!;
    const betIds = (await player.call('GET', '/bets?status=CREATED')).body.data.map((b: any) => b.id);
    for (const betId of betIds) {
      const proof = await app.call('GET', `/fairness/bets/${betId}`);
      expect(proof.body.code).toBe('BET_NOT_FOUND');
      seen.push(proof.text, (await player.call('GET', `/bets/house-games/info/${betId}`)).text);
    }

    await endPhase(app);
    await turnUntil(app, 'WAITING', { skip: false });
    const waiting = await look();
    expect(waiting.game).toMatchObject({ ...HIDDEN, phase: 'WAITING', seedHash: betting.game.seedHash });
    const late = await betOn(player, 'RED');
    expect(late.body).toMatchObject({ statusCode: 409, code: 'BETTING_CLOSED' });
    const { rows } = await sql<{ row: string }>`
      select row_to_json(r)::text as row from speed_rounds r where id = ${id}
      union all select row_to_json(b)::text from bets b where round_id = ${id}`.execute(app.db);
    seen.push(...rows.map(({ row }) => row));

    const round = await turnUntil(app, 'RESULT');
    expect(round.id).toBe(id);
    expect(seen.length).toBeGreaterThan(12);
    for (const text of seen) {
      expect(text).not.toContain(round.seed!);
      expect(text).not.toMatch(/"(position|number)":\d+,"(color|min_bet)"/);
    }

    const result = (await look()).game;
    const color = colorOf(round.number!);
    const chains = (await app.call('GET', '/fairness/chains')).body;
    const publicBlockHash = chains[0].publicSeed;
    expect(result).toMatchObject({ phase: 'RESULT', seed: round.seed, publicBlockHash, color });
    expect(result.position).toBe(round.number);
    expect(positionOf(stream(round.seed!, publicBlockHash, round.position)())).toBe(round.number);

    const won = 250n * multiplierOf('RED', round.number!) + 100n * multiplierOf('BLACK', round.number!);
    expect(await cashOf(player)).toBe(String(Number(99_650n + won) / 100));
    const { data } = (await player.call('GET', '/bets?status=SETTLED')).body;
    expect(data.map((b: any) => b.id)).toEqual(betIds);
    const info = await player.call('GET', `/bets/house-games/info/${betIds[0]}`);
    expect(info.body.game).toMatchObject({
      inputs: { color: 'BLACK' },
      outcome: { position: round.number, color },
    });
    const proof = (await app.call('GET', `/fairness/bets/${betIds[0]}`)).body;
    expect(proof).toMatchObject({
      game: 'speed-roulette',
      algorithmVersion: '1',
      serverSeedHash: null,
      serverSeed: null,
      clientSeed: null,
      nonce: null,
      inputs: { color: 'BLACK' },
      outcome: { position: round.number, color },
      round: {
        roundId: String(id),
        seedHash: betting.game.seedHash,
        seed: round.seed,
        publicBlockHash,
        chainPosition: round.position,
      },
      verified: true,
    });
  });

  test('opens the next round immediately, with a seed that hashes to the commitment', async () => {
    const before = (await newestRound(app))!;
    const next = await turnUntil(app, 'BETTING');
    expect(next.position).toBe(before.position + 1);
    expect(next.id).toBeGreaterThan(before.id);
    const { body } = await infoOf(player);
    expect(body.game).toMatchObject({ roundId: String(next.id), phase: 'BETTING', seed: null });
    expect(body.usersBets).toEqual([]);
    expect(body.latestGames[0]).toMatchObject({ roundId: String(before.id), seed: before.seed });
    const { seed } = await turnUntil(app, 'RESULT');
    expect(hashServerSeed(seed!)).toBe(before.seed);
    const [{ commitment, played, ...chain }] = (await app.call('GET', '/fairness/chains')).body;
    expect(played).toBe(next.position);
    let link = seed!;
    for (let i = 0; i < next.position; i++) link = hashServerSeed(link);
    expect(link).toBe(commitment);
    expect(Date.parse(chain.publicSeedAt)).toBeGreaterThan(Date.parse(chain.publishedAt));
    expect(chain).toMatchObject({ length: 2500, isRetired: false, blockHeight: expect.any(Number) });
  });

  test('lists the last 20 rounds in latestGames and the last 100 in latestStats', async () => {
    await turnUntil(app, 'BETTING');
    // Inserts the required number of rounds, as if they had been played.
    await sql`
      with last as (select * from speed_rounds order by id desc limit 1), closed as (
        update speed_rounds set phase = 'VOID', settled_at = now() where id = (select id from last) returning id)
      insert into speed_rounds (chain_id, position, phase, seed_hash, seed, number, min_bet, max_bet, max_profit, betting_ms,
        waiting_ms, result_ms, started_at, ends_at, drawn_at, settled_at)
      select chain_id, position + n, 'DONE', 'h' || n, 's' || n, n % 15, 1, 1, 1, 1, 1, 1, now(), now(), now(), now()
      from last, closed, generate_series(1, 120) n`.execute(app.db);
    const { body } = await infoOf(player);
    const numbers = Array.from({ length: 120 }, (_, i) => (120 - i) % 15);
    expect(body.latestGames.map((round: any) => round.position)).toEqual(numbers.slice(0, 20));
    const counted = numbers.slice(0, 100).map(colorOf);
    expect(body.latestStats).toEqual(
      ['RED', 'BLACK', 'GREEN'].map((color) => ({ color, count: counted.filter((c) => c === color).length })),
    );
    expect(body.timeToNextBlockMs).toBe(0);
    await sql
      .raw(`alter table speed_rounds disable trigger user; delete from speed_rounds where seed like 's%';
      alter table speed_rounds enable trigger user`)
      .execute(app.db);
    await turnUntil(app, 'BETTING');
  });
});

describe('a rejected bet', () => {
  test.each<[string, object]>([
    ['a colour that there is not', { color: 'PINK' }],
    ['a colour in lower case', { color: 'red' }],
    ['no colour', { color: undefined }],
    ['a number for an amount', { betAmount: 1 }],
    ['an amount of nothing', { betAmount: '0' }],
    ['too many decimals', { betAmount: '1.0000001' }],
    ['a field that there is not', { threshold: 50 }],
    ['an empty windowId', { windowId: '' }],
  ])('rejects a bet with 400 VALIDATION_FAILED: %s', async (_, fields) => {
    await turnUntil(app, 'BETTING');
    const { body } = await betOn(player, 'RED', fields);
    expect(body).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED' });
  });

  test("rejects a bet with 400 AMOUNT_OUT_OF_RANGE when the total of the player's bets in the round is outside the limits", async () => {
    await turnUntil(app, 'RESULT');
    await turnUntil(app, 'BETTING');
    const rich = await app.newPlayer({ usdt: 5000 });
    for (const betAmount of ['0.001', '1000.01']) {
      const { body } = await betOn(rich, 'RED', { betAmount });
      expect(body).toMatchObject({ statusCode: 400, code: 'AMOUNT_OUT_OF_RANGE' });
    }
    expect((await betOn(rich, 'RED', { betAmount: '600' })).status).toBe(201);
    expect((await betOn(rich, 'GREEN', { betAmount: '400.01' })).body.code).toBe('AMOUNT_OUT_OF_RANGE');
    expect((await betOn(rich, 'GREEN', { betAmount: '400' })).status).toBe(201);
    expect((await betOn(rich, 'RED', { betAmount: '0.01' })).body.code).toBe('AMOUNT_OUT_OF_RANGE');
    const racer = await app.newPlayer({ usdt: 5000 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => betOn(racer, 'BLACK', { betAmount: '300' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    await turnUntil(app, 'RESULT');
    await turnUntil(app, 'BETTING');
    expect((await betOn(rich, 'RED', { betAmount: '1000' })).status).toBe(201);
  });

  test('rejects a bet with INSUFFICIENT_BALANCE, CURRENCY_NOT_FOUND or 401', async () => {
    await turnUntil(app, 'BETTING');
    const poor = await app.newPlayer({ usdt: 1 });
    expect((await betOn(poor, 'RED', { betAmount: '1.01' })).body.code).toBe('INSUFFICIENT_BALANCE');
    expect((await betOn(poor, 'RED', { currencyId: 'NONE' })).body.code).toBe('CURRENCY_NOT_FOUND');
    expect((await betOn({ call: app.call }, 'RED')).status).toBe(401);
    expect((await infoOf({ call: app.call })).status).toBe(401);
  });

  test('rejects a bet with PLAY_STOPPED while all play is stopped, but continues the round', async () => {
    const { id } = await turnUntil(app, 'BETTING');
    const boss = await app.as('superadmin');
    const set = async (isPlayOpen: boolean) =>
      expect((await boss.call('PATCH', '/admin/config/COMMON', { body: { isPlayOpen } })).status).toBe(200);
    await set(false);
    expect((await betOn(player, 'RED')).body.code).toBe('PLAY_STOPPED');
    await turnUntil(app, 'RESULT');
    expect((await turnUntil(app, 'BETTING')).id).toBeGreaterThan(id);
    await set(true);
    expect((await betOn(player, 'RED')).status).toBe(201);
  });

  test('rejects a bet with GAME_DISABLED, ends the current round, and starts no round until the game is enabled', async () => {
    const { id } = await turnUntil(app, 'BETTING');
    expect((await betOn(player, 'RED')).status).toBe(201);
    const staff = await app.as({ permissions: ['casino.write'] });
    const stopped = await staff.call('POST', '/admin/casino/games/house/speed-roulette/kill-switch', {
      body: { enabled: true, reason: 'a drill' },
    });
    expect(stopped.body).toMatchObject({ game: 'speed-roulette', enabled: true, openRounds: 1 });
    expect((await betOn(player, 'RED')).body).toMatchObject({ statusCode: 409, code: 'GAME_DISABLED' });
    expect((await turnUntil(app, 'RESULT')).id).toBe(id);
    expect((await turnUntil(app, 'DONE')).id).toBe(id);
    await app.services.speedRoulette.turn(0);
    expect((await newestRound(app))!.id).toBe(id);
    const { body } = await infoOf(player);
    expect(body).toMatchObject({ game: { roundId: String(id), phase: 'RESULT' }, timeToNextBlockMs: 0 });
    expect((await player.call('GET', '/bets?status=CREATED')).body.total).toBe(0);
    await changeGame(app, {}, true);
    expect((await turnUntil(app, 'BETTING')).id).toBeGreaterThan(id);
  });
});

test('applies the limits and times that were configured when the round started', async () => {
  await turnUntil(app, 'BETTING');
  await changeGame(app, { maxBet: '5', timeConfig: { bettingMs: 3000, waitingMs: 0, resultMs: 1000 } });
  const config = await player.call('GET', '/casino/games/house/speed-roulette/config');
  expect(config.body.maxBet).toBe(5);
  expect((await betOn(player, 'RED', { betAmount: '6' })).status).toBe(201);
  await turnUntil(app, 'RESULT');
  await turnUntil(app, 'BETTING');
  expect((await betOn(player, 'RED', { betAmount: '6' })).body.code).toBe('AMOUNT_OUT_OF_RANGE');
  const { game } = (await infoOf(player)).body;
  expect(Date.parse(game.endsAt) - Date.parse(game.startedAt)).toBe(3000);
  const started = performance.now();
  const { id } = (await newestRound(app))!;
  // The phases last three seconds, zero seconds and one second. Only the passage of time ends a phase.
  while ((await newestRound(app))!.id === id) await app.services.speedRoulette.turn(0);
  expect(performance.now() - started).toBeGreaterThan(3000);
  expect(performance.now() - started).toBeLessThan(30_000);
  await changeGame(app, {
    maxBet: '1000',
    timeConfig: { bettingMs: 10_000, waitingMs: 2000, resultMs: 8000 },
  });
});

test('places one bet for a repeated Idempotency-Key and returns the same response', async () => {
  await turnUntil(app, 'RESULT');
  await turnUntil(app, 'BETTING');
  const headers = { 'idempotency-key': 'speed-roulette-key-1' };
  const first = await betOn(player, 'RED', {}, headers);
  const again = await betOn(player, 'RED', {}, headers);
  expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
  expect((await betOn(player, 'BLACK', {}, headers)).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect((await infoOf(player)).body.usersBets).toHaveLength(1);
});

test('uses no nonce, and allows a seed rotation while a bet is open', async () => {
  await turnUntil(app, 'BETTING');
  const lone = await app.newPlayer({ usdt: 10 });
  expect((await betOnDice(lone)).status).toBe(201);
  expect((await betOn(lone, 'RED')).status).toBe(201);
  const { body } = await lone.call('GET', '/fairness/seeds');
  expect([body.nonce, body.openRounds]).toEqual([1, []]);
  expect((await lone.call('POST', '/fairness/seeds/rotate', { body: {} })).status).toBe(201);
  await turnUntil(app, 'RESULT');
  expect((await lone.call('GET', '/bets?status=SETTLED')).body.total).toBe(2);
});

test('publishes the next chain when fewer than 1,000 positions are left, and uses it after the current one', async () => {
  await turnUntil(app, 'RESULT');
  const chainsOf = async () => (await app.call('GET', '/fairness/chains')).body;
  expect(await chainsOf()).toHaveLength(1);
  const { rows } = await sql<{ position: number; chain: number }>`
    select max(position) as position, chain_id as chain from speed_rounds group by 2`.execute(app.db);
  const { position, chain } = rows[0]!;
  const leave = (left: number) =>
    sql`update speed_chains set length = ${position + left} where id = ${chain}`.execute(app.db);
  await leave(1000);
  await app.services.speedRoulette.keepChains();
  expect(await chainsOf()).toHaveLength(1);
  await leave(999);
  await keepSeeds(app, app.outside);
  await app.services.speedRoulette.keepChains();
  const [next] = await chainsOf();
  expect(await chainsOf()).toHaveLength(2);
  expect(next).toMatchObject({ played: 0, length: 2500, publicSeed: expect.any(String) });
  await leave(0);
  const round = await turnUntil(app, 'BETTING');
  expect(round.position).toBe(1);
  const { seed } = await turnUntil(app, 'RESULT');
  expect(hashServerSeed(seed!)).toBe(next.commitment);
});
