import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { type ConfigCode, type ConfigOf, defaultsOf } from '../../base/site-config/schemas.ts';
import type { ConfigVersion, SiteConfig } from '../../base/site-config/service.ts';
import { createConsumer, type OnConsumed } from '../../games/bets/consume.ts';
import type { Slice } from '../../games/bets/effects.ts';
import { addAccruals } from '../rakeback/accrue.ts';
import { addWagered } from '../vip/levels.ts';
import { type Counted, count } from './count.ts';
import { type Terms, termsOf, type Version } from './rules.ts';

export type RewardDeps = { db: Db; siteConfig: Pick<SiteConfig, 'versionsAfter'>; onConsumed: OnConsumed };

export type Rewards = ReturnType<typeof createRewards>;

/**
 * Converts settled bets into rakeback, VIP progress and commission. The consumer is never replayed or rebuilt, because claims have been
 * paid from its sums.
 */
export function createRewards({ db, siteConfig, onConsumed }: RewardDeps) {
  const terms = createTerms(siteConfig);
  return createConsumer(
    db,
    { name: 'rewards', apply: async (tx, slice) => apply(tx, slice, await terms(tx)) },
    onConsumed,
  );
}

/**
 * Applies the effects of a slice in a few statements, regardless of the number of bets. Rows are locked in the same order as in claims:
 * users, levels, rakeback, commission. Players are not locked.
 */
async function apply(tx: Tx, slice: Slice, terms: readonly Terms[]): Promise<void> {
  if (slice.isReversal) throw new Error('the consumer rewards cannot be replayed');
  const { reversals, wagered, crossed, rakeback, hasLosses, commission } = await count(tx, slice, terms);
  if (reversals) await markReversed(tx, reversals);
  if (wagered) await addWagered(tx, wagered, crossed);
  if (rakeback) await addAccruals(tx, rakeback, hasLosses);
  if (commission) await addCommission(tx, commission);
}

async function markReversed(
  tx: Tx,
  { bets, places, positions }: NonNullable<Counted['reversals']>,
): Promise<void> {
  await sql`
    update bet_rewards r set reversed_place = v.position
    from unnest(${bets}::int8[], ${places}::int8[], ${positions}::int8[]) v(bet_id, place, position)
    where r.bet_id = v.bet_id and r.place = v.place and r.bet_id = any(${bets}::int8[])`.execute(tx);
}

/** The settlement time of the newest bet of referral `r` that was not reversed. For detached months only the day is known. */
const LAST_COUNTED = sql`coalesce(
  (select coalesce(b.settled_at, b.created_at) from bets b
    where b.user_id = r.user_id and exists (select from bet_rewards w
      where w.bet_id = b.id and w.reversed_place is null and w.own_usd > 0 and w.affiliate_user_id is not null)
    order by b.id desc limit 1),
  (select max(d.day)::timestamp at time zone 'UTC' from referral_days d
    where d.user_id = r.user_id and d.day < (select max(latest) from parts_away where list = 'bets') and d.wagered_usd > 0))`;

/**
 * Adds or subtracts the wagers, revenue and commission of referrals, on the day of each bet. Locks the rows of `referrals` before it reads
 * from them whether commission is held. Locks rows in the order referrals, referral_days, affiliate_days, affiliates.
 */
