import {
  checkBooks,
  type ReconcileOptions,
  type Report,
} from '../../modules/operations/reconcile/service.ts';
import type { Db } from '../../platform/database/db.ts';
import { DECLARATIONS } from '../areas.ts';

/** Runs the checks of all modules on a live or restored database; see `checkBooks`. */
export const reconcile = (db: Db, options: ReconcileOptions): Promise<Report> =>
  checkBooks(db, options, DECLARATIONS.checks);
