import { z } from 'zod';
import { Amount, CurrencyId, Decimal, object, strictObject, Timestamp } from '../../../http/schemas.ts';
import { units } from '../../../platform/money.ts';
import { ShortPrivateUser } from '../../base/users/schemas.ts';

/** Fields of every bet; `betAmount` is in US dollars, `windowId` is stored and changes nothing. */
export const betFields = {
  currencyId: CurrencyId,
  betAmount: Amount.meta({ description: 'US dollars', example: '1.50' }),
  windowId: z.string().min(1).max(64).optional(),
};

/** Body of an action that has nothing to say but that it is meant. */
export const RoundAction = strictObject('RoundAction', { windowId: betFields.windowId });

/** Fields of every answer to a single-step bet. `payout` is in US dollars. */
export const resultFields = {
  currencyId: CurrencyId,
  betAmount: Decimal,
  payout: Decimal,
  createdAt: Timestamp,
  multiplier: z.number(),
  betId: z.string(),
};

/** Limits that every config route shows, in US dollars. */
export const limitFields = { minBet: z.number(), maxBet: z.number(), maxProfit: z.number() };

const FairnessRound = object('FairnessRound', {
  roundId: z.string(),
  seedHash: z.string(),
  seed: z.string().nullable(),
  publicBlockHash: z.string().nullable(),
  chainPosition: z.number().int(),
});

export const FairnessBet = object('FairnessBet', {
  betId: z.string(),
  game: z.string(),
  algorithmVersion: z.string(),
  serverSeedHash: z.string().nullable(),
  serverSeed: z.string().nullable(),
  clientSeed: z.string().nullable(),
  nonce: z.number().int().nullable(),
  /** Return to the player in basis points that was in force: multipliers follow from it. */
  rtpBp: z.number().int(),
  inputs: z.record(z.string(), z.unknown()),
  outcome: z.record(z.string(), z.unknown()),
  round: FairnessRound.nullable(),
  verified: z.boolean().nullable(),
});

export const SeriesCount = z
  .number()
  .int()
  .min(1)
  .max(100)
  .meta({ description: 'How many bets, each of betAmount' });

export const UnknownBets = z.number().int().meta({
  description:
    'Bets of which the database did not confirm in time whether they were made; 0: all is known. Repeat with the same Idempotency-Key.',
  example: 0,
});

export const Refused = object('RefusedBet', {
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).nullable(),
});

const Common = z.object({
  minBet: Amount.transform(units),
  maxBet: Amount.transform(units),
  maxProfit: Amount.transform(units),
  /** Percent, at most two decimals. */
  rtp: z.number().min(80).max(99.9),
});
const wait = (min: number, max: number) => z.number().int().min(min).max(max);

/** As they are stored: amounts as text. Bounds are those of what an administrator may set. */
export const Settings = {
  /** How long a client waits between two balls, in single and in automatic play. */
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
const GAMES = Object.keys(Settings) as GameSlug[];

const TimeConfig = strictObject('SpeedRouletteTimeConfig', {
  bettingMs: z.number(),
  waitingMs: z.number(),
  resultMs: z.number(),
});

const OpenObject = z.record(z.string(), z.unknown());

/** Every field that some game has; which of them a game has, and within which bounds, its settings say. */
const HouseGameConfig = strictObject('HouseGameConfig', {
  enabled: z.boolean().optional(),
  rtp: z.number().optional(),
  minBet: z.number().optional().meta({ description: 'US dollars' }),
  maxBet: z.number().optional().meta({ description: 'US dollars' }),
  maxProfit: z.number().optional().meta({ description: 'US dollars' }),
  minMultiplier: z.number().optional(),
  maxMultiplier: z.number().optional(),
  manualMs: z.number().optional(),
  autoMs: z.number().optional(),
  multipliers: OpenObject.optional(),
  difficulties: OpenObject.optional(),
  timeConfig: TimeConfig.optional(),
});

/** The settings of each game. */
export const HouseGameSettings = strictObject(
  'HouseGameSettings',
  Object.fromEntries(GAMES.map((game) => [game, HouseGameConfig.optional()])) as {
    [S in GameSlug]: z.ZodOptional<typeof HouseGameConfig>;
  },
);

export const HouseGamePath = z.object({ game: z.enum(GAMES) });

export const KillSwitch = z.strictObject({ enabled: z.boolean(), reason: z.string().trim().min(1).max(500) });

export const KillSwitchState = object('KillSwitchState', {
  game: z.string(),
  enabled: z.boolean(),
  reason: z.string(),
  openRounds: z.number().int(),
  by: ShortPrivateUser,
  at: Timestamp,
});
