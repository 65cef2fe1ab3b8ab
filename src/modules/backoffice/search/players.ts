import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { beginningWith } from '../../base/users/rules.ts';
import { toShortPrivateUser, type UserRow, usersById } from '../../base/users/service.ts';
import type { Hit, SearchDeps, Wanted } from './hits.ts';
import type { Term } from './rules.ts';

/** Finds players by every reading of the term, in the order of `readingsOf`. A player whom several readings find is one hit. */
export async function findPlayers({ reads }: SearchDeps, { term, most, sight }: Wanted): Promise<Hit[]> {
  const readings = readingsOf(term, sight.showsPii);
  const found = await Promise.all(readings.map((ids) => idsOf(reads, ids, most)));
  const ids = [...new Set(found.flat())].slice(0, most);
  if (ids.length === 0) return [];
  const users = await usersById(reads, ids);
  return ids.map((id) => {
    const user = users.get(id)!;
    const { username, email } = toShortPrivateUser(user, sight);
    return { id: String(id), title: username || `#${id}`, subtitle: email, state: stateOf(user) };
  });
}

function stateOf(user: UserRow): string | null {
  if (user.banned_at !== null) return 'BANNED';
  if (user.self_excluded_until !== null && user.self_excluded_until > new Date()) return 'SELF_EXCLUDED';
  if (user.is_bot) return 'BOT';
  return user.is_staff ? 'STAFF' : null;
}

/** Selects ids of users as `id`, in the order in which they are shown. */
type Ids = RawBuilder<unknown>;

/** The expressions of the indexes users_username_idx and users_email_idx, which serve the search for a prefix. */
const USERNAME = sql`coalesce(lower(username), '') collate "C"`;
const EMAIL = sql`coalesce(lower(email), '') collate "C"`;

const withPrefix = (key: RawBuilder<unknown>, text: string): Ids =>
  sql`select id from users where ${key} like ${beginningWith(text)} order by ${key}, id`;

/** Email, IP and wallet addresses are personal data, so only callers who see them in full can search for them. */
function readingsOf({ id, username, email, ip, address }: Term, showsPii: boolean): Ids[] {
  const readings: Ids[] = [];
  if (id !== undefined) readings.push(sql`select id from users where id = ${id}`);
  if (username !== undefined) readings.push(withPrefix(USERNAME, username));
  if (!showsPii) return readings;
  if (email !== undefined) readings.push(withPrefix(EMAIL, email));
  if (ip !== undefined)
    readings.push(
      newestWith(sql`sessions where ip_address = ${ip}`),
      newestWith(sql`registration_info where ip_address = ${ip}`),
    );
  if (address !== undefined)
    readings.push(
      newestWith(sql`deposit_addresses where address_key = ${address.key}`),
      newestWith(sql`withdrawals where lower(recipient_address) = ${address.lower}`),
    );
  return readings;
}

const newestWith = (rows: RawBuilder<unknown>): Ids =>
  sql`select distinct user_id as id from ${rows} order by user_id desc`;

async function idsOf(db: DbOrTx, ids: Ids, most: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`${ids} limit ${most}`.execute(db);
  return rows.map((row) => row.id);
}
