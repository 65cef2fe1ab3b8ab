import type { IncomingHttpHeaders } from 'node:http';
import type { Units } from '../../../platform/money.ts';

/**
 * A party that takes coins in and pays coins out for us. Whatever it cannot say for certain it throws as Unanswered
 * (platform/outbound.ts); NotSent means that it never heard of the request.
 */
export type PaymentProvider = {
  /** Segment of its webhook addresses. */
  id: string;
  /** A payout with a reference that was accepted before is answered with that one and not made again. */
  repeatsSafely: boolean;
  /** An address for one player alone, or one that they share with others and a memo that is theirs. */
  createAddress(request: AddressRequest): Promise<NewAddress>;
  /** Throws NotSent, Unanswered. */
  pay(request: PayoutRequest): Promise<PayoutState>;
  /** What became of a payout. Undefined: it certainly has none with this reference. Throws NotSent, Unanswered. */
  lookUp(payout: {
    reference: string;
    externalId: string | null;
    sentAt: Date;
    /** Whom it goes to: what is paid to others under no name is certainly not this one. */
    address?: string;
  }): Promise<PayoutState | undefined>;
  /** Whether the provider has signed exactly these bytes, now. */
  isSigned(raw: Buffer, headers: IncomingHttpHeaders): boolean;
  /** What a signed notice says of coins that came in. Throws 400 VALIDATION_FAILED. A notice about nothing of ours: []. */
  readDeposits(raw: Buffer): DepositNotice[];
  /** What a signed notice says of a payout; the same. */
  readPayouts(raw: Buffer): PayoutNotice[];
};

export type AddressRequest = { reference: string; userId: number; currencyId: string; networkId: string };
export type NewAddress = { address: string; memo: string | null; externalId: string | null };

/** `reference` names the payout at the provider; `amount` is what the recipient gets. */
export type PayoutRequest = {
  reference: string;
  currencyId: string;
  networkId: string;
  address: string;
  memo: string | null;
  amount: Units;
};

export type PayoutStatus = 'PROCESSING' | 'SENT' | 'COMPLETED' | 'FAILED';

export type PayoutState = {
  status: PayoutStatus;
  externalId: string | null;
  txHash: string | null;
  confirmations: number;
  /** Why it certainly was not and will not be paid. */
  failedReason: string | null;
};

export type PayoutNotice = PayoutState & { reference: string; at: Date };

export type DepositNoticeStatus =
  | 'DETECTED'
  | 'CONFIRMING'
  | 'COMPLETED'
  | 'PARTIALLY_PAID'
  | 'EXPIRED'
  | 'FAILED'
  | 'REVERSED';

export type DepositNotice = {
  externalId: string;
  status: DepositNoticeStatus;
  payAddress: string;
  payMemo: string | null;
  currencyId: string;
  networkId: string;
  amount: Units;
  txHash: string | null;
  outputIndex: number;
  confirmations: number;
  at: Date;
};
