import type { Config } from '../../../platform/config.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import type { Mail } from '../../base/mail/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { Countries } from '../../compliance/countries/service.ts';

/** What all ways to sign up and in stand on; each function picks what it needs. */
export type AuthDeps = {
  db: Db;
  config: Config;
  log: Log;
  metrics: Metrics;
  databaseClock: DatabaseClock;
  mail: Mail;
  siteConfig: SiteConfig;
  countries: Countries;
};
