import type { Db } from '../../../platform/db.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { createConsumer, type OnConsumed } from '../../games/bets/consume.ts';
import { apply } from './apply.ts';
import { createTerms } from './terms.ts';

type RewardDeps = { db: Db; siteConfig: Pick<SiteConfig, 'versionsAfter'>; onConsumed: OnConsumed };

/** What settled bets bring their players and whoever referred them. Claims rest on it: it is never replayed or rebuilt. */
export function createRewards({ db, siteConfig, onConsumed }: RewardDeps) {
  const terms = createTerms(siteConfig);
  return createConsumer(
    db,
    { name: 'rewards', apply: async (tx, slice) => apply(tx, slice, await terms(tx)) },
    onConsumed,
  );
}
