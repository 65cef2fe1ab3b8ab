import type { Db } from '../../../platform/db.ts';
import { EVERYBODY } from '../../../platform/list/marked-list.ts';
import { createMarks } from '../../../platform/list/marks.ts';
import { LOOKED } from '../../../platform/list/matching.ts';
import { getUser } from '../../base/users/service.ts';
import type { Bets } from '../../games/bets/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { MOVEMENTS, summarizePostings } from '../../money/ledger/marked-list.ts';
import type { Wallet } from '../../money/wallet/service.ts';
import { createStatement } from './list.ts';

export type Accounting = ReturnType<typeof createAccounting>;

type Deps = {
  db: Db;
  /** For the statement: may be a little old. */
  reads?: Db;
  currencies: Currencies;
  wallet: Pick<Wallet, 'balances' | 'vaultBalances' | 'totals'>;
  bets: Pick<Bets, 'ownerOf'>;
};

/** What staff sees of money: balances of one user, and the movements of all. */
export function createAccounting({ db, reads = db, currencies, wallet, bets }: Deps) {
  const marks = createMarks(db, MOVEMENTS, reads);
  /** Throws 404 USER_NOT_FOUND. */
  const ofUser =
    <T>(read: (userId: number) => Promise<T>) =>
    async (userId: number): Promise<T> => {
      await getUser(db, userId);
      return read(userId);
    };
  return {
    balances: ofUser(wallet.balances),
    vaultBalances: ofUser(wallet.vaultBalances),
    usdBalance: ofUser(async (userId) => ({ usdAmount: (await wallet.totals(userId)).usd })),
    transactions: createStatement({ db: reads, currencies, bets, marks, looked: LOOKED }),

    hasMarksToSet: marks.hasNews,
    /** Keeps the statement of everybody quick to leaf through. */
    async setMarks(): Promise<void> {
      if (await marks.extend(EVERYBODY)) await summarizePostings(db);
    },
  };
}
