import type { z } from 'zod';
import { formatUnits } from '../../../platform/money.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { actionRefusals, startRefusals } from '../betting/errors.ts';
import type { Betting } from '../betting/place.ts';
import type { PlayedBet, SingleStep } from '../betting/play.ts';
import type { Rounds } from '../betting/rounds.ts';
import type { SeriesOf } from '../betting/series.ts';
import type { GameSlug } from './schemas.ts';
import type { GameSettings, HouseGames } from './settings.ts';

export type HouseGameDeps = {
  games: HouseGames;
  betting: Betting;
  series: SeriesOf;
  rounds: Rounds;
  currencies: Pick<Currencies, 'get'>;
};

const CASINO = { tag: 'Casino', access: 'auth' } as const;

/** Common fields of operations that place a bet. */
export const BET = { ...CASINO, method: 'POST', gate: 'bet', idempotent: true } as const;

/** Common fields of operations that start a round. */
export const START = { ...BET, errors: startRefusals } as const;

/** Common fields of actions on an open round. Players who may not bet may still finish their round. */
export const ACTION = { ...BET, gate: 'finish', onLane: true, errors: actionRefusals } as const;

/** Common fields of operations that read a game. */
export const READ = { ...CASINO, method: 'GET' } as const;

/** Returns the definition of the operation that shows the limits and other settings of a game. */
export const configOf = <C extends z.ZodType>(
  slug: GameSlug,
  { summary, response, read }: { summary: string; response: C; read: (deps: HouseGameDeps) => z.input<C> },
) => ({
  ...READ,
  path: `/casino/games/house/${slug}/config`,
  summary,
  response: response as z.ZodType,
  handler: read,
});

/** A game whose bets are settled in one step. */
export type SingleStepGame<
  Slug extends GameSlug,
  B extends z.ZodObject,
  R extends z.ZodType,
  C extends z.ZodType,
  Outcome extends object,
> = {
  slug: Slug;
  bet: { summary: string; body: B; response: R };
  config: { summary: string; response: C; read?: (deps: HouseGameDeps) => z.input<C> };
  /** Parses the bet from a request body. Throws 400 VALIDATION_FAILED. */
  step: (
    body: z.output<B>,
    settings: GameSettings<Slug>,
    deps: HouseGameDeps,
  ) => SingleStep<z.input<R> & object, Outcome>;
};

/** Infers the types of a game's definition. `single-step.ts` creates its operations. */
export const defineSingleStepGame = <
  Slug extends GameSlug,
  B extends z.ZodObject,
  R extends z.ZodType,
  C extends z.ZodType,
  Outcome extends object,
>(
  game: SingleStepGame<Slug, B, R, C, Outcome>,
) => game;

/** Returns the common fields of the response to a bet, and its outcome. */
export const resultOf = <Outcome extends object>(bet: PlayedBet<Outcome>) => ({
  currencyId: bet.currencyId,
  betAmount: formatUnits(bet.betUsd),
  payout: formatUnits(bet.payoutUsd),
  createdAt: bet.createdAt,
  betId: bet.betId,
  ...bet.outcome,
});

/** Returns the result of a game that stores the multiplier on offer even for lost bets. The displayed multiplier of a lost bet is 0. */
export const withOffer = <Result extends { multiplier: number }>(result: Result, hasWon: boolean) => ({
  ...result,
  multiplier: hasWon ? result.multiplier : 0,
  offeredMultiplier: result.multiplier,
});
