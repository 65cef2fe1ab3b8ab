import { sql } from 'kysely';
import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { ComingSoonInfo, Subscription } from './schemas.ts';

export type ComingSoon = ReturnType<typeof createComingSoon>;

type Deps = { db: Db; siteConfig: Pick<SiteConfig, 'get'>; databaseClock: Pick<DatabaseClock, 'now'> };

/** How long after the launch addresses are kept. */
const KEEP_MS = 90 * 86_400_000;

/** The page before the site opens: what it says is the section `comingSoon` of the settings COMMON. */
export function createComingSoon({ db, siteConfig, databaseClock }: Deps) {
  const settings = () => siteConfig.get('COMMON').comingSoon;
  return {
    info(): z.input<typeof ComingSoonInfo> {
      const { enabled, launchAt, features } = settings();
      return { enabled, launchAt: launchAt && iso(new Date(launchAt)), features };
    },

    /**
     * Keeps an address once, with what came with it first. The answer, and the work that it takes, are the same whether it was known or
     * not. While the page is not shown nobody has a reason to ask, and nothing is kept.
     */
    async subscribe({ email, referrer, affiliateCode }: z.output<typeof Subscription>) {
      if (settings().enabled)
        await sql`
          insert into coming_soon_subscribers (email, referrer, affiliate_code)
          values (${email.toLowerCase()}, ${referrer ?? null}, ${affiliateCode ?? null})
          on conflict (email) do update set asked_at = now()`.execute(db);
      return { success: true };
    },

    /** Deletes all addresses 90 days after the launch; none while it has no date. */
    async purge(): Promise<void> {
      const { launchAt } = settings();
      if (launchAt === null || databaseClock.now() < Date.parse(launchAt) + KEEP_MS) return;
      await db.deleteFrom('coming_soon_subscribers').execute();
    },
  };
}

/** Deletes what was kept of these addresses. */
export async function forgetSubscribers(tx: Tx, emails: readonly (string | null)[]): Promise<void> {
  const known = emails.flatMap((email) => (email === null ? [] : [email.toLowerCase()]));
  await tx
    .deleteFrom('coming_soon_subscribers')
    .where('email', '=', sql<string>`any(${known}::text[])`)
    .execute();
}
