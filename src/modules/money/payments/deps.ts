import type { StaffCall } from '../../../http/access.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { Webhooks } from '../../base/webhooks/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Currencies } from '../currencies/service.ts';
import type { Credits } from './credit.ts';
import type { DepositGate } from './may-deposit.ts';
import type { PaymentProviders } from './providers/registry.ts';
import type { Rollover } from './rollover.ts';

/** What deposits, withdrawals and skins are made of; each function picks what it needs. */
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
  providers: PaymentProviders;
  credits: Credits;
  depositGate: DepositGate;
  rollover: Rollover;
};

/** The same for withdrawals. */
export type WithdrawalDeps = Omit<PaymentDeps, 'config' | 'metrics' | 'credits' | 'depositGate'> & {
  config: Pick<Config, 'DATA_SECRET' | 'isDevelopment'>;
  /** Throws 403 MFA_REQUIRED, 400 MFA_INVALID, 429 RATE_LIMITED. */
  proveMfa: (tx: Tx, proof: { userId: number; sessionId: string; code: string | undefined }) => Promise<void>;
  /** Throws 403 MFA_REQUIRED unless the member of staff has proven their second factor. */
  stepUp: (tx: Tx, by: StaffCall) => Promise<void>;
  /** The country that a player has stated as part of their identity. */
  statedCountryOf: (tx: Tx, userId: number) => Promise<string | null>;
};
