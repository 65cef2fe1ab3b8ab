import { sql } from 'kysely';
import type { DbOrTx } from '../../../../platform/db.ts';
import type { Units } from '../../../../platform/money.ts';

export type Person = {
  userId: number;
  at: Date;
  registeredAt: Date;
  isEmailVerified: boolean;
  kycLevel: number;
  vipLevel: number;
  affiliateCode: string | null;
  country: string | null;
  registeredIn: string | null;
  registeredFrom: string | null;
  userAgent: string | null;
  largestDepositUsd: Units;
};

/** What conditions ask of players themselves, whatever the promotion. */
export async function readPeople(db: DbOrTx, userIds: readonly number[]): Promise<Person[]> {
  const { rows } = await sql<Person>`
    select u.id as "userId", now() as at, u.created_at as "registeredAt", u.email_verified as "isEmailVerified",
      u.kyc_level as "kycLevel", u.vip_level as "vipLevel", f.code_key as "affiliateCode", u.country_code as country,
      r.country_code as "registeredIn", r.ip_address as "registeredFrom", r.user_agent as "userAgent",
      (select coalesce(max(usd_amount), 0) from payment_credits
        where user_id = u.id and reversal_entry_id is null) as "largestDepositUsd"
    from users u
    left join registration_info r on r.user_id = u.id
    left join referrals f on f.user_id = u.id
    where u.id = any(${userIds}::int4[]) order by u.id`.execute(db);
  return rows;
}

type Sum = { userId: number; days: number; usd: string };
/** By user and window. */
export type Sums = ReadonlyMap<number, ReadonlyMap<number, Units>>;

/** Deposits that were completed within so many days and not reversed; 0 days: ever. */
export async function readDeposited(
  db: DbOrTx,
  userIds: readonly number[],
  windows: readonly number[],
): Promise<Sums> {
  const { rows } = await sql<Sum>`
    select u.id as "userId", w.days, (
      select coalesce(sum(usd_amount), 0)::text from payment_credits where user_id = u.id and reversal_entry_id is null
        and credited_at > case when w.days = 0 then '-infinity' else now() - w.days * interval '1 day' end) as usd
    from unnest(${userIds}::int4[]) u(id), unnest(${windows}::int4[]) w(days)`.execute(db);
  return sumsOf(rows);
}

export function sumsOf(rows: readonly Sum[]): Sums {
  const byUser = Map.groupBy(rows, ({ userId }) => userId);
  return new Map(
    [...byUser].map(([userId, sums]) => [userId, new Map(sums.map(({ days, usd }) => [days, BigInt(usd)]))]),
  );
}

/** Where a player is known to have been, and with which programs. */
export type Place = { userId: number; addresses: readonly string[]; userAgents: readonly string[] };

/**
 * Which of the promotions others have who signed up or in from an address of the player's; `isSameDevice`: with a program that names
 * itself the same there.
 */
export async function readNeighbours(
  db: DbOrTx,
  { userId, addresses, userAgents }: Place,
  promoIds: readonly bigint[],
): Promise<{ promoId: bigint; isSameDevice: boolean }[]> {
  const { rows } = await sql<{ promoId: bigint; isSameDevice: boolean }>`
    with others as (
      select user_id, user_agent from registration_info where ip_address = any(${addresses}::text[])
      union
      select user_id, user_agent from sessions where ip_address = any(${addresses}::text[]))
    select g.promo_id as "promoId", coalesce(bool_or(o.user_agent = any(${userAgents}::text[])), false) as "isSameDevice"
    from others o join promo_grants g on g.user_id = o.user_id and g.promo_id = any(${promoIds}::int8[])
    where o.user_id <> ${userId} group by g.promo_id`.execute(db);
  return rows;
}
