import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../../platform/errors.ts';
import type { Units } from '../../../platform/money.ts';

/**
 * A company that receives and pays out coins for us. Methods throw Unanswered (platform/net/outbound.ts) if the outcome is unknown, and
 * NotSent if the provider never received the request.
 */
export type PaymentProvider = {
  /** The segment of its webhook URLs. */
  id: string;
  /** True if the provider pays a repeated reference once and returns the existing payout. */
  repeatsSafely: boolean;
  /** Returns an address of the player's own, or a shared address with a memo of the player's own. */
  createAddress(request: AddressRequest): Promise<NewAddress>;
  /** Throws NotSent, Unanswered. */
  pay(request: PayoutRequest): Promise<PayoutState>;
  /** Returns a payout's state, or undefined if the provider certainly has none with this reference. Throws NotSent, Unanswered. */
  lookUp(payout: PayoutQuery): Promise<PayoutState | undefined>;
  /** Returns true if the provider has signed exactly these bytes within the tolerance. */
  isSigned(raw: Buffer, headers: IncomingHttpHeaders): boolean;
  /** Known field names of its webhooks; others are counted. */
  fields: ReadonlySet<string>;
  /** Returns the deposits in a signed webhook; [] if it concerns nothing of ours. Throws 400 VALIDATION_FAILED. */
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
  /** The recipient. A payout without a reference belongs to this one only if its recipient is the same. */
  address?: string;
};

export type PayoutState = {
  status: 'PROCESSING' | 'SENT' | 'COMPLETED' | 'FAILED';
  externalId: string | null;
  txHash: string | null;
  confirmations: number;
  /** The reason why the payout will certainly never be paid. */
  failedReason: string | null;
};

/** `unknownType`: an unknown status as the provider sent it. */
export type PayoutReport = PayoutState & { reference: string; at: Date; unknownType?: string };

/** Why a report could not be understood as received. All but STATUS_UNKNOWN require a review by staff before anything is credited. */
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
  /** `amount` is the total paid so far; a later, larger one means that more coins arrived. */
  isCumulative?: boolean;
  /** The provider's id of the payment that this one repeats. */
  parentExternalId?: string | null;
  flaws?: readonly ReportFlaw[];
  /** Coin and digits as the provider sent them, if we cannot represent them. */
  reported?: { currency?: string; amount?: string };
  /** The listed coin to which the provider has converted an unlisted coin. */
  outcome?: { currencyId: string; networkId: string; amount: Units };
  /** The text of a report that could not be understood. */
  text?: string;
  /** An unknown status as the provider sent it. */
  unknownType?: string;
  /** True if digits below our smallest unit were cut off the amount, as is common on chains with 18 decimals. */
  isCut?: boolean;
};

/** The longest report text that is stored with its deposit. */
const LONGEST = 8000;

const PREFIXES = { REPORT_UNREADABLE: 'unreadable', PAYOUT_REPORT_UNREADABLE: 'unreadable-payout' } as const;

/**
 * Returns the deposits in a signed webhook. A report about money is never rejected: an unreadable one becomes a deposit without an amount,
 * which staff reviews together with the text as received.
 */
export function readReports(provider: Pick<PaymentProvider, 'readDeposits'>, raw: Buffer): DepositReport[] {
  try {
    return provider.readDeposits(raw);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return [unreadable(raw, 'REPORT_UNREADABLE')];
  }
}

/** A report without an amount or an owner: staff reviews its text. The same bytes are the same report. */
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
