/** Helpers for tests of house games: read secret numbers, change settings, and begin rounds. */
import { sql } from 'kysely';
import { expect } from 'vitest';
import { createSeedEncryption } from '../../../src/modules/games/fairness/service.ts';
import type { GameSlug } from '../../../src/modules/games/house-games/schemas.ts';
import type { Player, TestApp } from '../app.ts';
import { drawn, numbersOf } from './chance.ts';

/** Returns the secret stream of the player's next bet. */
export async function nextStream({ db, config }: TestApp, { id }: Player): Promise<() => number> {
  const row = await db
    .selectFrom('players')
    .innerJoin('seed_pairs', 'seed_pairs.id', 'players.seed_pair_id')
    .select(['server_seed', 'client_seed', 'nonce'])
    .where('players.user_id', '=', id)
    .executeTakeFirstOrThrow();
  const serverSeed = createSeedEncryption(config.SEED_SECRET).open(row.server_seed);
  return numbersOf({ serverSeed, clientSeed: row.client_seed! }, row.nonce);
}

/** Returns the numbers that the player's next bet will draw, and all other numbers of the range. */
export async function nextDraw(
  app: TestApp,
  player: Player,
  { from, count }: { from: readonly [number, number]; count: number },
): Promise<{ hidden: number[]; rest: number[] }> {
  const hidden = drawn(from, count, await nextStream(app, player));
  const all = Array.from({ length: from[1] - from[0] + 1 }, (_, i) => from[0] + i);
  return { hidden, rest: all.filter((n) => !hidden.includes(n)) };
}

type Change = { enabled?: boolean } & Partial<Record<'minBet' | 'maxBet' | 'maxProfit', string>> & {
    rtp?: number;
  };

/**
 * Runs `work` while a game has other settings. Waits until the process has loaded them, and after `work` until it has loaded the original
 * ones.
 */
export async function whileSet<T>(
  app: TestApp,
  slug: GameSlug,
  change: Change,
  work: () => Promise<T>,
): Promise<T> {
  const { enabled, settings } = await app.db
    .selectFrom('games')
    .select(['enabled', 'settings'])
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow();
  const write = async (is: boolean, to: object) => {
    await sql`update games set enabled = ${is}, settings = ${JSON.stringify(to)} where slug = ${slug}`.execute(
      app.db,
    );
    const { rtp } = to as { rtp: number };
    const known = () => app.services.games.get(slug);
    const maxProfit = (to as { maxProfit: string }).maxProfit;
    await expect
      .poll(() => [known().enabled, known().settings.rtp, String(known().settings.maxProfit)])
      .toEqual([is, rtp, `${maxProfit}00000000`]);
  };
  const { enabled: isOn = true, ...others } = change;
  await write(isOn, { ...(settings as object), ...others });
  try {
    return await work();
  } finally {
    await write(enabled, settings as object);
  }
}

const HOUSE = '/casino/games/house';
const BET = { currencyId: 'USDT', betAmount: '1', windowId: 'w' };

/** Request bodies that start a round, by path. Almost every step in these rounds is safe. */
export const ROUND_STARTS: Readonly<Record<string, Record<string, unknown>>> = {
  [`${HOUSE}/mines/play`]: { ...BET, gridCellsCount: 64, bombsCount: 1 },
  [`${HOUSE}/monkey-run/bet`]: { ...BET, difficulty: 'EASY' },
  [`${HOUSE}/blackjack/init`]: { ...BET, betAmount: '10', sideBetAmount: '0.01' },
  // The player has ten and nine, and the dealer shows seven, so no one has a natural.
  [`${HOUSE}/blackjack/initDebug`]: {
    ...BET,
    betAmount: '10',
    sideBetAmount: '0.01',
    deck: [10, 22, 33, 49],
  },
};

/** Returns true for operations that continue a round or show it. */
export const isOnRound = (path: string): boolean =>
  /\/(mines\/(open|cash-out|board)|monkey-run\/(play|cash-out|game)|blackjack\/handleAction)$/.test(path);

/** Starts every round that the player has not started yet. Rounds that can be cashed out get a first step. */
export async function beginRounds(player: Player, isStepNeeded: boolean): Promise<void> {
  for (const [path, body] of Object.entries(ROUND_STARTS)) await player.call('POST', path, { body });
  if (isStepNeeded) await takeSteps(player);
}

/** Ends all open rounds with any action that ends them. */
export async function endRounds(player: Player): Promise<void> {
  await takeSteps(player);
  await player.call('POST', `${HOUSE}/mines/cash-out`, { body: {} });
  await player.call('PUT', `${HOUSE}/monkey-run/cash-out`, { body: {} });
  // A player has at most two hands, so STAND is sent twice.
  for (const action of ['STAND', 'STAND'])
    await player.call('POST', `${HOUSE}/blackjack/handleAction`, { body: { action } });
}

async function takeSteps(player: Player): Promise<void> {
  await player.call('POST', `${HOUSE}/mines/open`, { body: { cellIndex: 0 } });
  await player.call('POST', `${HOUSE}/monkey-run/play`, { body: { makeStep: 1 } });
}
