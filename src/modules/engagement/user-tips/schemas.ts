import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  Decimal,
  line,
  object,
  PageNumber,
  page,
  SortOrder,
  Timestamp,
  take,
  text,
} from '../../../http/schemas.ts';
import { ShortPublicUser } from '../../base/users/schemas.ts';
import { DIRECTIONS } from './rules.ts';

const Direction = z.enum(DIRECTIONS);

export const NewTip = z.strictObject({
  recipientUsername: text(64).min(1).meta({ example: 'lucky_seven' }),
  currencyId: CurrencyId,
  amount: Amount,
  message: line(140).optional().meta({ description: 'One line to the recipient.', example: 'Good luck!' }),
  isPublic: z
    .boolean()
    .default(false)
    .meta({ description: 'The tip and its message are shown in the chat, where the sender may write.' }),
  mfaCode: z.string().min(6).max(64).optional().meta({
    description:
      'Needed where two-factor authentication is on: a code of the app, or that of `POST /user/passkeys/proof`.',
  }),
});

export const TipSent = z.object({
  id: z.string(),
  usdAmount: Decimal,
  balance: Decimal.meta({ description: "The sender's cash in this currency afterwards." }),
});

export const UserTipQuery = z.strictObject({
  direction: Direction.optional(),
  sortBy: z.enum(['createdAt', 'usdAmount']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(20),
});

const UserTipRow = object('UserTipRow', {
  id: z.string(),
  direction: Direction,
  user: ShortPublicUser.meta({ description: 'The other player.' }),
  currencyId: CurrencyId,
  amount: Decimal,
  usdAmount: Decimal.meta({ description: 'At the rate of then.' }),
  message: z.string().nullable(),
  isPublic: z.boolean(),
  createdAt: Timestamp,
});

export const UserTipPage = page(UserTipRow);
export type UserTipRow = z.input<typeof UserTipRow>;

export const UserTipLimits = object('UserTipLimits', {
  enabled: z.boolean(),
  minUsd: Decimal,
  sentTodayUsd: Decimal,
  sentLimitUsd: Decimal,
  receivedTodayUsd: Decimal,
  receivedLimitUsd: Decimal,
  resetsAt: Timestamp,
  blockers: z.array(z.string()).meta({
    description: 'Codes that POST /user-tips answers now, whoever is tipped, in whatever currency.',
  }),
});
