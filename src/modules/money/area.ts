import type { Foundation } from '../../app/foundation.ts';
import { areaOf } from '../../http/module.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import { createCashGrants } from './bonus/cash.ts';
import { createGrants } from './bonus/grants.ts';
import { currencies } from './currencies/module.ts';
import { createCurrencies } from './currencies/service.ts';
import { createAccountHours } from './ledger/account-hours.ts';
import { createIdsTaken } from './ledger/safe-watermark.ts';
import { watchWatermark } from './ledger/watermark.ts';
import { createCredits } from './payments/credit.ts';
import { deposits } from './payments/deposits/module.ts';
import { createDeposits } from './payments/deposits/service.ts';
import type { PaymentDeps } from './payments/deps.ts';
import { createDepositGate } from './payments/may-deposit.ts';
import { watchPayments } from './payments/open-figures.ts';
import { createProviders } from './payments/providers/registry.ts';
import { depositReviews } from './payments/reviews/module.ts';
import { createRollover, type RolloverDeps } from './payments/rollover/service.ts';
import { withdrawals } from './payments/withdrawals/module.ts';
import { createWithdrawals } from './payments/withdrawals/service.ts';
import { skins } from './skins/module.ts';
import { createSkins } from './skins/service.ts';
import { wallet } from './wallet/module.ts';
import { createWallet } from './wallet/service.ts';

type Before = Foundation & Base & Compliance & Accounts;

/** Functions provided by later areas: totals of a player's bets, limit warnings, welcome promotions and affiliate commission. */
type Handed = RolloverDeps &
  Pick<Parameters<typeof createCredits>[0], 'warnOfDeposits' | 'queueWelcomeBonus' | 'referred'>;

export type Money = ReturnType<typeof createMoney>;

/** The ledger and everything that moves money but bets: wallets, deposits, withdrawals. */
export function createMoney(before: Before, { wageredOf, correctionsOf, ...handed }: Handed) {
  const { db, databaseClock: clock, siteConfig } = before;
  const log = before.log.named('payments');
  const currencies = createCurrencies({ ...before, log: before.log.named('rates'), clock });
  const rollover = createRollover({ wageredOf, correctionsOf });
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
    wallet: createWallet({ db, currencies }),
    payments,
    providers: payments.providers,
    rollover,
    cashGrants,
    grants,
    referred: handed.referred,
    credits: payments.credits,
    deposits: createDeposits(payments),
    skins: createSkins(payments),
    withdrawals: createWithdrawals({ ...payments, referred: handed.referred }),
  };
}

export const money = areaOf<Before & Money>(
  [currencies, wallet, deposits, depositReviews, skins, withdrawals],
  {
    jobs: ({ accountHours, grants }) => [
      { name: 'ledger.account-hours', everyMs: 300_000, run: accountHours.rollUp },
      {
        name: 'grants.settle',
        everyMs: 2_000,
        quietMs: 10_000,
        isDue: grants.isAnyDue,
        run: grants.settleDue,
      },
    ],
    watch: (s) => watchPayments(s.db, s.metrics),
    close: async (s) => s.grants.close(),
  },
);
