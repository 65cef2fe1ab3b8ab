import type { Broker } from '../../../platform/broker/broker.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Passwords } from '../../accounts/auth/password/passwords.ts';
import type { Sessions } from '../../accounts/auth/sessions/sessions.ts';
import type { SignUps } from '../../accounts/auth/sign-in/open-account.ts';
import type { Affiliates } from '../../engagement/affiliates/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { Deposits } from '../../money/payments/deposits/service.ts';

export type DebugDeps = {
  db: Db;
  config: Config;
  broker: Pick<Broker, 'publish' | 'request'>;
  signUps: SignUps;
  sessions: Sessions;
  passwords: Passwords;
  currencies: Currencies;
  affiliates: Pick<Affiliates, 'onApproved'>;
  deposits: Deposits;
};
