import type { Area, Foundation } from '../../foundation.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import { currencyJobs } from './currencies/jobs.ts';
import { currencyRoutes } from './currencies/routes.ts';
import { createCurrencies } from './currencies/service.ts';
import { createIdsTaken } from './ledger/ids-taken.ts';
import { watchWatermark } from './ledger/watermark.ts';
import { createCredits } from './payments/credit.ts';
import { depositJobs } from './payments/deposits/jobs.ts';
import { depositRoutes } from './payments/deposits/routes.ts';
import { createDeposits } from './payments/deposits/service.ts';
import { depositBackofficeRoutes, depositStaffRoutes } from './payments/deposits/staff.routes.ts';
import type { PaymentDeps } from './payments/deps.ts';
import { createDepositGate } from './payments/may-deposit.ts';
import { createProviders } from './payments/providers/registry.ts';
import { createRollover } from './payments/rollover.ts';
import { createBlocks } from './payments/withdrawals/blocks.ts';
import { withdrawalJobs, withdrawalTasks } from './payments/withdrawals/jobs.ts';
import { withdrawalRoutes } from './payments/withdrawals/routes.ts';
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

/** What statistics know of a player's bets, and who is warned of limits. */
type Handed = Pick<Parameters<typeof createRollover>[0], 'wageredOf'> &
  Pick<Parameters<typeof createCredits>[0], 'warnOfDeposits'>;

export type Money = ReturnType<typeof createMoney>;

/** The ledger and everything that moves money but bets: wallets, deposits, withdrawals. */
export function createMoney(before: Before, { wageredOf, warnOfDeposits }: Handed) {
  const { db, config, metrics, databaseClock: clock, siteConfig, gate, kyc, mfa } = before;
  const log = before.log.named('payments');
  const currencies = createCurrencies({
    db,
    config,
    log: before.log.named('rates'),
    clock,
    databaseClock: clock,
  });
  const rollover = createRollover({ wageredOf });
  const payments: PaymentDeps = {
    db,
    config,
    log,
    metrics,
    clock,
    currencies,
    siteConfig,
    gate,
    webhooks: before.webhooks,
    providers: createProviders({ config, log, clock }),
    credits: createCredits({ siteConfig, rollover, warnOfDeposits }),
    depositGate: createDepositGate({ gate, siteConfig }),
    rollover,
    countryOf: before.countries.countryOf,
  };
  return {
    currencies,
    idsTaken: createIdsTaken(db),
    watermark: watchWatermark({ db, config, metrics, log: before.log.named('db') }),
    wallet: createWallet({ db, currencies, gate }),
    providers: payments.providers,
    rollover,
    credits: payments.credits,
    deposits: createDeposits(payments),
    skins: createSkins(payments),
    withdrawals: createWithdrawals({
      ...payments,
      proveMfa: mfa.prove,
      stepUp: mfa.stepUp.within,
      statedCountryOf: kyc.statedCountryOf,
    }),
    withdrawalBlocks: createBlocks({ db }),
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
  jobs: (s) => [
    ...currencyJobs(s.currencies, s.config),
    ...depositJobs(s.deposits),
    ...withdrawalJobs(s.withdrawals),
  ],
  tasks: (s) => withdrawalTasks(s.withdrawals),
  start: (s) => s.currencies.start(),
  close: (s) => s.currencies.close(),
};
