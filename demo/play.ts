import { randomUUID } from 'node:crypto';
import type { Coin } from './addresses.ts';
import { coins, type Player } from './player.ts';
import type { Random } from './random.ts';

export type Rates = Readonly<Record<Coin, number>>;
export type Outside = (path: string, body: object) => Promise<unknown>;
type Stake = { currencyId: string; betAmount: string };
type Game = (player: Player, stake: Stake, random: Random) => Promise<unknown>;

const HOUSE = {
  dice: ({ try: ask }, stake, random) => {
    const threshold = random.pick([25, 40, 50, 50, 66, 80]);
    const body = { ...stake, threshold, above: random.chance(0.5), count: random.from(2, 24) };
    return ask('POST /casino/games/house/dice/series', { body });
  },
  limbo: ({ try: ask }, stake, random) =>
    ask('POST /casino/games/house/limbo/series', {
      body: { ...stake, multiplier: random.pick([1.5, 2, 2, 3, 10]), count: random.from(2, 16) },
    }),
  keno: ({ try: ask }, stake, random) => {
    const selected = Array.from({ length: random.from(2, 8) }, (_, i) => i * 5 + random.from(1, 5));
    const risk = random.pick(['CLASSIC', 'LOW', 'MEDIUM', 'HIGH'] as const);
    return ask('POST /casino/games/house/keno/series', {
      body: { ...stake, risk, selected, count: random.from(2, 10) },
    });
  },
  plinko: ({ try: ask }, stake, random) => {
    const risk = random.pick(['LOW', 'LOW', 'MEDIUM', 'HIGH'] as const);
    const body = { ...stake, risk, rowsCount: random.from(8, 16), count: random.from(3, 24) };
    return ask('POST /casino/games/house/plinko/series', { body });
  },
  roulette: ({ try: ask }, stake, random) => {
    const type = random.pick(['RED', 'BLACK', 'ODD', 'EVEN', 'LOW', 'HIGH'] as const);
    const params = { bets: [{ type, amount: stake.betAmount }] };
    return ask('POST /casino/games/house/roulette/series', {
      body: { ...stake, params, count: random.from(2, 9) },
    });
  },
  mines: async ({ try: ask }, stake, random) => {
    const board = await ask('POST /casino/games/house/mines/play', {
      body: { ...stake, gridCellsCount: 25, bombsCount: random.from(1, 4) },
    });
    if (!board) return;
    const cells = Array.from({ length: random.from(1, 4) }, (_, i) => i * 6 + random.from(0, 5));
    for (const cellIndex of cells) {
      const opened = await ask('POST /casino/games/house/mines/open', { body: { cellIndex } });
      if (!opened?.proceed) return;
    }
    await ask('POST /casino/games/house/mines/cash-out', { body: {} });
  },
  'monkey-run': async ({ try: ask }, stake, random) => {
    const difficulty = random.pick(['EASY', 'EASY', 'MEDIUM', 'HARD'] as const);
    if (!(await ask('POST /casino/games/house/monkey-run/bet', { body: { ...stake, difficulty } }))) return;
    for (let makeStep = 1, last = random.from(1, 3); makeStep <= last; makeStep++) {
      const run = await ask('POST /casino/games/house/monkey-run/play', { body: { makeStep } });
      if (!run?.canCashOut || run.isFinished) return;
    }
    await ask('PUT /casino/games/house/monkey-run/cash-out', { body: {} });
  },
  blackjack: async ({ try: ask }, stake, random) => {
    if (!(await ask('POST /casino/games/house/blackjack/init', { body: stake }))) return;
    if (random.chance(0.3))
      await ask('POST /casino/games/house/blackjack/handleAction', { body: { action: 'HIT' } });
    await ask('POST /casino/games/house/blackjack/handleAction', { body: { action: 'STAND' } });
  },
} satisfies Record<string, Game>;

/** The maximum stake in US dollars. Without it, a few large stakes would dominate the whole month. */
const MOST_USD = 12;

export const HOUSE_GAMES = Object.keys(HOUSE);

/** Creates functions that place players' bets, in proportion to their deposits. */
export function createPlay({ random, rates, outside }: { random: Random; rates: Rates; outside: Outside }) {
  /** Contains one slot per provider, once the catalogue contains slots. */
  let slots: readonly string[] = [];

  const stakeOf = ({ budget, coin }: Player, share: number): Stake => {
    const usd = Math.min(MOST_USD, Math.max(0.2, random.around(budget * share)));
    return { currencyId: coin, betAmount: coins(usd, coin, rates) };
  };

  const slot = async (player: Player): Promise<void> => {
    const slug = random.pick(slots);
    const launched = await player.try('POST /casino/games/{slug}/launch', {
      path: { slug },
      body: { currencyId: 'USDT' },
    });
    if (!launched) return;
    const session = new URL(launched.url).searchParams.get('session');
    const stake = Math.min(MOST_USD, Math.max(0.2, random.around(player.budget * 0.03))).toFixed(1);
    await outside('/games/rounds', { session, stake, count: random.from(2, 10) });
  };

  const sports = async ({ id, budget }: Player): Promise<void> => {
    const betId = `s-${randomUUID()}`;
    const [amount, about] = [
      Math.max(1, random.around(budget * 0.05)),
      { playerId: String(id), currency: 'USDT', betId },
    ];
    const send = (reason: string, sum: number) =>
      outside('/games/sportsbook/transactions', {
        ...about,
        id: `${betId}_${reason}`,
        reason,
        amount: sum.toFixed(2),
      });
    await send('bet', amount);
    if (random.chance(0.9))
      await send('settle', random.chance(0.46) ? amount * (1.6 + random.next() * 0.8) : 0);
  };

  return {
    useSlots: (slugs: readonly string[]) => {
      slots = slugs;
    },
    house: (player: Player, game: string): Promise<unknown> =>
      HOUSE[game as keyof typeof HOUSE](player, stakeOf(player, 0.035), random),
    slot,
    sports,
    /** Places some bets, mostly on the player's favourite games. */
    async some(player: Player): Promise<void> {
      const kind = random.next();
      if (kind < 0.16 && player.coin === 'USDT' && slots.length > 0) return slot(player);
      if (kind < 0.21 && player.coin === 'USDT') return sports(player);
      const game = random.chance(0.75) ? random.pick(player.favourites) : random.pick(HOUSE_GAMES);
      await HOUSE[game as keyof typeof HOUSE](player, stakeOf(player, 0.035), random);
    },
    speedRoulette: async (player: Player): Promise<boolean> => {
      const color = random.pick(['RED', 'BLACK', 'BLACK', 'RED', 'GREEN'] as const);
      const body = { ...stakeOf(player, 0.02), color };
      return (await player.try('POST /casino/games/house/speed-roulette/bet', { body })) !== undefined;
    },
  };
}
