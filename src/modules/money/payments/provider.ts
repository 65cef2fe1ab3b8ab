import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../../platform/errors.ts';
import type { Units } from '../../../platform/money.ts';

/**
 * A company that receives and pays out coins for us. Methods throw Unanswered (platform/net/outbound.ts) if the outcome is unknown, and
 * NotSent if the provider never received the request.
 */
export type PaymentProvider = {
  /** The path segment for this provider in webhook URLs. */
  id: string;
  /** True if the provider pays a repeated reference only once and returns the existing payout. */
  repeatsSafely: boolean;
  /** Returns an address that belongs only to this player, or a shared address with a memo that belongs only to this player. */
  createAddress(request: AddressRequest): Promise<NewAddress>;
  /** Throws NotSent or Unanswered. */
  pay(request: PayoutRequest): Promise<PayoutState>;
  /** Returns a payout's state, or undefined if the provider definitely has no payout with this reference. Throws NotSent or Unanswered. */
  lookUp(payout: PayoutQuery): Promise<PayoutState | undefined>;
  /** Returns true if the provider has signed exactly these bytes within the tolerance. */
  isSigned(raw: Buffer, headers: IncomingHttpHeaders): boolean;
  /** The known field names in the provider's webhooks. Unknown fields are counted. */
  fields: ReadonlySet<string>;
  /** Returns the deposits in a signed webhook, or [] if the webhook is not about our deposits. Throws 400 VALIDATION_FAILED. */
  readDeposits(raw: Buffer): DepositReport[];
  /** Returns the payouts in a signed webhook. */
  readPayouts(raw: Buffer): PayoutReport[];
};

type AddressRequest = { reference: string; userId: number; currencyId: string; networkId: string };
export type NewAddress = { address: string; memo: string | null; externalId: string | null };

/** `reference` identifies the payout at the provider; `amount` is what the recipient receives. */
export type PayoutRequest = {
  reference: string;
  currencyId: string;
  networkId: string;
  address: string;
  memo: string | null;
  amount: Units;
};

export type PayoutQuery = {
  reference: string;
  externalId: string | null;
  sentAt: Date;
  /** The recipient. A payout without a reference must have this recipient to be treated as the one that was requested. */
  address?: string;
};

export type PayoutState = {
  status: 'PROCESSING' | 'SENT' | 'COMPLETED' | 'FAILED';
  externalId: string | null;
  txHash: string | null;
  confirmations: number;
  /** The reason why the payout will definitely never be paid. */
  failedReason: string | null;
};

/** `unknownType`: an unknown status as the provider sent it. */
export type PayoutReport = PayoutState & { reference: string; at: Date; unknownType?: string };

/**
 * Why a report could not be fully understood. All of these flaws except STATUS_UNKNOWN require a staff review before anything is credited.
 */
export type ReportFlaw =
  | 'CURRENCY_UNKNOWN'
  | 'AMOUNT_UNREADABLE'
  | 'REPORT_UNREADABLE'
  | 'PAYOUT_REPORT_UNREADABLE'
  | 'STATUS_UNKNOWN';

/** A provider's report about incoming coins. */
export type DepositReport = {
  externalId: string;
  status: 'DETECTED' | 'CONFIRMING' | 'COMPLETED' | 'PARTIALLY_PAID' | 'EXPIRED' | 'FAILED' | 'REVERSED';
  payAddress: string;
  payMemo: string | null;
  currencyId: string;
  networkId: string;
  amount: Units;
  txHash: string | null;
  outputIndex: number;
  confirmations: number;
  at: Date;
  /** `amount` is the total paid so far. A larger amount in a later report means that more coins have arrived. */
  isCumulative?: boolean;
  /** The provider's id of the earlier payment to the same address. */
  parentExternalId?: string | null;
  flaws?: readonly ReportFlaw[];
  /** The coin and the amount as the provider sent them, if we cannot represent them. */
  reported?: { currency?: string; amount?: string };
  /** The listed coin to which the provider has converted an unlisted coin. */
  outcome?: { currencyId: string; networkId: string; amount: Units };
  /** The text of a report that could not be understood. */
  text?: string;
  /** An unknown status as the provider sent it. */
  unknownType?: string;
  /** True if digits below our smallest unit were removed from the amount, as is common on chains with 18 decimals. */
  isCut?: boolean;
};

/** The maximum length of the report text that is stored with its deposit. */
const LONGEST = 8000;

const PREFIXES = { REPORT_UNREADABLE: 'unreadable', PAYOUT_REPORT_UNREADABLE: 'unreadable-payout' } as const;

/**
 * Returns the deposits in a signed webhook. A report about money is never rejected. An unreadable report becomes a deposit without an
 * amount, which staff review together with the text as received.
 */
export function readReports(provider: Pick<PaymentProvider, 'readDeposits'>, raw: Buffer): DepositReport[] {
  try {
    return provider.readDeposits(raw);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return [unreadable(raw, 'REPORT_UNREADABLE')];
  }
}

/** Creates a report without an amount or an owner, so that staff review its text. The same bytes always give the same report. */
export const unreadable = (
  raw: Buffer,
  flaw: 'REPORT_UNREADABLE' | 'PAYOUT_REPORT_UNREADABLE',
): DepositReport => ({
  externalId: `${PREFIXES[flaw]}:${createHash('sha256').update(raw).digest('hex')}`,
  status: 'DETECTED',
  payAddress: '',
  payMemo: null,
  currencyId: '',
  networkId: '',
  amount: 0n,
  txHash: null,
  outputIndex: 0,
  confirmations: 0,
  at: new Date(),
  flaws: [flaw],
  text: raw.toString().replaceAll('\0', '').toWellFormed().slice(0, LONGEST),
});
