import type { IncomingHttpHeaders } from 'node:http';
import type { Units } from '../../../platform/money.ts';

/**
 * A party that takes coins in and pays coins out for us. It throws Unanswered (platform/outbound.ts) for whatever it cannot say for
 * certain, NotSent where the provider never got the request.
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
  lookUp(payout: PayoutQuery): Promise<PayoutState | undefined>;
  /** Whether the provider has signed exactly these bytes, now. */
  isSigned(raw: Buffer, headers: IncomingHttpHeaders): boolean;
  /** What a signed webhook reports about coins that came in; [] for one about nothing of ours. Throws 400 VALIDATION_FAILED. */
  readDeposits(raw: Buffer): DepositReport[];
  /** The same for payouts. */
  readPayouts(raw: Buffer): PayoutReport[];
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

export type PayoutQuery = {
  reference: string;
  externalId: string | null;
  sentAt: Date;
  /** The recipient: a payout without a reference to another recipient is certainly not this one. */
  address?: string;
};

export type PayoutState = {
  status: 'PROCESSING' | 'SENT' | 'COMPLETED' | 'FAILED';
  externalId: string | null;
  txHash: string | null;
  confirmations: number;
  /** Why it certainly was not and will not be paid. */
  failedReason: string | null;
};

export type PayoutReport = PayoutState & { reference: string; at: Date };

/** What a provider reports about coins, and when. */
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
};
