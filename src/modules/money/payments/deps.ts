import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import type { Mfa } from '../../accounts/auth/mfa/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { Webhooks } from '../../base/webhooks/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Kyc } from '../../compliance/kyc/service.ts';
import type { Currencies } from '../currencies/service.ts';
import type { Credits, Referred } from './credit.ts';
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

/** The bonus that has to be wagered before money in a currency leaves. */
type OpenIn = (
  tx: Tx,
  userId: number,
  currencyId: string,
) => Promise<{ grantId: string; wagerRemaining: string } | undefined>;

/** The same for withdrawals. */
export type WithdrawalDeps = Omit<PaymentDeps, 'credits' | 'depositGate'> & {
  mfa: Pick<Mfa, 'prove' | 'stepUp'>;
  kyc: Pick<Kyc, 'statedCountryOf'>;
  grants: { openIn: OpenIn };
  referred: Pick<Referred, 'withdrawn'>;
};
