import { z } from 'zod';
import {
  CurrencyId,
  Id,
  object,
  PageNumber,
  SortOrder,
  strictObject,
  Timestamp,
  take,
  text,
} from '../../../../http/schemas.ts';
import { ShortPrivateUser, UserId } from '../../../base/users/schemas.ts';

const FindingStatus = z.enum(['OPEN', 'APPLIED', 'CLOSED']);
const Kind = text(40).meta({ example: 'MISSING_HERE' });

export const ProviderFinding = object('ProviderFinding', {
  id: z.string(),
  provider: z.string().meta({ description: 'Its slug.' }),
  kind: Kind,
  subject: z.string().meta({ description: 'The transaction, the round or the list that it is about.' }),
  user: ShortPrivateUser.nullable(),
  facts: z.record(z.string(), z.unknown()),
  status: FindingStatus,
  reason: z.string().nullable().meta({ description: 'Why staff closed it.' }),
  createdAt: Timestamp,
  decidedAt: Timestamp.nullable(),
  decidedBy: ShortPrivateUser.nullable(),
});

export const FindingQuery = z.strictObject({
  provider: text(100).optional(),
  kind: Kind.optional(),
  status: FindingStatus.optional(),
  userId: UserId.optional(),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(100),
});

export const FindingPath = z.object({ id: Id });

export const FindingClosure = strictObject('FindingClosure', { reason: z.string().trim().min(1).max(500) });

/** What a provider's report says of a transaction that can be booked. */
export const BookableTransaction = z.object({
  type: z.enum(['BET', 'WIN', 'ROLLBACK', 'FREE_SPIN_WIN', 'PROMO_WIN', 'JACKPOT', 'ADJUSTMENT']),
  playerId: z.string(),
  currencyId: CurrencyId,
  amount: z.string(),
  round: z.string().nullable(),
  reference: z.string().nullable(),
  gameCode: z.string().nullable(),
  isRoundClosed: z.boolean().nullable(),
  isFree: z.boolean().nullable(),
});
