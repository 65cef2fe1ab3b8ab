import { sql } from 'kysely';
import { untilNone } from '../../../platform/database/batches.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import type { Overdue } from '../../../platform/jobs/jobs.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';

export type ComingSoonDeps = {
  db: Db;
  siteConfig: Pick<SiteConfig, 'get'>;
  databaseClock: Pick<DatabaseClock, 'now'>;
};

/** Email addresses are deleted this long after the launch. */
const KEEP_MS = 90 * 86_400_000;
const BATCH = 10_000;

/** Returns when the email addresses must be deleted, or null while the launch has no date. */
const dueAt = ({ siteConfig }: Pick<ComingSoonDeps, 'siteConfig'>): Date | null => {
  const { launchAt } = siteConfig.get('COMMON').comingSoon;
  return launchAt === null ? null : new Date(Date.parse(launchAt) + KEEP_MS);
};

/** Deletes all email addresses 90 days after the launch. */
export async function purgeSubscribers(deps: ComingSoonDeps): Promise<void> {
  const due = dueAt(deps);
  if (due === null || deps.databaseClock.now() < due.getTime()) return;
  await untilNone(
    deps.db,
    sql`delete from coming_soon_subscribers where ctid = any(array(
      select ctid from coming_soon_subscribers limit ${BATCH}))`,
  );
}

export const overdueSubscribers = (deps: ComingSoonDeps): Overdue => ({
  table: 'coming_soon_subscribers',
  due: () => sql`select ${dueAt(deps)}::timestamptz from coming_soon_subscribers limit 1`,
});

/** Deletes the subscriptions with these email addresses. */
export async function deleteSubscribers(tx: Tx, emails: readonly (string | null)[]): Promise<void> {
  const lowerCase = emails.flatMap((email) => (email === null ? [] : [email.toLowerCase()]));
  await tx
    .deleteFrom('coming_soon_subscribers')
    .where('email', '=', sql<string>`any(${lowerCase}::text[])`)
    .execute();
}
