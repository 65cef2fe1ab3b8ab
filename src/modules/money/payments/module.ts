import { defineModule } from '../../../http/module.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { type CreditDeps, createCredits } from './credit.ts';
import type { PaymentDeps } from './deps.ts';
import { createDepositGate } from './may-deposit.ts';
import { paymentMessages } from './messages.ts';
import { watchPayments } from './open-figures.ts';
import { createProviders } from './providers/registry.ts';

/** Functions that areas above this one provide: limit warnings, welcome promotions and affiliate commission. */
export type ForPayments = Pick<CreditDeps, 'warnOfDeposits' | 'queueWelcomeBonus' | 'referred'>;

type Before = Omit<PaymentDeps, 'log' | 'clock' | 'providers' | 'credits' | 'depositGate'> &
  CreditDeps & { log: Logs; databaseClock: Clock };

/** Providers, credits and deposit checks, which deposits and withdrawals share. */
export const payments = defineModule({
  name: 'payments',
  tags: {
    Payments: 'Deposits and withdrawals of players. In the backoffice: review and approval by staff.',
    'Admin Payments': 'Review deposits and approve withdrawals.',
    'Admin withdrawals block': "Block a player's withdrawals.",
  },
  messages: paymentMessages,
  create({ databaseClock: clock, ...before }: Before) {
    const log = before.log.named('payments');
    const payments: PaymentDeps = {
      ...before,
      log,
      clock,
      providers: createProviders({ ...before, log, clock }),
      credits: createCredits(before),
      depositGate: createDepositGate(before),
    };
    const { providers, credits } = payments;
    return { payments, providers, credits, referred: before.referred };
  },
  operations: [],
  watch: ({ db, metrics }: { db: Db; metrics: Metrics }) => watchPayments(db, metrics),
});
