import { sql } from 'kysely';
import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { emitEvent } from '../../base/events/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { SelfExclude } from '../../base/users/schemas.ts';
import { userEvents } from '../../base/users/schemas.ts';
import { announceUserChange } from '../../base/users/service.ts';
import { getRestrictions, restrict, transactionTime } from '../gate/service.ts';
import { limitMessages } from './messages.ts';
import * as queries from './queries.ts';
import { type ExclusionRow, openExclusions } from './queries.ts';
import { DAY_MS, exclusionOf, LONGEST_EXCLUSION_DAYS } from './rules.ts';
import { limitErrors, limitEvents, type SelfExclusion } from './schemas.ts';

/** Returns a user's current exclusion. `isActive` is false if there is none. */
export async function readExclusion(db: DbOrTx, userId: number): Promise<z.input<typeof SelfExclude>> {
  const at = await transactionTime(db);
  const row = (await queries.openExclusions(db, userId)).find(({ expiresAt }) => expiresAt > at);
  return row ? toSelfExclude(row) : { ...NONE, userId };
}

/** Returns the end of an exclusion. Throws 400 VALIDATION_FAILED unless the end is in the future and at most five years away. */
export function endOf(path: string, at: Date, endsAt: number): Date {
  const lasts = endsAt - at.getTime();
  if (lasts > 0 && lasts <= LONGEST_EXCLUSION_DAYS * DAY_MS) return new Date(endsAt);
  const message = `must be in the future, at most ${LONGEST_EXCLUSION_DAYS} days away`;
  throw commonErrors.VALIDATION_FAILED({ fields: [{ path, message }] });
}

type NewExclusion = Pick<ExclusionRow, 'userId' | 'source' | 'expiresAt' | 'reason'> & {
  at: Date;
  by: number;
};

/** Starts or extends an exclusion. Throws 409 EXCLUSION_CANNOT_BE_SHORTENED. The player must be locked. */
export async function exclude(tx: Tx, { at, ...exclusion }: NewExclusion): Promise<ExclusionRow> {
  const { userId, expiresAt } = exclusion;
  const open = await queries.openExclusions(tx, userId);
  const current = open.find((row) => row.expiresAt > at);
  if (current && expiresAt < current.expiresAt)
    throw limitErrors.EXCLUSION_CANNOT_BE_SHORTENED({ expiresAt: iso(current.expiresAt) });
  const startedAt = current?.startedAt ?? at;
  const row = await queries.insertExclusion(tx, {
    ...exclusion,
    startedAt,
    ...exclusionOf(startedAt, expiresAt),
  });
  await enforce(tx, userId, [row, ...open]);
  const facts = { expiresAt: iso(expiresAt) };
  await emitEvent(
    tx,
    { event: limitEvents['exclusion.started'], userId, data: facts },
    { event: userEvents['user.blocks'], userId, data: { block: 'EXCLUDED', isActive: true } },
  );
  await notify(tx, userId, limitMessages['exclusion.started'], facts);
  return row;
}

/** Lifts exclusions and lets the player play again. The player must be locked. */
export async function lift(
  tx: Tx,
  userId: number,
  open: readonly ExclusionRow[],
  lifted: { by: number | null; reason: string | null },
): Promise<void> {
  if (open.length > 0)
    await queries.markLifted(
      tx,
      open.map(({ id }) => id),
      lifted,
    );
  await enforce(tx, userId, []);
  if (open.length > 0) await announceEnd(tx, userId);
}

/** Lifts all exclusions of a player without any checks. Used only in tests. The player must be locked. */
export async function clearExclusions(tx: Tx, userId: number): Promise<void> {
  await lift(tx, userId, await queries.openExclusions(tx, userId), { by: null, reason: null });
}

async function announceEnd(tx: Tx, userId: number): Promise<void> {
  await emitEvent(tx, {
    event: userEvents['user.blocks'],
    userId,
    data: { block: 'EXCLUDED', isActive: false },
  });
  await notify(tx, userId, limitMessages['exclusion.ended'], {});
}

/** Copies the current exclusion to the gate's restrictions and to the user's row, and notifies every process. */
async function enforce(tx: Tx, userId: number, open: readonly ExclusionRow[]): Promise<void> {
  const excludedUntil = latest(open.map(({ expiresAt }) => expiresAt));
  const playFrom = latest(open.map((row) => row.playFrom));
  const restrictions = await getRestrictions(tx, userId);
  if (open.length > 0 || restrictions.playFrom)
    await restrict(tx, { ...restrictions, excludedUntil, playFrom });
  await queries.writeExcludedUntil(tx, userId, excludedUntil);
  await announceUserChange(tx, userId);
}

const latest = (times: readonly Date[]): Date | null =>
  times.length > 0 ? new Date(Math.max(...times.map(Number))) : null;

const NONE = { isActive: false, id: null, expiresAt: null, reason: null, createdAt: null, updatedAt: null };

export const toSelfExclusion = ({
  id,
  userId,
  expiresAt,
  createdAt,
  updatedAt,
}: ExclusionRow): z.input<typeof SelfExclusion> => ({
  id,
  userId,
  expiresAt: iso(expiresAt),
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt),
});

export const toSelfExclude = (row: ExclusionRow): z.input<typeof SelfExclude> => ({
  ...toSelfExclusion(row),
  isActive: true,
  reason: row.reason,
});

export const toAudit = (row: ExclusionRow | undefined) => ({
  expiresAt: row ? iso(row.expiresAt) : null,
  ...(row ? { id: row.id, source: row.source, playFrom: iso(row.playFrom) } : {}),
});

const BATCH = 100;

/** Notifies players, once, that their exclusion and its waiting period have ended. */
export async function notifyEnded({ db }: { db: Db }): Promise<void> {
  let players: number[];
  do {
    players = await findEnded(db, BATCH);
    for (const userId of players)
      await transaction(db, async (tx) => {
        await lockPlayers(tx, [userId]);
        const isNew = await markEnded(tx, userId);
        // Players with another open exclusion are notified later, when that exclusion ends.
        if (isNew && (await openExclusions(tx, userId)).length === 0) await announceEnd(tx, userId);
      });
  } while (players.length === BATCH);
}

/** Returns players who have not been notified yet that their exclusion has ended. */
export async function findEnded(db: DbOrTx, most: number): Promise<number[]> {
  const rows = await db
    .selectFrom('exclusions')
    .select('user_id')
    .where('end_told_at', 'is', null)
    .where('play_from', '<=', sql<Date>`now()`)
    .orderBy('play_from')
    .limit(most)
    .execute();
  return [...new Set(rows.map((row) => row.user_id))];
}

/** Marks the ended exclusions of a player as notified. Returns false if they were already marked. */
async function markEnded(tx: Tx, userId: number): Promise<boolean> {
  const now = sql<Date>`now()`;
  const { numUpdatedRows } = await tx
    .updateTable('exclusions')
    .set({ end_told_at: now })
    .where('user_id', '=', userId)
    .where('end_told_at', 'is', null)
    .where('play_from', '<=', now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