async function addCommission(tx: Tx, commission: NonNullable<Counted['commission']>): Promise<void> {
  const { users, days, affiliates, wagered, ggr, earned, lastAts, lost } = commission;
  const changes = sql`
    unnest(${users}::int4[], ${days}::date[], ${affiliates}::int4[], ${wagered}::numeric[], ${ggr}::numeric[], ${earned}::numeric[],
      ${lastAts}::timestamptz[], ${lost}::int4[]) v(user_id, day, affiliate_user_id, wagered, ggr, earned, last_at, lost)`;
  await sql`
    with sums as (
      select user_id, sum(wagered) as wagered, sum(ggr) as ggr, sum(earned) as earned, max(last_at) as last_at, sum(lost) as lost
      from ${changes} group by user_id),
    locked as materialized (
      select r.user_id from referrals r where r.user_id = any(${users}::int4[]) order by r.user_id for no key update)
    update referrals r set wagered_usd = r.wagered_usd + s.wagered, ggr_usd = r.ggr_usd + s.ggr, earned_usd = r.earned_usd + s.earned,
      last_bet_at = case when s.lost > 0 then ${LAST_COUNTED} else nullif(greatest(r.last_bet_at, s.last_at), '-infinity') end
    from sums s join locked using (user_id) where r.user_id = s.user_id`.execute(tx);
  await sql`
    insert into referral_days as d (user_id, day, affiliate_user_id, wagered_usd, ggr_usd, earned_usd)
    select user_id, day, affiliate_user_id, wagered, ggr, earned from ${changes} order by user_id, day
    on conflict (user_id, day) do update set wagered_usd = d.wagered_usd + excluded.wagered_usd, ggr_usd = d.ggr_usd + excluded.ggr_usd,
      earned_usd = d.earned_usd + excluded.earned_usd`.execute(tx);
  const byHold = sql`
    coalesce(sum(earned) filter (where not r.is_held), 0) as earned, coalesce(sum(earned) filter (where r.is_held), 0) as held
    from ${changes} join referrals r using (user_id)`;
  await sql`
    insert into affiliate_days as d (affiliate_user_id, day, earned_usd, held_usd)
    select v.affiliate_user_id, day, ${byHold} group by 1, 2 order by 1, 2
    on conflict (affiliate_user_id, day) do update set earned_usd = d.earned_usd + excluded.earned_usd,
      held_usd = d.held_usd + excluded.held_usd`.execute(tx);
  await sql`
    with sums as (
      select v.affiliate_user_id, sum(wagered) as wagered, sum(ggr) as ggr, ${byHold} group by 1),
    locked as materialized (
      select a.user_id from affiliates a where a.user_id = any(${affiliates}::int4[]) order by a.user_id for no key update)
    update affiliates a set wagered_usd = a.wagered_usd + s.wagered, ggr_usd = a.ggr_usd + s.ggr, earned_usd = a.earned_usd + s.earned,
      held_usd = a.held_usd + s.held
    from sums s join locked l on l.user_id = s.affiliate_user_id where a.user_id = s.affiliate_user_id`.execute(
    tx,
  );
}

type Cache<C extends ConfigCode> = { version: number; versions: Version<ConfigOf<C>>[] };

/** Creates a function that returns all past and current terms. Versions are immutable, so each call reads only the new versions. */
function createTerms(siteConfig: Pick<SiteConfig, 'versionsAfter'>) {
  const common: Cache<'COMMON'> = { version: 0, versions: [firstOf('COMMON')] };
  const affiliates: Cache<'AFFILIATES'> = { version: 0, versions: [firstOf('AFFILIATES')] };
  let terms = termsOf(common.versions, affiliates.versions);
  return async (tx: Tx): Promise<readonly Terms[]> => {
    const changed = [
      append(common, await siteConfig.versionsAfter(tx, 'COMMON', common.version)),
      append(affiliates, await siteConfig.versionsAfter(tx, 'AFFILIATES', affiliates.version)),
    ];
    if (changed.includes(true)) terms = termsOf(common.versions, affiliates.versions);
    return terms;
  };
}

const firstOf = <C extends ConfigCode>(code: C): Version<ConfigOf<C>> => ({
  since: null,
  config: defaultsOf(code) as ConfigOf<C>,
});

/** Appends new versions. Returns true if there were any. */
function append<C extends ConfigCode>(
  cache: Cache<C>,
  added: readonly ConfigVersion<ConfigOf<C>>[],
): boolean {
  cache.versions.push(...added);
  cache.version = added.at(-1)?.version ?? cache.version;
  return added.length > 0;
}
