import { z } from 'zod';
import { Amount, CurrencyId, Id, strictObject } from '../../../../http/schemas.ts';
import { isNumeral, type Numeral } from './rules.ts';

const Status = <const S extends readonly [string, ...string[]]>(...statuses: S) => z.enum(statuses);
const OccurredAt = z.iso.datetime({ offset: true }).meta({ example: '2026-11-21T09:30:00.000Z' });
const Count = z.number().int().min(0).max(2_147_483_647);
/** Ids that others have made: printable characters without spaces. */
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
/** A reason in words; PostgreSQL stores neither NUL nor lone surrogates. */
export const Reason = z.string().transform((text) => text.replaceAll('\0', '').toWellFormed().slice(0, 500));

/** A webhook of our own protocol about coins that came in. */
export const DepositWebhook = strictObject('DepositWebhook', {
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
});

/** The same about a payout: `reference` is ours, `externalId` the provider's. */
export const WithdrawalWebhook = strictObject('WithdrawalWebhook', {
  externalId: Token,
  reference: Token,
  status: Status('PROCESSING', 'SENT', 'COMPLETED', 'FAILED'),
  txHash: Token.nullish(),
  networkFee: Amount.nullish(),
  confirmations: Count.default(0),
  failedReason: Reason.nullish(),
  occurredAt: OccurredAt,
});
