import type { Db } from '../../../platform/db.ts';
import type { LogLevels } from './service.ts';

export type LogLevelDeps = { db: Db; logLevels: LogLevels };
