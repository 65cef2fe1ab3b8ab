import type { Db } from '../../../platform/db.ts';

export type UserNoteDeps = { db: Db };
