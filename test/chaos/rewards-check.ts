import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { listConsumers } from '../../src/modules/games/bets/consumers.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { formatUnits } from '../../src/platform/money.ts';
import type { Acknowledged } from './rewards.ts';

const SETTLED_WITHIN_MS = 60_000;

/** Invariants of promotions at the end of the run. Each query returns the rows that violate one invariant. */
const CHECKS: Readonly<Record<string, RawBuilder<object>>> = {
  'a code was used more often than it may, or not as often as it says': sql`
    select c.key, c.uses, c.max_uses, g.grants from promo_codes c
    cross join lateral (select count(*) as grants from promo_grants g where lower(g.code) = c.key) g
    where c.uses > c.max_uses or c.uses <> g.grants or c.kind = 'ONE_TIME' and c.uses > 1`,
  'a promotion was granted more often than it may, or not as often as it says': sql`
    select p.id, p.grants, p.max_grants, g.grants as counted from promos p
    cross join lateral (select count(*) as grants from promo_grants g where g.promo_id = p.id) g
    where p.grants > p.max_grants or p.grants <> g.grants`,
  'a player has a grant of a promotion twice': sql`
    select promo_id, user_id, count(*) from promo_grants where source in ('CODE', 'OFFER') group by 1, 2 having count(*) > 1`,
  'a grant is neither open nor settled': sql`
    select id, status, bonus_balance, to_start, is_due from promo_grants
    where is_due or (status not in ('PENDING', 'ACTIVE') and (bonus_balance <> 0 or closed_at is null))`,
  'a bet is settled and its bonus money is not': sql`
    select o.bet_id, b.status from bonus_bets o left join bets b on b.id = o.bet_id
    where o.counted is null and b.status is distinct from 'CREATED'`,
};

/** Returns the grants, rakeback and commission that differ from the acknowledged ones or are unsettled. */
export async function compareRewards(
  db: Db,
  { redeemed, rakeback, commission }: Acknowledged,
): Promise<string[]> {
  const problems = await atRest(db);
  for (const [problem, query] of Object.entries(CHECKS))
    for (const row of (await query.execute(db)).rows) problems.push(`${problem}: ${textOf(row)}`);
  return [
    ...problems,
    ...differences(
      'redeemed',
      redeemed.map(({ grantId, userId }) => `${grantId} of ${userId}`),
      await namesOf(
        db,
        sql`select id || ' of ' || user_id as name from promo_grants where source in ('CODE', 'OFFER')`,
      ),
    ),
    ...differences(
      'rakeback',
      rakeback.map(({ userId, currencyId, amount }) => `${amount} ${currencyId} to ${userId}`),
      await paymentsOf(db, 'rakeback.claim'),
    ),
    ...differences(
      'commission',
      commission.map(({ userId, amount }) => `${amount} USDT to ${userId}`),
      await paymentsOf(db, 'affiliate.claim'),
    ),
    ...differences(
      'commission',
      commission.map(({ entryId }) => entryId),
      await namesOf(db, sql`select entry_id::text as name from affiliate_claims`),
    ),
  ];
}

/** Counts grants by status, and bets that staked bonus money. */
export async function countRewards(db: Db): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; n: number }>`
    select status as name, count(*)::int as n from promo_grants group by 1
    union all select 'betsWithBonus', count(*)::int from bonus_bets where bonus_staked > 0
    union all select 'freeSpinsGiven', count(*)::int from free_rounds where issued_at is not null
    union all select 'freeSpinCalls', count(*)::int from provider_transactions where free_rounds is not null
    union all select 'betRewards', count(*)::int from bet_rewards
    union all select 'reversedRewards', count(*)::int from bet_rewards where reversed_place is not null`.execute(
    db,
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

/** Waits until consumers have applied all bets and no grant is due to be settled. */
async function atRest(db: Db): Promise<string[]> {
  for (const until = Date.now() + SETTLED_WITHIN_MS; ; await sleep(500)) {
    const behind = (await listConsumers(db)).filter(({ lagBets }) => lagBets > 0);
    const due = await namesOf(db, sql`select id::text as name from promo_grants where is_due`);
    if (behind.length + due.length === 0) return [];
    if (Date.now() > until)
      return [
        ...behind.map(({ name, lagBets }) => `${name} is ${lagBets} bets behind`),
        ...due.map((id) => `grant ${id} is not decided`),
      ];
  }
}

async function namesOf(db: Db, query: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await (query as RawBuilder<{ name: string }>).execute(db);
  return rows.map(({ name }) => name);
}

async function paymentsOf(db: Db, kind: string): Promise<string[]> {
  const { rows } = await sql<{ userId: number; currencyId: string; amount: bigint }>`
    select user_id as "userId", currency_id as "currencyId", amount from ledger_lines where kind = ${kind}`.execute(
    db,
  );
  return rows.map(({ userId, currencyId, amount }) => `${formatUnits(amount)} ${currencyId} to ${userId}`);
}

/** Returns entries that occur more often in one list than in the other. */
function differences(what: string, acknowledged: readonly string[], booked: readonly string[]): string[] {
  const balance = new Map<string, number>();
  for (const name of acknowledged) balance.set(name, (balance.get(name) ?? 0) - 1);
  for (const name of booked) balance.set(name, (balance.get(name) ?? 0) + 1);
  return [...balance].flatMap(([name, n]) =>
    n === 0
      ? []
      : [`${what} ${name}: ${n > 0 ? `booked ${n} times more than` : 'not booked but'} acknowledged`],
  );
}

const textOf = (row: object) =>
  JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value));
