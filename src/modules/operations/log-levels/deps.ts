import type { Db } from '../../../platform/database/db.ts';
import type { LogLevels } from './service.ts';

export type LogLevelDeps = { db: Db; logLevels: LogLevels };
