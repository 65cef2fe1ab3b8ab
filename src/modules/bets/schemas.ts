import { z } from 'zod';
import { CurrencyId, Decimal, Id, PageNumber, SortOrder, Timestamp, take } from '../../http/schemas.ts';
import { ShortPublicUser } from '../users/schemas.ts';

const BetStatus = z.enum(['CREATED', 'SETTLED', 'ERROR', 'ROLLBACK']);
const GameType = z.enum(['SLOTS', 'HOUSE_GAME', 'EVO_GAME', 'SPORTSBOOK']);

const gameIdentity = {
  id: z.number().int(),
  slug: z.string(),
  name: z.string(),
  type: GameType,
  images: z.array(z.string()),
  providerName: z.string().nullable(),
};

export const ShortGameIdentity = z.object(gameIdentity).meta({ id: 'ShortGameIdentity' });

export const BetRow = z
  .object({
    id: z.string(),
    status: BetStatus,
    currencyId: CurrencyId,
    amount: Decimal,
    payout: Decimal,
    usdAmount: Decimal,
    usdPayout: Decimal,
    multiplier: z.number(),
    game: ShortGameIdentity,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    settledAt: Timestamp.nullable(),
  })
  .meta({ id: 'BetRow' });

const OpenObject = z.record(z.string(), z.unknown());

const BetGame = z
  .object({
    ...gameIdentity,
    multiplier: z.number(),
    inputs: OpenObject.nullable(),
    outcome: OpenObject.nullable(),
  })
  .meta({ id: 'BetGame' });

export const BetInfo = z
  .object({
    currencyId: CurrencyId,
    amount: Decimal,
    payout: Decimal,
    betId: z.string(),
    settledAt: Timestamp,
    game: BetGame,
    user: ShortPublicUser,
  })
  .meta({ id: 'BetInfo' });

export const BetsQuery = z.strictObject({
  sortBy: z.enum(['CREATED_AT', 'USD_AMOUNT']).default('CREATED_AT'),
  sortOrder: SortOrder.default('desc'),
  status: BetStatus.default('SETTLED'),
  page: PageNumber,
  take: take(20),
});

export const BetPath = z.object({ betId: Id });
