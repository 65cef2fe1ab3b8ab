import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { addressOf } from '../../../platform/net/address.ts';
import { SIGNALS, type Signal } from './rules.ts';

type Place = { userId: number; ip: string | null; userAgent: string | null };

/** Returns the signals that two accounts share. */
export async function sharedSignals(db: DbOrTx, a: number, b: number): Promise<ReadonlySet<Signal>> {
  const found = await signalsAmong(db, a, sql`select ${b}::int4`);
  const signals = new Set(found.get(b));
  const places = await placesOf(db, [a, b]);
  const [one, other] = [a, b].map((id) => places.filter(({ userId }) => userId === id));
  const share = (key: (place: Place) => string | null) =>
    one!.some((place) => key(place) !== null && other!.some((theirs) => key(theirs) === key(place)));
  if (share(({ ip }) => ip && addressOf(ip))) signals.add('NETWORK');
  if (share(({ userAgent }) => userAgent)) signals.add('DEVICE');
  return signals;
}

/**
 * Returns the signals that these other accounts share with a player, by account. `others` is a query that returns the ids of the accounts.
 * Reads the player's rows and finds the other accounts through indexes, so the cost does not depend on the number of accounts. A shared
 * device counts only together with another signal. IPv6 addresses must match completely. Payout addresses match across networks, because
 * one key has the same address on all EVM networks and on other networks that share an address format.
 */
export async function signalsAmong(
  db: DbOrTx,
  userId: number,
  others: RawBuilder<unknown>,
): Promise<Map<number, ReadonlySet<Signal>>> {
  return (await find(db, { userId, others, limits: undefined })).signals;
}

/** The signals of other accounts. `isCut`: there are more shared rows, or more addresses of the player, than were read. */
type Connections = { signals: Map<number, ReadonlySet<Signal>>; isCut: boolean };

/**
 * Returns the signals that any other accounts share with a player. Reads at most `most` rows of each address, email address or person that
 * is shared, because an address of a mobile network can have a hundred thousand accounts. Reads only the `mostAddresses` addresses that the
 * player used last, because a phone can have hundreds.
 */
export const connectionsOf = (
  db: DbOrTx,
  { userId, most, mostAddresses }: { userId: number; most: number; mostAddresses: number },
): Promise<Connections> =>
  find(db, { userId, others: sql`select user_id from found`, limits: { most, mostAddresses } });

type Limits = { most: number; mostAddresses: number };
type Search = { userId: number; others: RawBuilder<unknown>; limits: Limits | undefined };

async function find(db: DbOrTx, { userId, others, limits }: Search): Promise<Connections> {
  // Reads one extra row to detect that there are more. Without a limit, PostgreSQL reads all rows.
  const limit = limits ? sql`limit ${limits.most + 1}` : sql``;
  const { rows } = await sql<{ userId: number | null; signals: string[] }>`
    with places as materialized (
      select ip_address, user_agent, created_at as at from registration_info where user_id = ${userId}
      union select ip_address, user_agent, last_used_at from sessions where user_id = ${userId}),
    addresses as materialized (
      select ip_address from places where ip_address is not null group by 1
      order by max(at) desc ${limits ? sql`limit ${limits.mostAddresses}` : sql``}),
    shared as materialized (${sharedBy(userId, limit)}),
    found as materialized (select distinct user_id, signal from shared ${limits ? NEIGHBOURS : sql``}),
    others as materialized (
      select user_id, signal from found where user_id <> ${userId} and user_id in (${others}))
    select user_id as "userId", array_agg(distinct signal) as signals from (
      select user_id, signal from others
      union all select d.user_id, 'DEVICE' from (select distinct user_id from others) d
        where exists (select from places p where p.user_agent is not null and (
          exists (select from registration_info r where r.user_id = d.user_id and r.user_agent = p.user_agent)
          or exists (select from sessions s where s.user_id = d.user_id and s.user_agent = p.user_agent)))
    ) signals group by 1
    ${limits ? cutMark(limits) : sql``}`.execute(db);
  const found = rows.flatMap(({ userId: id, signals }) =>
    id === null ? [] : [[id, new Set(SIGNALS.filter((signal) => signals.includes(signal)))] as const],
  );
  return { signals: new Map(found), isCut: found.length < rows.length };
}

/** Adds a row without an account if there are more rows of a place, or more addresses, than were read. */
const cutMark = ({ most, mostAddresses }: Limits) => sql`
  union all select null, '{}' where exists (select from shared group by source, place having count(*) > ${most})
    or (select count(distinct ip_address) from places) > ${mostAddresses}`;

/** Adds the shared networks of accounts that were found by another signal, because the limit may have left them out. */
const NEIGHBOURS = sql`
  union select x.user_id, 'NETWORK' from (select distinct user_id from shared where signal <> 'NETWORK') x
    where exists (select from places p where
      exists (select from registration_info r where r.user_id = x.user_id and r.ip_address = p.ip_address)
      or exists (select from sessions s where s.user_id = x.user_id and s.ip_address = p.ip_address))`;

/** Selects the accounts that share an address, mailbox or person with the player, with at most `limit` rows for each of these. */
const sharedBy = (userId: number, limit: RawBuilder<unknown>) => sql`
  select 'sign-up' as source, p.ip_address as place, one.user_id, 'NETWORK' as signal
    from addresses p
    cross join lateral (select r.user_id from registration_info r where r.ip_address = p.ip_address ${limit}) one
  union all select 'session', p.ip_address, one.user_id, 'NETWORK'
    from addresses p
    cross join lateral (select s.user_id from sessions s where s.ip_address = p.ip_address ${limit}) one
  union all select 'payout', bare.address || ' ' || bare.memo, one.user_id, 'PAYOUT_ADDRESS'
    from (select distinct replace(lower(recipient_address), 'bitcoincash:', '') as address, coalesce(recipient_memo, '') as memo
      from withdrawals where user_id = ${userId}) bare
    cross join lateral (select o.user_id from withdrawals o
      where lower(o.recipient_address) in (bare.address, 'bitcoincash:' || bare.address)
        and coalesce(o.recipient_memo, '') = bare.memo ${limit}) one
  union all (select 'mailbox', '', o.id, 'MAILBOX' from users u join users o on person_mailbox(o.email) = person_mailbox(u.email)
    where u.id = ${userId} and u.email is not null and o.email is not null ${limit})
  union all (select 'person', '', o.user_id, 'IDENTITY' from kyc_persons k join kyc_persons o on o.person_key = k.person_key
    where k.user_id = ${userId} and k.person_key is not null ${limit})`;

async function placesOf(db: DbOrTx, userIds: readonly number[]): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select user_id as "userId", ip_address as ip, user_agent as "userAgent" from registration_info
    where user_id = any(${userIds}::int4[])
    union select user_id, ip_address, user_agent from sessions where user_id = any(${userIds}::int4[])`.execute(
    db,
  );
  return rows;
}
