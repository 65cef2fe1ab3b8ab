import type { Area, Foundation } from '../../foundation.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import { createCashGrants } from './bonus/cash.ts';
import { createGrants } from './bonus/grants.ts';
import { currencyRoutes } from './currencies/routes.ts';
import { createCurrencies } from './currencies/service.ts';
import { createAccountHours } from './ledger/account-hours.ts';
import { createIdsTaken } from './ledger/ids-taken.ts';
import { watchWatermark } from './ledger/watermark.ts';
import { createCredits } from './payments/credit.ts';
import { depositRoutes } from './payments/deposits/routes.ts';
import { createDeposits } from './payments/deposits/service.ts';
import { depositBackofficeRoutes, depositStaffRoutes } from './payments/deposits/staff.routes.ts';
import type { PaymentDeps } from './payments/deps.ts';
import { createDepositGate } from './payments/may-deposit.ts';
import { createProviders } from './payments/providers/registry.ts';
import { createRollover } from './payments/rollover.ts';
import { createBlocks } from './payments/withdrawals/blocks.ts';
import { withdrawalRoutes } from './payments/withdrawals/routes.ts';
import { SEND } from './payments/withdrawals/send.ts';
import { createWithdrawals } from './payments/withdrawals/service.ts';
import {
  withdrawalBackofficeRoutes,
  withdrawalBlockStaffRoutes,
  withdrawalStaffRoutes,
} from './payments/withdrawals/staff.routes.ts';
import { skinRoutes } from './skins/routes.ts';
import { createSkins } from './skins/service.ts';
import { walletRoutes } from './wallet/routes.ts';
import { createWallet } from './wallet/service.ts';

type Before = Foundation & Base & Compliance & Accounts;

/** What statistics know of a player's bets, who is warned of limits and looked for a welcome promotion for, and what payments mean to affiliates. */
type Handed = Pick<Parameters<typeof createRollover>[0], 'wageredOf'> &
  Pick<Parameters<typeof createCredits>[0], 'warnOfDeposits' | 'queueWelcomeBonus' | 'referred'>;

export type Money = ReturnType<typeof createMoney>;

/** The ledger and everything that moves money but bets: wallets, deposits, withdrawals. */
export function createMoney(before: Before, { wageredOf, ...handed }: Handed) {
  const { db, databaseClock: clock, siteConfig } = before;
  const log = before.log.named('payments');
  const currencies = createCurrencies({ ...before, log: before.log.named('rates'), clock });
  const rollover = createRollover({ wageredOf });
  const cashGrants = createCashGrants({ rollover });
  const grants = createGrants({ ...before, log, currencies, cashGrants, rollover });
  const payments: PaymentDeps = {
    ...before,
    log,
    clock,
    currencies,
    providers: createProviders({ ...before, log, clock }),
    credits: createCredits({ siteConfig, rollover, grants, ...handed }),
    depositGate: createDepositGate(before),
    rollover,
  };
  return {
    currencies,
    idsTaken: createIdsTaken(db),
    accountHours: createAccountHours(db),
    watermark: watchWatermark({ ...before, log: before.log.named('db') }),
    wallet: createWallet({ ...before, currencies, grants }),
    providers: payments.providers,
    rollover,
    cashGrants,
    grants,
    referred: handed.referred,
    credits: payments.credits,
    deposits: createDeposits(payments),
    skins: createSkins(payments),
    withdrawals: createWithdrawals({ ...before, ...payments, ...handed, grants }),
    withdrawalBlocks: createBlocks(before),
  };
}

export const money: Area<Before & Money> = {
  routes: (s) => [
    ...currencyRoutes(s.currencies),
    ...walletRoutes(s.wallet),
    ...depositRoutes(s.deposits),
    ...depositStaffRoutes(s.deposits),
    ...withdrawalRoutes(s.withdrawals),
    ...withdrawalStaffRoutes(s.withdrawals),
    ...withdrawalBlockStaffRoutes(s.withdrawalBlocks),
    ...skinRoutes(s.skins),
  ],
  backofficeRoutes: (s) => [
    ...depositBackofficeRoutes(s.deposits),
    ...withdrawalBackofficeRoutes(s.withdrawals),
  ],
  jobs: ({ config, accountHours, currencies, deposits, grants, withdrawals: { sending } }) => [
    { name: 'ledger.account-hours', everyMs: 300_000, run: accountHours.rollUp },
    { name: 'rates.refresh', everyMs: config.RATE_REFRESH_SECONDS * 1000, run: currencies.refreshRates },
    { name: 'deposits.release', everyMs: 60_000, run: deposits.release },
    { name: 'grants.settle', everyMs: 2_000, quietMs: 10_000, isDue: grants.isAnyDue, run: grants.settleDue },
    { name: 'withdrawals.watch', everyMs: 2_000, isDue: sending.isAnyDue, run: sending.watch },
  ],
  tasks: (s) => ({ [SEND]: s.withdrawals.sending.run }),
  start: (s) => s.currencies.start(),
  close: async (s) => {
    s.grants.close();
    await s.currencies.close();
  },
};
