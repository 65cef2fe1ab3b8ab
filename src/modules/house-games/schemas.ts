import { z } from 'zod';
import { Amount, CurrencyId, Decimal, Timestamp } from '../../http/schemas.ts';

/** Fields of every bet; `betAmount` is in US dollars, `windowId` is stored and changes nothing. */
export const betFields = {
  currencyId: CurrencyId,
  betAmount: Amount.meta({ description: 'US dollars', example: '1.50' }),
  windowId: z.string().min(1).max(64).optional(),
};

/** Body of an action that has nothing to say but that it is meant. */
export const RoundAction = z.strictObject({ windowId: betFields.windowId }).meta({ id: 'RoundAction' });

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

const FairnessRound = z
  .object({
    roundId: z.string(),
    seedHash: z.string(),
    seed: z.string().nullable(),
    publicBlockHash: z.string().nullable(),
    chainPosition: z.number().int(),
  })
  .meta({ id: 'FairnessRound' });

export const FairnessBet = z
  .object({
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
  })
  .meta({ id: 'FairnessBet' });

export const SeriesCount = z
  .number()
  .int()
  .min(1)
  .max(100)
  .meta({ description: 'How many bets, each of betAmount' });

export const Refused = z
  .object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()).nullable() })
  .meta({ id: 'RefusedBet' });
