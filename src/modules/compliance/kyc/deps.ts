import type { Db } from '../../../platform/database/db.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import type { Countries } from '../countries/service.ts';
import type { Kyc } from './service.ts';

export type KycDeps = {
  db: Db;
  log: Logs;
  countries: Pick<Countries, 'isBlocked' | 'exists' | 'givenCountries'>;
  kyc: Kyc;
};
