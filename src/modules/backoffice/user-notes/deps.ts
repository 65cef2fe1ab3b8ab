import type { Db } from '../../../platform/database/db.ts';

export type UserNoteDeps = { db: Db };
