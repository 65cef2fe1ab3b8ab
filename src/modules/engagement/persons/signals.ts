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
 * Returns the signals that other accounts share with a player, by account. `others` is a query that returns the ids of these accounts, by
 * default of all accounts that share a signal.
 * Reads the player's rows and finds the other accounts through indexes, so the cost does not depend on the number of accounts. A shared
 * device counts only together with another signal. IPv6 addresses must match completely. Payout addresses match across networks, because
 * one key has the same address on all EVM networks and on other networks that share an address format.
 */
export async function signalsAmong(
  db: DbOrTx,
  userId: number,
  others: RawBuilder<unknown> = sql`select user_id from found`,
): Promise<Map<number, ReadonlySet<Signal>>> {
  const { rows } = await sql<{ userId: number; signals: string[] }>`
    with places as materialized (
      select ip_address, user_agent from registration_info where user_id = ${userId}
      union select ip_address, user_agent from sessions where user_id = ${userId}),
    found as materialized (
      select r.user_id, 'NETWORK' as signal from places p join registration_info r on r.ip_address = p.ip_address
      union select s.user_id, 'NETWORK' from places p join sessions s on s.ip_address = p.ip_address
      union select o.user_id, 'PAYOUT_ADDRESS' from withdrawals w
        cross join lateral (select replace(lower(w.recipient_address), 'bitcoincash:', '') as address) bare
        join withdrawals o on lower(o.recipient_address) in (bare.address, 'bitcoincash:' || bare.address)
          and coalesce(o.recipient_memo, '') = coalesce(w.recipient_memo, '')
        where w.user_id = ${userId}
      union select o.id, 'MAILBOX' from users u join users o on person_mailbox(o.email) = person_mailbox(u.email)
        where u.id = ${userId} and u.email is not null and o.email is not null
      union select o.user_id, 'IDENTITY' from kyc_persons k join kyc_persons o on o.person_key = k.person_key
        where k.user_id = ${userId} and k.person_key is not null),
    others as materialized (
      select user_id, signal from found where user_id <> ${userId} and user_id in (${others}))
    select user_id as "userId", array_agg(distinct signal) as signals from (
      select user_id, signal from others
      union all select d.user_id, 'DEVICE' from (select distinct user_id from others) d
        where exists (select from places p where p.user_agent is not null and (
          exists (select from registration_info r where r.user_id = d.user_id and r.user_agent = p.user_agent)
          or exists (select from sessions s where s.user_id = d.user_id and s.user_agent = p.user_agent)))
    ) signals group by 1`.execute(db);
  return new Map(
    rows.map((row) => [row.userId, new Set(SIGNALS.filter((signal) => row.signals.includes(signal)))]),
  );
}

async function placesOf(db: DbOrTx, userIds: readonly number[]): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select user_id as "userId", ip_address as ip, user_agent as "userAgent" from registration_info
    where user_id = any(${userIds}::int4[])
    union select user_id, ip_address, user_agent from sessions where user_id = any(${userIds}::int4[])`.execute(
    db,
  );
  return rows;
}
