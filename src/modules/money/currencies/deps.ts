import type { Config } from '../../../platform/config/config.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Currencies } from './service.ts';

export type CurrencyDeps = { db: Db; config: Config; databaseClock: DatabaseClock; currencies: Currencies };
