import type { Config } from '../../../../platform/config/config.ts';
import type { Db, Tx } from '../../../../platform/database/db.ts';
import type { Mfa } from '../../../accounts/auth/second-factor/prove.ts';
import type { SiteConfig } from '../../../base/site-config/service.ts';
import type { PlayerCountries } from '../../../compliance/countries/known.ts';
import type { Gate } from '../../../compliance/gate/service.ts';
import type { Currencies } from '../../currencies/service.ts';
import type { PaymentProviders } from '../providers/registry.ts';
import type { Rollover } from '../rollover/service.ts';
import type { Withdrawals } from './service.ts';

/** Returns the active bonus grant of a player in a currency. */
type OpenGrantIn = (
  tx: Tx,
  userId: number,
  currencyId: string,
) => Promise<{ grantId: string; wagerRemaining: string } | undefined>;

export type WithdrawalDeps = {
  db: Db;
  config: Config;
  currencies: Currencies;
  siteConfig: SiteConfig;
  gate: Gate;
  grants: { openIn: OpenGrantIn };
  mfa: Pick<Mfa, 'prove' | 'stepUp'>;
  playerCountries: Pick<PlayerCountries, 'of'>;
  providers: PaymentProviders;
  rollover: Rollover;
  withdrawals: Withdrawals;
};
