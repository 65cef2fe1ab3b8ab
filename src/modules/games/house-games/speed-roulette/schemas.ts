import { z } from 'zod';
import { CurrencyId, Decimal, Timestamp } from '../../../../http/schemas.ts';
import { ShortPublicUser } from '../../../base/users/schemas.ts';
import { betFields, limitFields } from '../schemas.ts';
import { COLORS } from './rules.ts';

const ColorName = z.enum(COLORS);

export const SpeedRouletteBet = z
  .strictObject({ ...betFields, color: ColorName })
  .meta({ id: 'SpeedRouletteBetRequest' });

export const SpeedRouletteResult = z
  .object({ currencyId: CurrencyId, betAmount: Decimal, color: ColorName })
  .meta({ id: 'SpeedRouletteResult' });

const SpeedRouletteTimeConfig = z
  .object({ bettingMs: z.number().int(), waitingMs: z.number().int(), resultMs: z.number().int() })
  .meta({ id: 'SpeedRouletteTimeConfig' });

export const SpeedRouletteConfig = z
  .object({ ...limitFields, timeConfig: SpeedRouletteTimeConfig })
  .meta({ id: 'SpeedRouletteConfig' });

const SpeedRouletteRound = z
  .object({
    roundId: z.string(),
    phase: z.enum(['BETTING', 'WAITING', 'RESULT']),
    seedHash: z.string(),
    seed: z.string().nullable(),
    publicBlockHash: z.string().nullable(),
    position: z.number().int().nullable(),
    color: ColorName.nullable(),
    startedAt: Timestamp,
    endsAt: Timestamp.meta({ description: 'End of the current phase' }),
  })
  .meta({ id: 'SpeedRouletteRound' });

export const ShownBet = z
  .object({ user: ShortPublicUser, currencyId: CurrencyId, betAmount: Decimal, color: ColorName })
  .meta({ id: 'SpeedRouletteBet' });

export const SpeedRouletteInfo = z
  .object({
    game: SpeedRouletteRound,
    usersBets: z.array(ShownBet).meta({ description: 'All bets of the round, the oldest first' }),
    latestStats: z
      .array(z.object({ color: ColorName, count: z.number().int() }))
      .meta({ description: 'RED, BLACK, GREEN in the last 100 finished rounds' }),
    latestGames: z
      .array(SpeedRouletteRound)
      .meta({ description: 'The last 20 finished rounds, the newest first' }),
    timeToNextBlockMs: z.number().int().meta({ description: 'To the end of the current phase' }),
  })
  .meta({ id: 'SpeedRouletteInfo' });

export const FairnessChain = z
  .object({
    commitment: z.string().meta({
      description:
        'SHA-256 of the seed of the round at position 1. Hashing the seed of position n n times gives it.',
    }),
    length: z.number().int(),
    publishedAt: Timestamp,
    blockHeight: z.number().int().meta({
      description: 'The block of the public chain, named at publishing, whose hash becomes the public seed',
    }),
    publicSeed: z.string().nullable(),
    publicSeedAt: Timestamp.nullable(),
    played: z.number().int().meta({ description: 'The last position that was used' }),
    isRetired: z
      .boolean()
      .meta({ description: 'Its seeds cannot be read any more: the next chain is played' }),
  })
  .meta({ id: 'FairnessChain' });
