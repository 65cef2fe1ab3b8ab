import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { fromNow, startBots } from '../../../../test/kit/engagement/bots.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { changeGame, newGame, newProvider } from '../../../../test/kit/games/catalogue.ts';
import { currencyToUsdDown, ONE } from '../../../platform/money.ts';
import { botActivity } from './module.ts';
import { MANNERS, timeOf } from './rules.ts';

const world = fixture(() =>
  startBots({ env: { LIVE_BETS_HIGH_ROLLER_USD: '20', LIVE_BETS_LUCKY_MULTIPLIER: '4' } }),
);
let slot: { id: number; slug: string };
beforeAll(async () => {
  slot = await newGame(world.app, { provider_id: (await newProvider(world.app)).id });
});

const HOUSE = [
  'dice',
  'limbo',
  'keno',
  'plinko',
  'roulette',
  'speed-roulette',
  'mines',
  'monkey-run',
  'blackjack',
];
/** Runs the worker's job repeatedly until a bot has this many rows. */
async function rowsAfterTurns(userId: number, count: number) {
  for (let turn = 0; turn < 200 * count; turn++) {
    await world.services.botActivity.make();
    const rows = await world.rowsOf(userId);
    if (rows.length >= count) return rows;
  }
  return world.rowsOf(userId);
}
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await world.services.botActivity.make();
};

test('creates rows with the configured games, the stakes of the behavior and outcomes that follow the game rules', async () => {
  const bot = await world.newActiveBot({ type: 'MIXED', games: [...HOUSE, slot.slug] });
  const rows = await rowsAfterTurns(bot.id, 60);
  expect(rows.length).toBeGreaterThanOrEqual(60);
  const games = new Map(world.services.catalogue.state.now().games.map((game) => [game.id, game.slug]));
  expect(new Set(rows.map((row) => games.get(row.game_id))).size).toBeGreaterThan(5);
  const { list, rateOf } = world.services.currencies;
  for (const row of rows) {
    expect([...HOUSE, slot.slug]).toContain(games.get(row.game_id));
    // A bot always uses the same currency.
    expect(row.currency_id).toBe(rows[0]!.currency_id);
    const { decimals } = list().find(({ id }) => id === row.currency_id)!;
    for (const amount of [row.amount, row.payout]) expect(amount % 10n ** BigInt(8 - decimals)).toBe(0n);
    const { rate } = rateOf(row.currency_id);
    expect(row.usd_amount).toBe(currencyToUsdDown(row.amount, rate));
    expect(row.usd_payout).toBe(currencyToUsdDown(row.payout, rate));
    // The rows contain no high-roller bet or lucky win, although the stakes and games would allow them.
    expect(row.usd_amount).toBeLessThan(20n * ONE);
    expect(row.payout).toBeLessThan(row.amount * 4n);
    const near = MANNERS.AGGRESSIVE.stakesInCents.some(
      (cents) => Math.abs(Number(row.usd_amount) / 1e8 - cents / 100) < cents / 1000,
    );
    expect(near, String(row.usd_amount)).toBe(true);
  }
  expect(rows.some(({ payout }) => payout === 0n)).toBe(true);
  expect(rows.some(({ payout, amount }) => payout > amount)).toBe(true);
  const { data } = (
    await world.boss.call('GET', `/admin/bot-activity/all?isActive=true&username=${bot.username}`)
  ).body;
  expect(data[0].lastRunAt).toMatch(/Z$/);
  expect(data[0].updatedAt).toBe(data[0].createdAt);
});

test('does not use the seeds and nonces of the bot accounts', async () => {
  const { rows } = await sql<{ nonce: number }>`
    select p.nonce from players p join users u on u.id = p.user_id where u.is_bot`.execute(world.db);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every(({ nonce }) => nonce === 0)).toBe(true);
});

test('creates no rows outside the schedule or when none of the games can be played', async () => {
  const later = new Date(Date.now() + 6 * 3_600_000);
  const startTime = timeOf(later.getUTCHours() * 60 + later.getUTCMinutes());
  const asleep = await world.newActiveBot({ startTime });
  const inactive = await world.newActiveBot({ isActive: false });
  const closed = await world.newActiveBot({ type: 'SLOTS', games: [slot.slug] });
  await changeGame(world.app, slot.id, { enabled: false });
  await turns(40);
  for (const { id } of [asleep, inactive, closed]) expect(await world.rowsOf(id)).toEqual([]);
  await changeGame(world.app, slot.id, { enabled: true });
  expect(await rowsAfterTurns(closed.id, 1)).toHaveLength(1);
});

test("keeps stakes within the game's limits and creates no rows without a fresh exchange rate", async () => {
  const { currencies } = world.services;
  const currencyOf = ({ id }: { id: number }) => currencies.list()[id % currencies.list().length]!.id;
  let bot = await world.newActiveBot({ games: ['limbo'] });
  // The bot must not use US dollars, whose rate is never stale.
  while (currencyOf(bot) === 'USD') bot = await world.newActiveBot({ games: ['limbo'] });
  const limit = async (maxBet: string) => {
    const change = JSON.stringify({ maxBet });
    await sql`update games set settings = settings || ${change}::jsonb where slug = 'limbo'`.execute(
      world.db,
    );
    await world.services.games.reload();
  };
  await limit('1');
  await turns(40);
  expect(await world.rowsOf(bot.id)).toEqual([]);
  await limit('1000');
  const [row] = await rowsAfterTurns(bot.id, 1);
  expect(row!.currency_id).toBe(currencyOf(bot));
  await sql`update exchange_rates set source = 'coinbase', updated_at = now() - interval '1 day'`.execute(
    world.db,
  );
  await expect.poll(() => currencies.rateOf(currencyOf(bot)).stale).toBe(true);
  await turns(40);
  expect(await world.rowsOf(bot.id)).toEqual([row]);
});

test('runs the job only while someone watches the feed and an activity is running', async () => {
  const fresh = await startBots();
  const viewer = await fresh.newPlayer();
  const watch = () => viewer.call('GET', '/live-bets?type=ALL&count=1');
  const [job] = botActivity.jobs!(fresh.services);
  expect(job).toMatchObject({ name: 'bot-activity.make', everyMs: 2000 });
  await watch();
  expect(await job!.isDue!()).toBe(false);
  const bot = await fresh.newActiveBot();
  expect(await job!.isDue!()).toBe(false);
  const isDueOnceWatched = async () => {
    await watch();
    return job!.isDue!();
  };
  await expect.poll(isDueOnceWatched).toBe(true);
  await fresh.change({ userId: bot.id, isActive: false });
  expect(await job!.isDue!()).toBe(false);
  const { body } = await fresh.manage({ userId: bot.id, ...fromNow() });
  expect(body.isActive).toBe(true);
  expect(await job!.isDue!()).toBe(true);
  await fresh.stop();
});
