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
import { ShortPrivateUser, UserId } from '../../base/users/schemas.ts';

export const NewAdminTip = z.strictObject({
  recipientUserId: UserId.meta({ example: 2_000_000_000 }),
  currencyId: CurrencyId,
  amount: Amount,
  notes: text(1000).trim().min(1).meta({
    description: 'Why: staff alone sees it, and the audit keeps it.',
    example: 'Sorry for the wait.',
  }),
  tag: line(50).optional().meta({ description: 'Of a tip the player sees it.', example: 'goodwill' }),
});

const sorted = {
  sortBy: z.enum(['createdAt', 'usdAmount']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(100),
};

export const AdminTipQuery = z.strictObject({
  ...sorted,
  senderUserId: UserId.optional(),
  recipientUserId: UserId.optional(),
  senderOrRecipientUserId: UserId.optional(),
  search: text(64).optional().meta({ description: 'Part of the username of either, their id, or the tag.' }),
});

export const ReceivedAdminTipQuery = z.strictObject(sorted);

const shown = {
  id: z.string(),
  currencyId: CurrencyId,
  amount: Decimal,
  usdAmount: Decimal.meta({ description: 'At the rate of then.' }),
  tag: z.string().nullable(),
  createdAt: Timestamp,
};

const AdminTipRow = object('AdminTipRow', {
  ...shown,
  kind: z.enum(['TIP', 'DEDUCTION']),
  senderUserId: UserId,
  sender: ShortPrivateUser,
  recipientUserId: UserId,
  recipient: ShortPrivateUser,
  notes: z.string(),
});

const ReceivedAdminTipRow = object('ReceivedAdminTipRow', shown);

export type AdminTipRow = z.input<typeof AdminTipRow>;
export type ReceivedAdminTipRow = z.input<typeof ReceivedAdminTipRow>;
export const AdminTipPage = page(AdminTipRow);
export const ReceivedAdminTipPage = page(ReceivedAdminTipRow);
