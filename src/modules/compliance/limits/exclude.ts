import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { SelfExclude } from '../../base/users/schemas.ts';
import { announceUserChange } from '../../base/users/service.ts';
import { getRestrictions, restrict, transactionTime } from '../gate/service.ts';
import { limitErrors } from './errors.ts';
import type { ExclusionRow } from './queries.ts';
import * as queries from './queries.ts';
import { DAY_MS, exclusionOf, LONGEST_EXCLUSION_DAYS } from './rules.ts';
import type { LiftExclusion, SelfExclusion, SetSelfExclude, UserExclusion } from './schemas.ts';

type Shown = z.input<typeof SelfExclude>;

/** `endGrants`: who is excluded cannot wager a bonus, so they have none; cash stays. Called with the player locked. */
export type ExclusionDeps = { db: Db; endGrants: (tx: Tx, userId: number) => Promise<void> };

/** A user's exclusion as the user and staff see it; undefined once it is over. */
export async function showExclusion(db: DbOrTx, userId: number): Promise<Shown> {
  const at = await transactionTime(db);
  const row = (await queries.openExclusions(db, userId)).find(({ expiresAt }) => expiresAt > at);
  return row ? shown(row) : { ...NONE, userId };
}

/**
 * Excludes a player at their own request, from the commit on. Throws 400 VALIDATION_FAILED for a time that is over or more than five years
 * away, 409 EXCLUSION_CANNOT_BE_SHORTENED.
 */
export const excludeSelf = (
  { db, endGrants }: ExclusionDeps,
  userId: number,
  input: z.output<typeof SetSelfExclude>,
): Promise<Shown> =>
  transaction(db, async (tx) => {
    await lockPlayers(tx, [userId]);
    const at = await transactionTime(tx);
    const { durationDays } = input;
    const expiresAt =
      durationDays === undefined
        ? until('excludeUntil', at, Date.parse(input.excludeUntil!))
        : until('durationDays', at, at.getTime() + durationDays * DAY_MS);
    const reason = input.reason?.trim() || null;
    const row = await exclude(tx, { userId, at, expiresAt, source: 'PLAYER', reason, by: userId });
    await endGrants(tx, userId);
    return shown(row);
  });

/**
 * Staff excludes a user. Throws what excludeSelf throws, 404 USER_NOT_FOUND, 403 OWN_ACCOUNT and ACCOUNT_CONNECTED, and as freshActor does.
 */
export const excludeUser = (
  { db, endGrants }: ExclusionDeps,
  by: StaffCall,
  { userId, excludeUntil }: z.output<typeof UserExclusion>,
): Promise<z.input<typeof SelfExclusion>> =>
  transaction(db, async (tx) => {
    await lockForDecision(tx, by, userId);
    const at = await transactionTime(tx);
    const expiresAt = until('excludeUntil', at, Date.parse(excludeUntil));
    const [before] = await queries.openExclusions(tx, userId);
    const source = 'STAFF' as const;
    const row = await exclude(tx, { userId, at, expiresAt, source, reason: null, by: by.user.id });
    await endGrants(tx, userId);
    await recordAudit(tx, by, { before: audited(before), after: audited(row) });
    return shownToStaff(row);
  });

/**
 * Staff lifts what keeps a user from play, the pause after an exclusion too. Throws 404 EXCLUSION_NOT_FOUND and USER_NOT_FOUND,
 * 400 REASON_REQUIRED when the user set any of it themselves, 403 OWN_ACCOUNT and ACCOUNT_CONNECTED, and as freshActor does.
 */
export const liftExclusion = (
  db: Db,
  by: StaffCall,
  { userId, reason }: z.output<typeof LiftExclusion>,
): Promise<z.input<typeof SelfExclusion>> =>
  transaction(db, async (tx) => {
    await lockForDecision(tx, by, userId);
    const open = await queries.openExclusions(tx, userId);
    const [longest] = open;
    if (!longest) throw limitErrors.EXCLUSION_NOT_FOUND();
    if (reason === undefined && open.some(({ source }) => source === 'PLAYER'))
      throw limitErrors.REASON_REQUIRED();
    await lift(tx, userId, open, { by: by.user.id, reason: reason ?? null });
    const updatedAt = await transactionTime(tx);
    await recordAudit(tx, by, { before: audited(longest), after: { expiresAt: null }, reason });
    return shownToStaff({ ...longest, updatedAt });
  });

