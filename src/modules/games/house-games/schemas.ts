import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  Decimal,
  Id,
  Moment,
  object,
  strictObject,
  Timestamp,
} from '../../../http/schemas.ts';
import { units } from '../../../platform/money.ts';
import { event, events } from '../../base/events/schemas.ts';
import { actionRefusals, startRefusals } from '../betting/errors.ts';
import { areDifferent, KENO_MOST, KENO_NUMBERS, KENO_RISKS } from './keno/rules.ts';
import { PLINKO_RISKS, PLINKO_ROWS } from './plinko/rules.ts';
import { ROULETTE_TYPES } from './roulette/layout/rules.ts';
import { ROULETTE_MOST_ENTRIES } from './roulette/rules.ts';

const CASINO = { tag: 'Casino', access: 'auth' } as const;

/** Common fields of operations that place a bet. */
export const BET = { ...CASINO, method: 'POST', gate: 'bet', idempotent: true } as const;

/** Common fields of operations that start a round. */
export const START = { ...BET, errors: startRefusals } as const;

/** Common fields of actions on an open round. Players who may not bet may still finish their round. */
export const ACTION = { ...BET, gate: 'finish', onLane: true, errors: actionRefusals } as const;

/** Common fields of operations that read a game. */
export const READ = { ...CASINO, method: 'GET' } as const;

/** Fields of every bet. `betAmount` is in US dollars; `windowId` is stored but not used. */
export const betFields = {
  currencyId: CurrencyId,
  betAmount: Amount.meta({ description: 'US dollars', example: '1.50' }),
  windowId: z.string().min(1).max(64).optional(),
};

/** Body of an action without parameters. */
export const RoundAction = strictObject('RoundAction', { windowId: betFields.windowId });

/** Fields of every response to a single-step bet. `payout` is in US dollars. */
const resultFields = {
  currencyId: CurrencyId,
  betAmount: Decimal,
  payout: Decimal,
  createdAt: Timestamp,
  multiplier: z.number(),
  betId: z.string(),
};

/** Result fields of games in which the player chooses the odds. */
const offerFields = {
  multiplier: z.number().meta({ description: '0 if the bet lost.' }),
  offeredMultiplier: z
    .number()
    .meta({ description: 'The multiplier of the chosen odds, regardless of whether the bet won.' }),
};

/** Limits in the settings of every game, in US dollars. */
export const limitFields = { minBet: z.number(), maxBet: z.number(), maxProfit: z.number() };

export const DiceBet = strictObject('DiceBet', {
  ...betFields,
  threshold: z.number().min(0).max(100),
  above: z.boolean(),
});

export const DiceResult = object('DiceResult', {
  ...resultFields,
  ...offerFields,
  above: z.boolean(),
  randomValue: z.number(),
  threshold: z.number(),
  didWin: z.boolean(),
});

export const DiceConfig = object('DiceConfig', {
  ...limitFields,
  maxMultiplier: z.number(),
  rtp: z.number(),
});

export const LimboBet = strictObject('LimboBet', {
  ...betFields,
  multiplier: z.number().min(1.01).max(1_000_000),
});

export const LimboResult = object('LimboResult', {
  ...resultFields,
  ...offerFields,
  randomMultiplier: z.number(),
});

export const LimboConfig = object('LimboConfig', {
  ...limitFields,
  minMultiplier: z.number(),
  maxMultiplier: z.number(),
  rtp: z.number(),
});

export const PlinkoBet = strictObject('PlinkoBet', {
  ...betFields,
  risk: z.enum(PLINKO_RISKS),
  rowsCount: z.number().int().min(PLINKO_ROWS.least).max(PLINKO_ROWS.most),
});

export const PlinkoResult = object('PlinkoResult', {
  ...resultFields,
  results: z.array(z.number()).meta({ description: '0 for left and 1 for right, from the top row down' }),
});

export const PlinkoConfig = object('PlinkoConfig', {
  ...limitFields,
  manualMs: z.number(),
  autoMs: z.number(),
});

export const KenoBet = strictObject('KenoBet', {
  ...betFields,
  risk: z.enum(KENO_RISKS),
  selected: z
    .array(z.number().int().min(1).max(KENO_NUMBERS))
    .min(1)
    .max(KENO_MOST)
    .refine(areDifferent, 'needs different numbers'),
});

export const KenoResult = object('KenoResult', {
  ...resultFields,
  results: z.array(z.number()).meta({ description: 'The numbers in the order in which they were drawn' }),
});

const MultipliersByRisk = z.record(z.string(), z.record(z.string(), z.array(z.number()))).meta({
  description:
    'Multipliers by risk, by count of selected numbers ("1" to "10"), and by number of hits, starting with 0',
});

export const KenoConfig = object('KenoConfig', { ...limitFields, multipliers: MultipliersByRisk });

const RouletteEntry = z.strictObject({
  type: z.enum(ROULETTE_TYPES),
  numbers: z
    .array(z.number().int().min(0).max(36))
    .max(6)
    .optional()
    .meta({
      description:
        'The numbers in any order. For DOZEN and COLUMN one number: 1, 2 or 3. For RED, BLACK, ODD, EVEN, LOW and HIGH no numbers.',
      example: [1],
    }),
  amount: Amount.meta({ description: 'US dollars', example: '1.50' }),
});

const RouletteBetParams = z
  .strictObject({ bets: z.array(RouletteEntry).min(1).max(ROULETTE_MOST_ENTRIES) })
  .meta({ id: 'RouletteBetParams', description: 'betAmount is the sum of the amounts' });

export const RouletteBet = strictObject('RouletteBet', { ...betFields, params: RouletteBetParams });

export const RouletteResult = object('RouletteResult', { ...resultFields, randomPosition: z.number().int() });

export const RouletteConfig = object('RouletteConfig', limitFields);

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
