import { z } from 'zod';
import { CurrencyId, Decimal, object, Timestamp } from '../../../../http/schemas.ts';
import { ShortPublicUser } from '../../../base/users/schemas.ts';
import { COLORS } from './rules.ts';

export const ColorName = z.enum(COLORS);

const SpeedRouletteRound = object('SpeedRouletteRound', {
  roundId: z.string(),
  phase: z.enum(['BETTING', 'WAITING', 'RESULT']),
  seedHash: z.string(),
  seed: z.string().nullable(),
  publicBlockHash: z.string().nullable(),
  position: z.number().int().nullable(),
  color: ColorName.nullable(),
  startedAt: Timestamp,
  endsAt: Timestamp.meta({ description: 'End of the current phase' }),
});

export const ShownBet = object('SpeedRouletteBet', {
  user: ShortPublicUser,
  currencyId: CurrencyId,
  betAmount: Decimal,
  color: ColorName,
});

export const SpeedRouletteInfo = object('SpeedRouletteInfo', {
  game: SpeedRouletteRound,
  usersBets: z.array(ShownBet).meta({ description: 'All bets of the round, the oldest first' }),
  latestStats: z
    .array(z.object({ color: ColorName, count: z.number().int() }))
    .meta({ description: 'How often RED, BLACK and GREEN won in the last 100 finished rounds' }),
  latestGames: z
    .array(SpeedRouletteRound)
    .meta({ description: 'The last 20 finished rounds, the newest first' }),
  timeToNextBlockMs: z.number().int().meta({ description: 'Time until the end of the current phase' }),
});

export const FairnessChain = object('FairnessChain', {
  commitment: z.string().meta({
    description:
      'SHA-256 of the seed of the round at position 1. Hashing the seed of position n exactly n times gives this value.',
  }),
  length: z.number().int(),
  publishedAt: Timestamp,
  blockHeight: z.number().int().meta({
    description:
      'The block of a public blockchain, chosen at publication, whose hash becomes the public seed',
  }),
  publicSeed: z.string().nullable(),
  publicSeedAt: Timestamp.nullable(),
  played: z.number().int().meta({ description: 'The last position used so far' }),
  isRetired: z
    .boolean()
    .meta({ description: 'True if the seeds are unreadable and rounds therefore use the next chain.' }),
});
