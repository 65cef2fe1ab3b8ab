import { z } from 'zod';
import { Amount, CurrencyId, Id, strictObject } from '../../../../http/schemas.ts';
import { idOf, isNumeral, type Numeral } from '../../../../platform/exact-json.ts';

const Status = <const S extends readonly [string, ...string[]]>(...statuses: S) => z.enum(statuses);
const OccurredAt = z.iso.datetime({ offset: true }).meta({ example: '2026-11-21T09:30:00.000Z' });
const Count = z.number().int().min(0).max(2_147_483_647);
/** Ids from other companies: printable characters without spaces. */
export const Token = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'must be printable characters without spaces');
/** A number as text, in the notation of the received document (see parseExact). */
export const Exact = z.union([
  z.custom<Numeral>(isNumeral).transform(({ rawJSON }) => rawJSON),
  z.string().min(1).max(100),
]);
/** A partner's id, sent as text or as a number in any notation. */
export const ExternalId = z.union([z.custom<Numeral>(isNumeral).transform(idOf), z.string()]).pipe(Token);
/** A reason as text, without NUL characters or lone surrogates, which PostgreSQL cannot store. */
export const Reason = z.string().transform((text) => text.replaceAll('\0', '').toWellFormed().slice(0, 500));

/** A webhook in our own protocol that reports received coins. */
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

/** An integer in any notation. */
const Whole = Exact.transform(Number).pipe(Count);
/**
 * The lenient form that is used for parsing. It ignores unknown fields and accepts numbers in any notation, because the coins have already
 * arrived.
 */
export const ReportedDeposit = z.object({
  ...DepositWebhook.shape,
  status: z.string().max(100),
  currencyId: z
    .string()
    .transform((code) => code.toUpperCase())
    .pipe(CurrencyId),
  amount: Exact,
  outputIndex: Whole.default(0),
  confirmations: Whole.default(0).catch(0),
});

/** A webhook in our own protocol about a payout. `reference` is our id for the payout, `externalId` the provider's. */
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

/** The lenient form of a report about a payout. A payout with an unknown status is not treated as final. */
export const ReportedPayout = z.object({
  ...WithdrawalWebhook.shape,
  status: z.string().max(100),
  networkFee: z.unknown().optional(),
  confirmations: Whole.default(0).catch(0),
});
