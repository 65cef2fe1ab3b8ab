import { z } from 'zod';
import { CurrencyId, Decimal, object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { readTogether } from '../../../platform/limits/shared-read.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Grants } from '../bonus/grants.ts';
import type { Currencies } from '../currencies/service.ts';
import { balancesOfMany } from '../ledger/balances.ts';

const balance = { currencyId: CurrencyId, amount: Decimal, usdAmount: Decimal, updatedAt: Timestamp };
export const Balance = object('Balance', balance);

export const OwnBalance = object('OwnBalance', {
  ...balance,
  version: z.number().int().meta({
    description:
      'Increases with every change of the wallet. The event `balance.updated` contains the same number.',
  }),
});

export const VaultBalance = object('VaultBalance', {
  currencyId: CurrencyId,
  vaultAmount: Decimal,
  usdAmount: Decimal.optional(),
  updatedAt: Timestamp,
});

export type WalletDeps = {
  db: Db;
  currencies: Currencies;
  gate: Gate;
  grants: Pick<Grants, 'assertNoneOpen'>;
  wallet: Wallet;
};

export type Wallet = ReturnType<typeof createWallet>;

/** Reads balances and vault balances. Concurrent reads for several players share one query. */
export function createWallet({ db, currencies }: { db: Db; currencies: Currencies }) {
  const read = readTogether((userIds: readonly number[]) => balancesOfMany(db, userIds));
  const balancesOf = async (userId: number) => (await read(userId)) ?? [];
  return {
    async balances(userId: number) {
      return (await balancesOf(userId)).map(({ currencyId, cash, updatedAt, version }) => ({
        currencyId,
        amount: formatUnits(cash),
        usdAmount: formatUnits(currencies.toUsd(currencyId, cash)),
        updatedAt: iso(updatedAt),
        version: Number(version),
      }));
    },
    async vaultBalances(userId: number) {
      return (await balancesOf(userId)).map(({ currencyId, vault, updatedAt }) => ({
        currencyId,
        vaultAmount: formatUnits(vault),
        usdAmount: formatUnits(currencies.toUsd(currencyId, vault)),
        updatedAt: iso(updatedAt),
      }));
    },
    /** Returns the totals in US dollars over all currencies. */
    async totals(userId: number) {
      const all = await balancesOf(userId);
      const sum = (part: (b: (typeof all)[number]) => Units) =>
        formatUnits(all.reduce((total, b) => total + currencies.toUsd(b.currencyId, part(b)), 0n));
      return { usd: sum((b) => b.cash), vaultUsd: sum((b) => b.vault) };
    },
  };
}
