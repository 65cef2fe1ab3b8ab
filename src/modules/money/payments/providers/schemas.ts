import { z } from 'zod';
import { Amount, CurrencyId, Id } from '../../../../http/schemas.ts';
import { isNumeral, type Numeral } from './rules.ts';

const Status = <const S extends readonly [string, ...string[]]>(...statuses: S) => z.enum(statuses);
const OccurredAt = z.iso.datetime({ offset: true }).meta({ example: '2026-11-21T09:30:00.000Z' });
const Count = z.number().int().min(0).max(2_147_483_647);
/** Names that others have given: printable characters without spaces. */
export const Token = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'needs printable characters without spaces');
/** A number as text, however it was written in JSON that parseExact has read. */
export const Exact = z.union([
  z.custom<Numeral>(isNumeral).transform(({ rawJSON }) => rawJSON),
  z.string().min(1).max(100),
]);
/** What somebody says in words; PostgreSQL stores no NUL and no half characters. */
export const Reason = z.string().transform((text) => text.replaceAll('\0', '').toWellFormed().slice(0, 500));

/** What our own protocol says of coins that came in. */
export const DepositWebhook = z
  .strictObject({
    externalId: Token,
    status: Status('DETECTED', 'CONFIRMING', 'COMPLETED', 'PARTIALLY_PAID', 'EXPIRED', 'FAILED', 'REVERSED'),
    payAddress: Token,
    payMemo: Token.nullish(),
    currencyId: CurrencyId,
    networkId: Id,
    amount: Amount,
    txHash: Token.nullish(),
    outputIndex: Count.default(0),
    confirmations: Count.default(0),
    occurredAt: OccurredAt,
  })
  .meta({ id: 'DepositWebhook' });

/** What it says of a payout: `reference` is ours, `externalId` the provider's. */
export const WithdrawalWebhook = z
  .strictObject({
    externalId: Token,
    reference: Token,
    status: Status('PROCESSING', 'SENT', 'COMPLETED', 'FAILED'),
    txHash: Token.nullish(),
    networkFee: Amount.nullish(),
    confirmations: Count.default(0),
    failedReason: Reason.nullish(),
    occurredAt: OccurredAt,
  })
  .meta({ id: 'WithdrawalWebhook' });
