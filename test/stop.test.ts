import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { GateAction } from '../src/http/route.ts';
import { codeOf } from './kit/accounts/accounts.ts';
import { betOnDice, DICE, type Player, startApp, type TestApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { watchStalls } from './kit/loop.ts';

const GERMAN = '193.99.144.80';
const env = { TRUSTED_PROXIES: '127.0.0.1', BET_DEADLINE_MS: '20000' };
let players: Player[];
const one = fixture(() => startApp({ env }));
const two = fixture(() => startApp({ env, database: one.database, reconcileOnStop: false }));
/** A process that trusts no proxy. */
const direct = fixture(() => startApp({ database: one.database, reconcileOnStop: false }));
const boss = fixture(() => one.as('superadmin'));
beforeAll(async () => {
  players = await Promise.all(Array.from({ length: 32 }, () => one.newPlayer({ usdt: 1000 })));
});
afterEach(async () => {
  await configure({ isPlayOpen: true, isDepositOpen: true });
  await configure({ isEnabled: true }, 'WITHDRAWALS');
  await enable(true);
  await killSwitch(false);
  await block(false);
  await openAgain();
  await openAgain(from(GERMAN));
});

const dice = (app: TestApp, { token }: Player, headers: Record<string, string> = {}) =>
  app.call('POST', '/casino/games/house/dice/bet', {
    token,
    headers,
    body: { ...DICE, betAmount: '0.01' },
  });

/** Returns the time of the database clock, which sets the times of bets. */
const now = async () => (await sql<{ at: Date }>`select clock_timestamp() as at`.execute(one.db)).rows[0]!.at;
const betsSince = async (at: Date) => {
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from bets where created_at > ${at}`.execute(one.db);
  return rows[0]!.n;
};
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Lets 32 players bet continuously (`ways` concurrent requests), half of them on each process. They bet from before `stop` until shortly
 * after the stop must have taken effect.
 */
async function underLoad(
  stop: () => Promise<unknown>,
  headers: Record<string, string> = {},
  ways = players.length,
) {
  let isOver = false;
  const answers: string[] = [];
  const load = Array.from({ length: ways }, async (_, i) => {
    const player = players[i % players.length]!;
    let last = '';
    while (!isOver) {
      const answer = codeOf(await dice(i % 2 ? one : two, player, headers));
      // A process that was suspended has outdated state, and rejects bets until it has read the current state.
      if (answer === '503 SERVICE_UNAVAILABLE') continue;
      last = answer;
      answers.push(last);
    }
    return last;
  });
  const ended = Promise.allSettled(load);
  const stalls = await watchStalls();
  let stopped: Date;
  try {
    await expect.poll(() => answers.length, { timeout: 20_000, interval: 10 }).toBeGreaterThan(200);
    expect(new Set(answers)).toEqual(new Set(['201']));
    await stop();
    // The time is read after the call has returned, so it is not earlier than the commit.
    stopped = await now();
    await sleep(1300);
  } finally {
    isOver = true;
    await ended;
  }
  const last = await Promise.all(load);
  const late = await betsSince(new Date(stopped.getTime() + 1000 + (await stalls.longestMs())));
  return { late, last: [...new Set(last)], seen: [...new Set(answers)].sort() };
}

const configure = (config: object, code = 'COMMON') =>
  boss.call('PATCH', `/admin/config/${code}`, { body: config });
const killSwitch = async (enabled: boolean) => {
  const body = { enabled, reason: 'G03' };
  const { status } = await boss.call('POST', '/admin/casino/games/house/dice/kill-switch', { body });
  expect(status).toBe(201);
};
const enable = (enabled: boolean) =>
  one.db.updateTable('games').set({ enabled }).where('slug', '=', 'dice').execute();
const from = (ip: string) => ({ 'x-forwarded-for': ip });
const block = (isBlocked: boolean) => boss.call('PATCH', '/admin/country/DE', { body: { isBlocked } });
const openAgain = (headers: Record<string, string> = {}) =>
  expect
    .poll(
      async () => (await Promise.all([one, two].map((app) => dice(app, players[0]!, headers)))).map(codeOf),
      { timeout: 20_000 },
    )
    .toEqual(['201', '201']);

describe('the stop buttons', () => {
  test('stops all play within one second while 32 clients place bets on two processes', async () => {
    const stopped = await underLoad(() => configure({ isPlayOpen: false }));
    expect(stopped).toEqual({ late: 0, last: ['409 PLAY_STOPPED'], seen: ['201', '409 PLAY_STOPPED'] });
  });

  test('stops one game within one second while 64 clients place bets', async () => {
    const stopped = await underLoad(() => killSwitch(true), {}, 64);
    expect(stopped).toEqual({ late: 0, last: ['409 GAME_DISABLED'], seen: ['201', '409 GAME_DISABLED'] });
  });

  test('rejects a queued bet when its game is disabled in the meantime', async () => {
    // The lane must not have the player in its cache, because it would then decide the bet before the bet waits for the lock.
    const player = await one.newPlayer({ usdt: 10 });
    const isOff = () => one.services.games.get('dice').enabled;
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = direct.db.transaction().execute(async (tx) => {
      await sql`select 1 from players where user_id = ${player.id} for update`.execute(tx);
      locked.resolve();
      await held.promise;
    });
    const waitingForLocks = async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
        direct.db,
      );
      return rows[0]!.n;
    };
    const switchOff = async () => {
      await expect.poll(waitingForLocks, { timeout: 20_000 }).toBe(1);
      await enable(false);
      await expect.poll(isOff, { timeout: 20_000 }).toBe(false);
    };
    await Promise.race([locked.promise, holding]);
    const [first, waiting] = await Promise.all([
      dice(one, player),
      dice(one, player),
      switchOff().finally(held.resolve),
      holding,
    ]);
    expect([codeOf(first), codeOf(waiting)]).toEqual(['409 GAME_DISABLED', '409 GAME_DISABLED']);
  });

  test('disables deposits and withdrawals separately in both processes', async () => {
    const codes = (app: TestApp, action: GateAction) =>
      app.db.transaction().execute(async (tx) => {
        const asked = { action, userId: players[0]!.id, country: null };
        return (await app.services.gate.refusals(tx, asked)).map(({ code }) => code).join();
      });
    const all = async () => {
      const actions = ['deposit', 'withdraw', 'bet', 'vault'] as const;
      const seen = await Promise.all(
        [one, two].flatMap((app) => actions.map((action) => codes(app, action))),
      );
      return [seen.slice(0, 4), seen.slice(4)];
    };
    const both = (codes: string[]) => expect.poll(all, { timeout: 20_000 }).toEqual([codes, codes]);
    await both(['', '', '', '']);
    await configure({ isDepositOpen: false });
    await both(['DEPOSIT_DISABLED', '', '', '']);
    await configure({ isEnabled: false }, 'WITHDRAWALS');
    await both(['DEPOSIT_DISABLED', 'WITHDRAW_DISABLED', '', '']);
    await configure({ isDepositOpen: true });
    await configure({ isEnabled: true }, 'WITHDRAWALS');
    await both(['', '', '', '']);
  });
});

describe('a blocked country', () => {
  const blockEverywhere = async (player: Player) => {
    await block(true);
    const bets = () => Promise.all([one, two].map((app) => dice(app, player, from(GERMAN))));
    await expect
      .poll(async () => (await bets()).map(codeOf), { timeout: 20_000 })
      .toEqual(['403 AUTH_GEO_BLOCKED', '403 AUTH_GEO_BLOCKED']);
  };

  test('rejects new bets one second after the country is blocked, even with a forged address', async () => {
    const stopped = await underLoad(() => block(true), from(GERMAN));
    expect(stopped).toEqual({
      late: 0,
      last: ['403 AUTH_GEO_BLOCKED'],
      seen: ['201', '403 AUTH_GEO_BLOCKED'],
    });
    const [player] = players as [Player];
    for (const app of [one, two]) {
      // Our proxy appends the client's address. Everything to the left of it may have been written by the client.
      for (const forged of [`8.8.8.8, ${GERMAN}`, `127.0.0.1, 8.8.8.8, ${GERMAN}`])
        expect(codeOf(await dice(app, player, from(forged))), forged).toBe('403 AUTH_GEO_BLOCKED');
      const others = { forwarded: 'for=8.8.8.8', 'x-real-ip': '8.8.8.8', 'cf-connecting-ip': '8.8.8.8' };
      expect(codeOf(await dice(app, player, { ...from(GERMAN), ...others }))).toBe('403 AUTH_GEO_BLOCKED');
      expect(codeOf(await dice(app, player, from('8.8.8.8')))).toBe('201');
    }
  });

  test('ignores a forged header without a trusted proxy', async () => {
    const [player] = players as [Player];
    await blockEverywhere(player);
    for (const header of [GERMAN, '8.8.8.8', `8.8.8.8, ${GERMAN}`])
      expect(codeOf(await dice(direct, player, from(header))), header).toBe('201');
  });

  test("keeps the money of the country's players accessible, and allows play again once the country is unblocked", async () => {
    const [player] = players as [Player];
    await blockEverywhere(player);
    const vault = await one.call('POST', '/accounting/to-vault', {
      token: player.token,
      headers: from(GERMAN),
      body: { currencyId: 'USDT', amount: '1' },
    });
    expect(codeOf(vault)).toBe('201');
    await block(false);
    await openAgain(from(GERMAN));
    expect(codeOf(await betOnDice(player, {}, from(GERMAN)))).toBe('201');
  });
});
