import { createHash } from 'node:crypto';
import { AppError } from '../../../../platform/errors.ts';
import type { DepositReport, PaymentProvider } from '../provider.ts';

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
