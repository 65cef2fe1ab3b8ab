import fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { ROULETTE_POSITIONS } from '../../../src/modules/games/house-games/roulette/layout/rules.ts';
import { DICE, type Player, type TestApp } from '../app.ts';
import { numbersOf, type Seeds } from './chance.ts';
import { nextStream } from './house-rounds.ts';

/** A valid bet for each single-step game. */
export const HOUSE_BETS = {
  dice: DICE,
  limbo: { currencyId: 'USDT', betAmount: '1', multiplier: 2 },
  keno: { currencyId: 'USDT', betAmount: '1', risk: 'LOW', selected: [7, 40, 1] },
  plinko: { currencyId: 'USDT', betAmount: '1', risk: 'MEDIUM', rowsCount: 9 },
  roulette: {
    currencyId: 'USDT',
    betAmount: '1',
    params: { bets: [{ type: 'SPLIT', numbers: [17, 20], amount: '1' }] },
  },
};
export type SingleStep = keyof typeof HOUSE_BETS;

export const betPath = (game: SingleStep) => `/casino/games/house/${game}/bet`;

export const betOn = (player: Player, game: SingleStep, fields: object = {}, headers = {}) =>
  player.call('POST', betPath(game), { body: { ...HOUSE_BETS[game], ...fields }, headers });

const NUMBERS = 56;

/** Returns a bet's numbers, more than any game needs. */
export function wordsOf(seeds: Seeds, nonce: number): number[] {
  const next = numbersOf(seeds, nonce);
  return Array.from({ length: NUMBERS }, next);
}

/** Returns the secret numbers of a player's next bet. */
export async function nextWords(app: TestApp, player: Player): Promise<number[]> {
  const next = await nextStream(app, player);
  return Array.from({ length: NUMBERS }, next);
}

/** Changes settings of a game, and waits until the service has loaded them. */
export async function setGame(
  { db, services }: TestApp,
  slug: SingleStep,
  change: { enabled?: boolean; settings?: Record<string, unknown> },
): Promise<void> {
  const settings = JSON.stringify(change.settings ?? {});
  await sql`update games set enabled = coalesce(${change.enabled ?? null}, enabled), settings = settings || ${settings}::jsonb
    where slug = ${slug}`.execute(db);
  const stored = await db
    .selectFrom('games')
    .select(['enabled', 'settings'])
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow();
  const { minBet, maxBet, maxProfit, ...own } = stored.settings as Record<string, unknown>;
  await expect.poll(() => services.games.get(slug)).toMatchObject({ enabled: stored.enabled, settings: own });
  const limits = [minBet, maxBet, maxProfit].map((usd) => BigInt(Math.round(Number(usd) * 1e8)));
  await expect
    .poll(() => {
      const { settings: now } = services.games.get(slug);
      return [now.minBet, now.maxBet, now.maxProfit];
    })
    .toEqual(limits);
}

/** Generates roulette bodies: any positions on the layout, with amounts in cents that add up to the bet. */
export const rouletteBodies = (currencyId: fc.Arbitrary<string>): fc.Arbitrary<unknown> => {
  const entry = fc.record({
    position: fc.constantFrom(...ROULETTE_POSITIONS),
    cents: fc.integer({ min: 1, max: 500 }),
    isNamed: fc.boolean(),
  });
  return fc.record({ currencyId, entries: fc.array(entry, { minLength: 1, maxLength: 6 }) }).map((bet) => ({
    currencyId: bet.currencyId,
    betAmount: String(bet.entries.reduce((sum, { cents }) => sum + cents, 0) / 100),
    params: {
      bets: bet.entries.map(({ position: { type, numbers }, cents, isNamed }) => ({
        type,
        ...(numbers.length > 0 || isNamed ? { numbers: numbers.toReversed() } : {}),
        amount: String(cents / 100),
      })),
    },
  }));
};
