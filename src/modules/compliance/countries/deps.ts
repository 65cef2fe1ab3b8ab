import type { Db } from '../../../platform/database/db.ts';
import type { Countries } from './service.ts';

export type CountryDeps = { db: Db; countries: Countries };
