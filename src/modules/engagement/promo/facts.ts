import { sql } from 'kysely';
import type { DbOrTx } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import type { PlayerCountries } from '../../compliance/countries/service.ts';
import { isSamePerson } from '../persons/rules.ts';
import { signalsAmong } from '../persons/signals.ts';
import { wageredWithin } from '../user-stats/totals.ts';
import type { Facts, Needs } from './rules.ts';

/** A player, with the IP address and browser of the player's request, if there is one. */
type Applicant = { userId: number; ip?: string | undefined; userAgent?: string | undefined };

type FactsDeps = { playerCountries: Pick<PlayerCountries, 'of'> };

/** `country`: the country of the account, for grants that the player has not requested. */
export type KnownFacts = Facts & { country: string | null };

/** Returns the data about players that promotions need, by user id. Unknown ids are omitted. Reads only the data in `needs`. */
export async function readFacts(
  db: DbOrTx,
  { playerCountries }: FactsDeps,
  applicants: readonly Applicant[],
  needs: Needs,
): Promise<Map<number, KnownFacts>> {
  const ids = applicants.map(({ userId }) => userId);
  const people = new Map((await readPeople(db, ids)).map((person) => [person.userId, person]));
  const { depositWindows, turnoverWindows } = needs;
  const deposited = depositWindows.length > 0 ? await readDeposited(db, ids, depositWindows) : new Map();
  const wagered =
    turnoverWindows.length > 0 ? sumsOf(await wageredWithin(db, ids, turnoverWindows)) : new Map();
  const facts = new Map<number, KnownFacts>();
  for (const applicant of applicants) {
    const { userId } = applicant;
    const person = people.get(userId);
    if (!person) continue;
    facts.set(userId, {
      ...person,
      countries: await playerCountries.of(db, applicant),
      depositedUsd: deposited.get(userId) ?? new Map(),
      wageredUsd: wagered.get(userId) ?? new Map(),
      ...(await sharedWith(db, applicant, person, needs.onePerAddress)),
      sharesPerson: await grantedToPerson(db, userId, needs.onePerPerson),
    });
  }
  return facts;
}

async function sharedWith(
  db: DbOrTx,
  { userId, ip, userAgent }: Applicant,
  person: Person,
  promoIds: readonly bigint[],
): Promise<Pick<Facts, 'sharesAddress' | 'sharesDevice'>> {
  const addresses = [ip, person.registeredFrom].filter((address) => address != null);
  if (promoIds.length === 0 || addresses.length === 0)
    return { sharesAddress: new Set(), sharesDevice: new Set() };
  const userAgents = [userAgent, person.userAgent].filter((agent) => agent != null);
  const found = await readSharing(db, { userId, addresses, userAgents }, promoIds);
  return {
    sharesAddress: new Set(found.map(({ promoId }) => promoId)),
    sharesDevice: new Set(found.flatMap(({ promoId, isSameDevice }) => (isSameDevice ? [promoId] : []))),
  };
}

/** Returns which of the given promotions other accounts of the same person have received. */
async function grantedToPerson(
  db: DbOrTx,
  userId: number,
  promoIds: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  if (promoIds.length === 0) return new Set();
  const holders = sql`select user_id from promo_grants where promo_id = any(${promoIds}::int8[])`;
  const shared = await signalsAmong(db, userId, holders);
  const accounts = [...shared].flatMap(([id, signals]) => (isSamePerson(signals) ? [id] : []));
  if (accounts.length === 0) return new Set();
  const rows = await db
    .selectFrom('promo_grants')
    .select('promo_id')
    .distinct()
    .where('promo_id', 'in', promoIds)
    .where('user_id', 'in', accounts)
    .execute();
  return new Set(rows.map(({ promo_id }) => promo_id));
}

type Person = {
  userId: number;
  at: Date;
  registeredAt: Date;
  isEmailVerified: boolean;
  kycLevel: number;
  vipLevel: number;
  affiliateCode: string | null;
  country: string | null;
  registeredFrom: string | null;
  userAgent: string | null;
  largestDepositUsd: Units;
};

/** Returns the data about players that does not depend on the promotion. */
async function readPeople(db: DbOrTx, userIds: readonly number[]): Promise<Person[]> {
  const { rows } = await sql<Person>`
    select u.id as "userId", now() as at, u.created_at as "registeredAt", u.email_verified as "isEmailVerified",
      u.kyc_level as "kycLevel", u.vip_level as "vipLevel", f.code_key as "affiliateCode", u.country_code as country,
      r.ip_address as "registeredFrom", r.user_agent as "userAgent",
      (select coalesce(max(usd_amount), 0) from payment_credits
        where user_id = u.id and reversal_entry_id is null) as "largestDepositUsd"
    from users u
    left join registration_info r on r.user_id = u.id
    left join referrals f on f.user_id = u.id
    where u.id = any(${userIds}::int4[]) order by u.id`.execute(db);
  return rows;
}

type Sum = { userId: number; days: number; usd: string };
/** Sums by user id, then by window length in days. */
type Sums = ReadonlyMap<number, ReadonlyMap<number, Units>>;

/** Returns the sums of completed deposits for each window, excluding reversed deposits. A window of 0 days is unlimited. */
async function readDeposited(
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

function sumsOf(rows: readonly Sum[]): Sums {
  const byUser = Map.groupBy(rows, ({ userId }) => userId);
  return new Map(
    [...byUser].map(([userId, sums]) => [userId, new Map(sums.map(({ days, usd }) => [days, BigInt(usd)]))]),
  );
}

/** IP addresses and browsers that a player has used. */
type Visits = { userId: number; addresses: readonly string[]; userAgents: readonly string[] };

/**
 * Returns the given promotions that other users already have, if these users signed up or signed in from one of these IP addresses.
 * `isSameDevice`: they also used one of these user agents.
 */
async function readSharing(
  db: DbOrTx,
  { userId, addresses, userAgents }: Visits,
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
