import { ONE, type Units } from '../../../platform/money.ts';
import { countedUsdOf, type Next, payoutsOf, type Return, type Terms } from '../../games/betting/rules.ts';
import { draw, pick, range } from '../../games/fairness/rules.ts';
import { diceOdds, playDice } from '../../games/house-games/dice/rules.ts';
import { KENO_MOST, KENO_NUMBERS, KENO_RISKS, playKeno } from '../../games/house-games/keno/rules.ts';
import { limboPoint, limboTarget, playLimbo } from '../../games/house-games/limbo/rules.ts';
import { minesMultiplier } from '../../games/house-games/mines/rules.ts';
import { DIFFICULTIES, stepMultiplier, TILES, TRAPS } from '../../games/house-games/monkey-run/rules.ts';
import { PLINKO_RISKS, PLINKO_ROWS, playPlinko } from '../../games/house-games/plinko/rules.ts';
import { ROULETTE_POSITIONS } from '../../games/house-games/roulette/layout/rules.ts';
import { POCKETS } from '../../games/house-games/roulette/rules.ts';
import { PICK_SCALE } from '../../games/house-games/rules.ts';
import { COLORS, multiplierOf, positionOf } from '../../games/house-games/speed-roulette/rules.ts';

export const TYPES = ['HOUSE_GAME', 'SLOTS', 'MIXED'] as const;
export const BEHAVIORS = ['CALM', 'NORMAL', 'AGGRESSIVE'] as const;
/** The days of the week in the order of `Date.getUTCDay`. */
export const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

export type ActivityType = (typeof TYPES)[number];
export type Behavior = (typeof BEHAVIORS)[number];
export type Day = (typeof DAYS)[number];

type Schedule = { behavior: Behavior; playDays: readonly Day[]; startMinute: number };

/**
 * How a bot plays. `minutes`: length of a session. `oneTurnIn`: average number of turns per bet (a turn lasts two seconds).
 * `stakesInCents`: possible stakes in US cents.
 */
export const MANNERS: Readonly<
  Record<Behavior, { minutes: number; oneTurnIn: number; stakesInCents: readonly number[] }>
> = {
  CALM: { minutes: 60, oneTurnIn: 30, stakesInCents: [10, 20, 50, 100, 200] },
  NORMAL: { minutes: 120, oneTurnIn: 10, stakesInCents: [50, 100, 200, 500, 1000] },
  AGGRESSIVE: { minutes: 240, oneTurnIn: 4, stakesInCents: [200, 500, 1000, 2000, 5000] },
};

const MINUTE_MS = 60_000;
const MINUTES_A_DAY = 1440;

/** Returns true if a bot plays at this time. A session that starts on one of its days continues after midnight. */
export function isPlaying({ behavior, playDays, startMinute }: Schedule, at: Date): boolean {
  const minute = at.getUTCHours() * 60 + at.getUTCMinutes();
  const dayOf = (ms: number) => DAYS[new Date(ms).getUTCDay()]!;
  const sinceStart = (minute - startMinute + MINUTES_A_DAY) % MINUTES_A_DAY;
  const startedOn = dayOf(at.getTime() - sinceStart * MINUTE_MS);
  return sinceStart < MANNERS[behavior].minutes && playDays.includes(startedOn);
}

/** Returns the minutes after midnight of a time such as "20:30". */
export function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

export function timeOf(minute: number): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

/** The game types that each type of activity can use. */
export const GAME_TYPES: Readonly<Record<ActivityType, readonly string[]>> = {
  HOUSE_GAME: ['HOUSE_GAME'],
  SLOTS: ['SLOTS'],
  MIXED: ['HOUSE_GAME', 'SLOTS'],
};

/** Settings that affect outcomes. Each game has only some of them. `rtp` is in percent. */
export type GameSettings = { rtp: number; minMultiplier?: number; maxMultiplier?: number };

type Play = (settings: GameSettings, next: Next) => Return | undefined;

/**
 * Rows are sorted by `below`. The first row whose `below` is greater than a random number from 0 to 999 determines the result, which pays
 * `pays` hundredths of the stake.
 */
type Table = readonly { pays: bigint; below: number }[];

/** The possible results of blackjack hands: loss, push, win, blackjack. */
const HANDS: Table = [
  { pays: 0n, below: 491 },
  { pays: 100n, below: 576 },
  { pays: 200n, below: 955 },
  { pays: 250n, below: 1000 },
];

/** Slot spins. Higher payouts are omitted, because they would be lucky wins. */
const SPINS: Table = [
  { pays: 0n, below: 690 },
  { pays: 20n, below: 760 },
  { pays: 50n, below: 830 },
  { pays: 100n, below: 890 },
  { pays: 200n, below: 945 },
  { pays: 500n, below: 980 },
  { pays: 900n, below: 1000 },
];

