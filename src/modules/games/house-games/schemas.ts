import { z } from 'zod';
import { Amount, CurrencyId, Decimal, Id, Moment, strictObject, Timestamp } from '../../../http/schemas.ts';
import { units } from '../../../platform/money.ts';
import { event, events } from '../../base/events/schemas.ts';

/** Fields of every bet. `betAmount` is in US dollars; `windowId` is stored but not used. */
export const betFields = {
  currencyId: CurrencyId,
  betAmount: Amount.meta({ description: 'US dollars', example: '1.50' }),
  windowId: z.string().min(1).max(64).optional(),
};

/** Body of an action without parameters. */
export const RoundAction = strictObject('RoundAction', { windowId: betFields.windowId });

/** Fields of every response to a single-step bet. `payout` is in US dollars. */
export const resultFields = {
  currencyId: CurrencyId,
  betAmount: Decimal,
  payout: Decimal,
  createdAt: Timestamp,
  multiplier: z.number(),
  betId: z.string(),
};

/** Result fields of games in which the player chooses the odds. */
export const offerFields = {
  multiplier: z.number().meta({ description: '0 if the bet lost.' }),
  offeredMultiplier: z
    .number()
    .meta({ description: 'The multiplier of the chosen odds, regardless of whether the bet won.' }),
};

/** Limits in the settings of every game, in US dollars. */
export const limitFields = { minBet: z.number(), maxBet: z.number(), maxProfit: z.number() };

const Common = z.object({
  minBet: Amount.transform(units),
  maxBet: Amount.transform(units),
  maxProfit: Amount.transform(units),
  /** In percent, with at most two decimals. */
  rtp: z.number().min(80).max(99.9),
});
const wait = (min: number, max: number) => z.number().int().min(min).max(max);

/** Stored settings, with amounts as strings. The bounds limit the values that staff can set. */
export const Settings = {
  /** How long clients wait between two balls, in manual and automatic play. */
  plinko: Common.extend({ manualMs: wait(0, 60_000), autoMs: wait(0, 60_000) }),
  dice: Common.extend({ maxMultiplier: z.number().min(2).max(9900) }),
  mines: Common,
  'monkey-run': Common,
  limbo: Common.extend({ minMultiplier: z.number().min(1.01), maxMultiplier: z.number().max(1_000_000) }),
  roulette: Common,
  keno: Common,
  blackjack: Common,
  'speed-roulette': Common.extend({
    timeConfig: z.object({
      bettingMs: wait(3000, 120_000),
      waitingMs: wait(0, 60_000),
      resultMs: wait(1000, 60_000),
    }),
  }),
};

export type GameSlug = keyof typeof Settings;
export const GAMES = Object.keys(Settings) as GameSlug[];

export const houseGameEvents = events({
  'speed-roulette.round': event(
    'game:speed-roulette',
    'The shared round has entered a phase. Seed, position and color are set from RESULT on.',
    z.strictObject({
      roundId: Id,
      phase: z.enum(['BETTING', 'WAITING', 'RESULT']),
      seedHash: z.string(),
      seed: z.string().nullable(),
      position: z.number().int().min(0).max(14).nullable(),
      color: z.enum(['RED', 'BLACK', 'GREEN']).nullable(),
      endsAt: Moment.meta({ description: 'The time when the phase ends.' }),
    }),
  ),
});
