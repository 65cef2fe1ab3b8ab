import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import type { PartnerReports } from '../../base/findings/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { Webhooks } from '../../base/webhooks/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Currencies } from '../currencies/service.ts';
import type { Credits, Referred } from './credit.ts';
import type { DepositGate } from './may-deposit.ts';
import type { PaymentProviders } from './providers/registry.ts';
import type { Rollover } from './rollover/service.ts';

/** Dependencies of deposits, withdrawals and skins. Functions declare the fields that they need. */
export type PaymentDeps = {
  db: Db;
  config: Config;
  log: Log;
  metrics: Metrics;
  clock: Clock;
  currencies: Currencies;
  siteConfig: SiteConfig;
  gate: Gate;
  webhooks: Webhooks;
  partnerReports: PartnerReports;
  providers: PaymentProviders;
  credits: Credits;
  depositGate: DepositGate;
  rollover: Rollover;
};

/** Dependencies for sending withdrawals and applying provider reports. */
export type PayoutDeps = PaymentDeps & { referred: Pick<Referred, 'withdrawn'> };

export type DepositReviewDeps = { db: Db; payments: PaymentDeps };
