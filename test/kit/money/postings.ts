import type { Kind } from '../../../src/modules/money/ledger/kinds.ts';
import type { Posting } from '../../../src/modules/money/ledger/rules.ts';

/** Creates USDT postings with a kind that no module declares. */
export const postingsOf =
  (kind: string) =>
  (userId: number, debit: Posting['debit'], credit: Posting['credit'], amount: bigint): Posting => ({
    userId,
    currencyId: 'USDT',
    kind: kind as Kind,
    debit,
    credit,
    amount,
  });
