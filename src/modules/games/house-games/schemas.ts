import { z } from 'zod';
import { Amount, CurrencyId, Decimal, object, strictObject, Timestamp } from '../../../http/schemas.ts';
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

export const HouseGameSettings = strictObject('HouseGameSettings', {
  plinko: HouseGameConfig.optional(),
  dice: HouseGameConfig.optional(),
  mines: HouseGameConfig.optional(),
  'monkey-run': HouseGameConfig.optional(),
  limbo: HouseGameConfig.optional(),
  roulette: HouseGameConfig.optional(),
  keno: HouseGameConfig.optional(),
  blackjack: HouseGameConfig.optional(),
  'speed-roulette': HouseGameConfig.optional(),
});

export const HouseGamePath = z.object({
  game: z.enum([
    'plinko',
    'dice',
    'mines',
    'monkey-run',
    'limbo',
    'roulette',
    'keno',
    'blackjack',
    'speed-roulette',
  ]),
});

export const KillSwitch = z.strictObject({ enabled: z.boolean(), reason: z.string().trim().min(1).max(500) });

export const KillSwitchState = object('KillSwitchState', {
  game: z.string(),
  enabled: z.boolean(),
  reason: z.string(),
  openRounds: z.number().int(),
  by: ShortPrivateUser,
  at: Timestamp,
});