/** Returns an outcome that follows the rules of the game, or undefined if the game's settings do not allow the chosen bet. */
const HOUSE: Readonly<Record<string, Play>> = {
  dice(settings, next) {
    const inputs = { threshold: oneOf([25, 50, 66, 75, 90], next), above: oneOf([true, false], next) };
    const { maxMultiplier = Number.POSITIVE_INFINITY } = settings;
    const odds = diceOdds(inputs, { rtpBp: basisPoints(settings), maxMultiplier });
    return odds && playDice(inputs, odds, next());
  },
  limbo(settings, next) {
    const { minMultiplier = 0, maxMultiplier = Number.POSITIVE_INFINITY } = settings;
    const multiplier = oneOf([1.2, 1.5, 2, 3, 5, 9], next);
    const target = limboTarget({ multiplier }, { minMultiplier, maxMultiplier });
    return target === undefined ? undefined : playLimbo(target, limboPoint(basisPoints(settings), next()));
  },
  keno(_, next) {
    const selected = draw(range(1, KENO_NUMBERS), 1 + pick(next(), KENO_MOST), next);
    return playKeno({ risk: oneOf(KENO_RISKS, next), selected }, next);
  },
  plinko(_, next) {
    const rowsCount = oneOf(range(PLINKO_ROWS.least, PLINKO_ROWS.most), next);
    return playPlinko({ risk: oneOf(PLINKO_RISKS, next), rowsCount }, next);
  },
  roulette(_, next) {
    const { wins, pays } = oneOf(ROULETTE_POSITIONS, next);
    return { multiplier: wins.has(pick(next(), POCKETS)) ? pays : 0n, scale: 1n };
  },
  'speed-roulette': (_, next) => ({
    multiplier: multiplierOf(oneOf(COLORS, next), positionOf(next())),
    scale: 1n,
  }),
  mines(settings, next) {
    const grid = { gridCellsCount: 25, bombsCount: 1 + pick(next(), 5) };
    const cells = 1 + pick(next(), 6);
    const bombs = draw(range(1, grid.gridCellsCount), grid.bombsCount, next);
    return pickOutcome(
      minesMultiplier(grid, cells, basisPoints(settings)),
      bombs.every((bomb) => bomb > cells),
    );
  },
  'monkey-run'(settings, next) {
    const difficulty = oneOf(DIFFICULTIES, next);
    const step = 1 + pick(next(), 5);
    const traps = draw(range(1, TILES), TRAPS[difficulty], next);
    return pickOutcome(
      stepMultiplier(difficulty, step, basisPoints(settings)),
      traps.every((trap) => trap > step),
    );
  },
  blackjack: (_, next) => drawOutcome(HANDS, next),
};

/** Returns an outcome of a house game, or undefined for an unknown game. */
export const playHouseGame = (slug: string, settings: GameSettings, next: Next): Return | undefined =>
  Object.hasOwn(HOUSE, slug) ? HOUSE[slug]!(settings, next) : undefined;

export const playSlot = (next: Next): Return => drawOutcome(SPINS, next);

/** `highRollerUsd`: minimum stake of a high-roller bet. `luckyMultiplier`: minimum multiplier of a lucky win. */
export type Thresholds = { highRollerUsd: number; luckyMultiplier: number };
export type Amounts = { amount: Units; payout: Units; usdAmount: Units; usdPayout: Units };

/**
 * Returns the amounts of a simulated bet. Returns undefined for a high-roller bet or a lucky win, because the feed must not show
 * spectacular bets that no player has made.
 */
export function amountsOf(
  terms: Terms,
  outcome: Return,
  { highRollerUsd, luckyMultiplier }: Thresholds,
): Amounts | undefined {
  const { stake: amount, rate } = terms;
  const { payout } = payoutsOf({ ...terms, ...outcome });
  const usdAmount = countedUsdOf(amount, rate);
  if (usdAmount >= BigInt(highRollerUsd) * ONE || payout >= amount * BigInt(luckyMultiplier))
    return undefined;
  return { amount, payout, usdAmount, usdPayout: countedUsdOf(payout, rate) };
}

export const oneOf = <T>(choices: readonly T[], next: Next): T => choices[pick(next(), choices.length)]!;

const basisPoints = ({ rtp }: GameSettings): number => Math.round(rtp * 100);
const pickOutcome = (multiplier: bigint, isSafe: boolean): Return => ({
  multiplier: isSafe ? multiplier : 0n,
  scale: PICK_SCALE,
});

function drawOutcome(table: Table, next: Next): Return {
  const number = pick(next(), 1000);
  return { multiplier: table.find(({ below }) => number < below)!.pays, scale: 100n };
}
