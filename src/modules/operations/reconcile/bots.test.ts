/** Invariant N10: finds simulated bets among real bets, and bots that have played, paid or received rewards, and reports nothing else. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { betOnDice, type Player } from '../../../../test/kit/app.ts';
import { type Account, startBots } from '../../../../test/kit/engagement/bots.ts';
import { countRewards } from '../../../../test/kit/engagement/rewards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';

const world = fixture(startBots);
let bot: Account;
let player: Player;
let betId: string;
beforeAll(async () => {
  bot = await world.newActiveBot();
  await world.showRows(bot.id, 3);
  player = await world.newPlayer({ usdt: 5 });
  betId = (await betOnDice(player)).body.betId;
  await countRewards(world.app);
});

const found = async () => {
  const { findings } = await reconcile(world.db, { seedSecret: world.config.SEED_SECRET });
  const own = findings.filter(({ problem }) => /bot|simulated bet/.test(problem));
  return own.map(({ problem, facts }) => `${problem}: ${facts.what ?? facts.user_id}`);
};

const TAKEN_PART = 'a bot has played, paid or received rewards';
const OPEN = 'a bot is not banned from play';
const AMONG_BETS = 'a simulated bet is stored as a real bet or has effects';

test('reports no problem for a bot and its simulated bets', async () => {
  expect(await world.rowsOf(bot.id)).toHaveLength(3);
  expect(await found()).toEqual([]);
});

test('reports bots that have played, with each kind of row that belongs to them', async () => {
  await sql`update users set is_bot = true where id = ${player.id}`.execute(world.db);
  const things = ['sessions', 'bets', 'wallets', 'ledger_lines', 'vip_progress', 'rakeback_periods'];
  const all = await found();
  for (const what of things) expect(all).toContain(`${TAKEN_PART}: ${what}`);
  expect(all).toContain(`${OPEN}: ${player.id}`);
  await sql`update users set is_bot = false where id = ${player.id}`.execute(world.db);
  expect(await found()).toEqual([]);
});

test('reports a bot that is allowed to play', async () => {
  const open = (is: boolean) =>
    sql`update players set is_banned = ${!is} where user_id = ${bot.id}`.execute(world.db);
  await open(true);
  expect(await found()).toEqual([`${OPEN}: ${bot.id}`]);
  await open(false);
});

test('reports a simulated bet that has the id of a real bet or ledger entry', async () => {
  const [row] = await world.rowsOf(bot.id);
  const move = (from: bigint, to: bigint) =>
    sql`update simulated_bets set id = ${to} where id = ${from}`.execute(world.db);
  await move(row!.id, BigInt(betId));
  const places = ['bets', 'bet_rewards', 'ledger_lines'].map((what) => `${AMONG_BETS}: ${what}`);
  expect(await found()).toEqual(expect.arrayContaining(places));
  await move(BigInt(betId), row!.id);
  expect(await found()).toEqual([]);
});
