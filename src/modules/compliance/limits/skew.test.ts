import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { DICE, PATIENCE, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { ONE } from '../../../platform/money.ts';

const one = fixture(() => startApp({ env: PATIENCE }));
const two = fixture(() => startApp({ env: PATIENCE, database: one.database, reconcileOnStop: false }));

const set = (player: Player, type: string, amount: string, through = one, period = 'DAY') =>
  through.call('POST', '/user-limits/gambling-limits', {
    token: player.token,
    body: { type, period, amount },
  });

/** Places concurrent bets, alternating between both processes, and counts the responses by code. */
async function rush(player: Player, bets: number, fields: object = {}) {
  const answers = await Promise.all(
    Array.from({ length: bets }, (_, i) =>
      (i % 2 ? one : two).call('POST', '/casino/games/house/dice/bet', {
        token: player.token,
        body: { ...DICE, ...fields },
      }),
    ),
  );
  const counts: Record<string, number> = {};
  for (const code of answers.map(codeOf)) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

/** A player's bets in order. */
const betsOf = async ({ id }: Player) =>
  (
    await sql<{ staked: bigint; paid: bigint; committed: Date }>`
      select usd_amount as staked, usd_payout as paid, pg_xact_commit_timestamp(xmin) as committed
      from bets where user_id = ${id} order by id`.execute(one.db)
  ).rows;

/** Moves the play records back by a day. */
const yesterday = ({ id }: Player) =>
  sql`update restrictions set play = (play::jsonb || jsonb_build_object(
      'lastAt', (play->>'lastAt')::timestamptz - interval '1 day',
      'DAY', (play->'DAY')::jsonb || jsonb_build_object('start', (play->'DAY'->>'start')::timestamptz - interval '1 day')))::json
    where user_id = ${id}`.execute(one.db);

test('accepts exactly 10 of 200 concurrent bets of a tenth of the WAGER limit, and 10 again the next day', async () => {
  const player = await one.newPlayer({ usdt: 1000 });
  expect(codeOf(await set(player, 'WAGER', '10'))).toBe('201');
  expect(await rush(player, 200)).toEqual({ '201': 10, '403 LIMIT_REACHED': 190 });
  expect(await rush(player, 20)).toEqual({ '403 LIMIT_REACHED': 20 });
  await yesterday(player);
  await set(player, 'WAGER', '1000', two, 'WEEK');
  expect(await rush(player, 200)).toEqual({ '201': 10, '403 LIMIT_REACHED': 190 });
  const { limits } = (await player.call('GET', '/user-limits/gambling-limits')).body;
  expect(limits.map((l: any) => [l.period, l.usage.used, l.usage.remaining])).toEqual([
    ['DAY', '10', '0'],
    ['WEEK', '20', '980'],
  ]);
  expect((await betsOf(player)).reduce((sum, { staked }) => sum + staked, 0n)).toBe(20n * ONE);
});

/** Sets the lowest RTP, so that players reach their loss limit within thousands of bets. */
async function lowerReturns(): Promise<void> {
  await sql`update games set settings = settings || '{"rtp": 80}'::jsonb where slug = 'dice'`.execute(one.db);
  await Promise.all([one, two].map(({ services }) => services.games.reload()));
}

test.each([
  ['at a low win chance', { threshold: 90 }],
  ['at even odds', { threshold: 50 }],
])('never exceeds the LOSS limit but nearly uses it up with 200 concurrent bets %s', async (_, odds) => {
  const player = await one.newPlayer({ usdt: 1000 });
  await set(player, 'LOSS', '10');
  await lowerReturns();
  // A lucky player may not reach the limit in the first rounds.
  for (let i = 0, refused = 0; refused === 0; i++) {
    expect(i).toBeLessThan(20);
    refused = (await rush(player, 200, odds))['403 LIMIT_REACHED'] ?? 0;
  }
  let loss = 0n;
  for (const { staked, paid } of await betsOf(player)) {
    // The gate assumes that every open stake will be lost.
    expect(loss + staked).toBeLessThanOrEqual(10n * ONE);
    loss += staked - paid;
  }
  expect(await rush(player, 20, odds)).toEqual({ '403 LIMIT_REACHED': 20 });
  expect(loss).toBeGreaterThan(9n * ONE);
  expect((await betsOf(player)).reduce((sum, b) => sum + b.staked - b.paid, 0n)).toBe(loss);
});

test('accepts no bet above a limit that was lowered while 200 bets were in progress', async () => {
  const player = await one.newPlayer({ usdt: 1000 });
  await set(player, 'WAGER', '1000');
  const bets = rush(player, 200);
  const made = async () => (await betsOf(player)).length;
  await expect.poll(made, { interval: 1 }).toBeGreaterThan(0);
  expect(codeOf(await set(player, 'WAGER', '40', two))).toBe('201');
  const counts = await bets;
  const { rows } = await sql<{ at: Date }>`
    select pg_xact_commit_timestamp(xmin) as at from gambling_limits where user_id = ${player.id}`.execute(
    one.db,
  );
  let staked = 0n;
  for (const bet of await betsOf(player)) {
    staked += bet.staked;
    if (bet.committed > rows[0]!.at) expect(staked).toBeLessThanOrEqual(40n * ONE);
  }
  expect(counts['403 LIMIT_REACHED'] ?? 0).toBe(200 - Number(staked / ONE));
});

test('counts bets placed while the first limit is set, and then accepts exactly the bets that the limit still allows', async () => {
  for (let round = 0; round < 5; round++) {
    const player = await one.newPlayer({ usdt: 1000 });
    const bets = rush(player, 60);
    await new Promise((resolve) => setTimeout(resolve, round * 4));
    await set(player, 'WAGER', '20', two);
    const before = await bets;
    const { usage } = (await player.call('GET', '/user-limits/gambling-limits')).body;
    const made = await betsOf(player);
    expect(usage.used).toBe(String(made.length));
    if (made.length < 20) expect(before).toEqual({ '201': 20, '403 LIMIT_REACHED': 40 });
    expect(await rush(player, 40)).toEqual(
      made.length >= 20
        ? { '403 LIMIT_REACHED': 40 }
        : { '201': 20 - made.length, '403 LIMIT_REACHED': 20 + made.length },
    );
  }
});