/** Lifts every exclusion of a player unconditionally; for tests. The player must be locked. */
export async function clearExclusions(tx: Tx, userId: number): Promise<void> {
  await lift(tx, userId, await queries.openExclusions(tx, userId), { by: null, reason: null });
}

/** When an exclusion ends. Throws 400 VALIDATION_FAILED. */
function until(path: string, at: Date, endsAt: number): Date {
  const lasts = endsAt - at.getTime();
  if (lasts > 0 && lasts <= LONGEST_EXCLUSION_DAYS * DAY_MS) return new Date(endsAt);
  const message = `needs to lie ahead, by ${LONGEST_EXCLUSION_DAYS} days at most`;
  throw commonErrors.VALIDATION_FAILED({ fields: [{ path, message }] });
}

type New = Pick<ExclusionRow, 'userId' | 'source' | 'expiresAt' | 'reason'> & { at: Date; by: number };

async function exclude(tx: Tx, { at, ...exclusion }: New): Promise<ExclusionRow> {
  const { userId, expiresAt } = exclusion;
  const open = await queries.openExclusions(tx, userId);
  const inForce = open.find((row) => row.expiresAt > at);
  if (inForce && expiresAt < inForce.expiresAt)
    throw limitErrors.EXCLUSION_CANNOT_BE_SHORTENED({ expiresAt: iso(inForce.expiresAt) });
  const startedAt = inForce?.startedAt ?? at;
  const row = await queries.insertExclusion(tx, {
    ...exclusion,
    startedAt,
    ...exclusionOf(startedAt, expiresAt),
  });
  await enforce(tx, userId, [row, ...open]);
  const facts = { expiresAt: iso(expiresAt) };
  await emitEvent(
    tx,
    { event: 'exclusion.started', userId, data: facts },
    { event: 'user.blocks', userId, data: { block: 'EXCLUDED', isActive: true } },
  );
  await notify(tx, userId, 'exclusion.started', facts);
  return row;
}

async function lift(
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
  if (open.length > 0) await tellEnd(tx, userId);
}

async function tellEnd(tx: Tx, userId: number): Promise<void> {
  await emitEvent(tx, { event: 'user.blocks', userId, data: { block: 'EXCLUDED', isActive: false } });
  await notify(tx, userId, 'exclusion.ended', {});
}

const NOTIFIED_PER_ROUND = 100;

/** Notifies players once when their exclusion, and the pause after it, has ended. */
export async function notifyEnded(db: Db): Promise<void> {
  let players: number[];
  do {
    players = await queries.findEnded(db, NOTIFIED_PER_ROUND);
    for (const userId of players)
      await transaction(db, async (tx) => {
        await lockPlayers(tx, [userId]);
        const isNew = await queries.markEnded(tx, userId);
        // While a later exclusion lasts they are not notified yet.
        if (isNew && (await queries.openExclusions(tx, userId)).length === 0) await tellEnd(tx, userId);
      });
  } while (players.length === NOTIFIED_PER_ROUND);
}

/** Writes what is in force now to the gate and the user's row, and notifies every process. */
async function enforce(tx: Tx, userId: number, open: readonly ExclusionRow[]): Promise<void> {
  const excludedUntil = latest(open.map(({ expiresAt }) => expiresAt));
  const playFrom = latest(open.map((row) => row.playFrom));
  const known = await getRestrictions(tx, userId);
  if (open.length > 0 || known.playFrom) await restrict(tx, { ...known, excludedUntil, playFrom });
  await queries.writeExcludedUntil(tx, userId, excludedUntil);
  await announceUserChange(tx, userId);
}

const latest = (times: readonly Date[]): Date | null =>
  times.length > 0 ? new Date(Math.max(...times.map(Number))) : null;

const NONE = { isActive: false, id: null, expiresAt: null, reason: null, createdAt: null, updatedAt: null };

const shownToStaff = ({ id, userId, expiresAt, createdAt, updatedAt }: ExclusionRow) => ({
  id,
  userId,
  expiresAt: iso(expiresAt),
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt),
});
const shown = (row: ExclusionRow): Shown => ({ ...shownToStaff(row), isActive: true, reason: row.reason });

const audited = (row: ExclusionRow | undefined) => ({
  expiresAt: row ? iso(row.expiresAt) : null,
  ...(row ? { id: row.id, source: row.source, playFrom: iso(row.playFrom) } : {}),
});
