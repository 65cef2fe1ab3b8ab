import { int4Array, textArray } from '../../../platform/database/arrays.ts';
import { type DbOrTx, run, type Statement, type Tx } from '../../../platform/database/db.ts';
import type { LimitPeriod, Limits, LimitType, Play, Played, Restrictions } from './rules.ts';

/** The stored JSON form: amounts are strings, times are in ISO 8601. */
type StoredPlayed = { start: string; staked: string; paid: string; playedMs: number };
type StoredPlay = Record<LimitPeriod, StoredPlayed> & { lastAt: string | null };
export type RestrictionsRow = {
  userId: number;
  excludedUntil: Date | null;
  playFrom: Date | null;
  limits: Partial<Record<LimitType, Partial<Record<LimitPeriod, string>>>>;
  play: StoredPlay | null;
};

/** Reads the restrictions of players. The players must be locked. */
export function restrictionsStatement(userIds: readonly number[]): Statement {
  return {
    name: 'gate.restrictions',
    text: `select user_id as "userId", excluded_until as "excludedUntil", play_from as "playFrom", limits, play
      from restrictions where user_id = any($1::int4[])`,
    values: [int4Array(userIds)],
  };
}

/** Stores the recorded play of players. The players must be locked. */
export function writePlayStatement(changed: readonly Restrictions[]): Statement {
  return {
    name: 'gate.write-play',
    text: `update restrictions r set play = v.play::json from unnest($1::int4[], $2::text[]) v(user_id, play)
      where r.user_id = v.user_id`,
    values: [int4Array(changed.map((r) => r.userId)), textArray(changed.map((r) => toStored(r.play!)))],
  };
}

export async function readRestrictions(
  db: DbOrTx,
  userIds: readonly number[],
): Promise<Map<number, Restrictions>> {
  const rows = await run<RestrictionsRow>(db, restrictionsStatement(userIds));
  return new Map(rows.map((row) => [row.userId, toRestrictions(row)]));
}

/** Replaces a player's restrictions. The player must be locked. */
export async function storeRestrictions(tx: Tx, restrictions: Restrictions): Promise<void> {
  const { userId, excludedUntil, playFrom, limits, play } = restrictions;
  const values = {
    excluded_until: excludedUntil,
    play_from: playFrom,
    limits: toStored(limits),
    play: play && toStored(play),
  };
  await tx
    .insertInto('restrictions')
    .values({ user_id: userId, ...values })
    .onConflict((oc) => oc.column('user_id').doUpdateSet(values))
    .execute();
}

export function toRestrictions(row: RestrictionsRow): Restrictions {
  return { ...row, limits: toLimits(row.limits), play: row.play && toPlay(row.play) };
}

const toLimits = (stored: RestrictionsRow['limits']): Limits =>
  Object.fromEntries(
    Object.entries(stored).map(([type, periods]) => [
      type,
      Object.fromEntries(Object.entries(periods).map(([period, amount]) => [period, BigInt(amount)])),
    ]),
  );

function toPlay(stored: StoredPlay): Play {
  const on = ({ start, staked, paid, playedMs }: StoredPlayed): Played => ({
    start: new Date(start),
    staked: BigInt(staked),
    paid: BigInt(paid),
    playedMs,
  });
  const { DAY, WEEK, MONTH, lastAt } = stored;
  return {
    lastAt: lastAt === null ? null : new Date(lastAt),
    DAY: on(DAY),
    WEEK: on(WEEK),
    MONTH: on(MONTH),
  };
}

/** Converts amounts to strings. JSON.stringify already writes times in ISO 8601. */
const toStored = (value: Limits | Play): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part));
