import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import type { Units } from '../../../../platform/money.ts';
import {
  afterChange,
  type Change,
  type Correction,
  NOTHING,
  type OpenTurnover,
  openTurnover,
  type Requirement,
} from './rules.ts';

export type Rollover = ReturnType<typeof createRollover>;
export type RolloverDeps = {
  /** Returns the USD value of a player's settled stakes, up to the last settled bet. */
  wageredOf: (db: DbOrTx, userId: number) => Promise<Units>;
  /** Returns the corrections of a player's bets after a ledger position. */
  correctionsOf: (db: DbOrTx, userId: number, after: bigint) => Promise<Correction[]>;
};
/**
 * `ofDeposit`: the turnover is required by a deposit, so a self-exclusion waives it. Other required turnover remains until it is wagered or
 * removed by staff.
 */
type Turnover = { userId: number; usdAmount: Units; ofDeposit?: true };

/** The turnover that deposits, promotional cash and tips require before a withdrawal. */
export function createRollover(deps: RolloverDeps) {
  return {
    /** Returns the player's remaining turnover, up to the last settled bet. */
    open: async (db: DbOrTx, userId: number): Promise<OpenTurnover> => (await read(db, deps, userId)).open,

    /** Returns the USD amount a player still has to wager, up to the last settled bet. */
    remaining: async (db: DbOrTx, userId: number): Promise<Units> =>
      (await read(db, deps, userId)).open.openUsd,

    /** Adds to the open turnover. Only bets settled later count towards the added amount. The player must be locked. */
    async add(tx: Tx, { userId, usdAmount, ofDeposit }: Turnover): Promise<void> {
      if (usdAmount === 0n) return;
      await change(tx, deps, userId, { addedUsd: usdAmount, addedKeptUsd: ofDeposit ? 0n : usdAmount });
    },

    /** Removes required turnover, but at most the amount that is still open. The player must be locked. */
    async remove(tx: Tx, { userId, usdAmount, ofDeposit }: Turnover): Promise<void> {
      if (usdAmount === 0n) return;
      await change(tx, deps, userId, { addedUsd: -usdAmount, addedKeptUsd: ofDeposit ? 0n : -usdAmount });
    },
  };
}

type Read = { open: OpenTurnover; wageredUsd: Units; hasHistory: boolean };

/** Returns the open turnover, and whether the stored history matches the current row. */
async function read(db: DbOrTx, { wageredOf, correctionsOf }: RolloverDeps, userId: number): Promise<Read> {
  const [row, changes, wageredUsd] = [
    await readCurrent(db, userId),
    await readChanges(db, userId),
    await wageredOf(db, userId),
  ];
  if (!row) return { open: NOTHING, wageredUsd, hasHistory: false };
  const last = changes.at(-1);
  const hasHistory =
    last?.requiredUsd === row.required_usd &&
    last.keptUsd === row.kept_usd &&
    last.wageredUsd === BigInt(row.wagered_usd);
  if (hasHistory) {
    const corrections = await correctionsOf(db, userId, changes[0]!.position);
    return { open: openTurnover(changes, { wageredUsd, corrections }), wageredUsd, hasHistory };
  }
  const since = wageredUsd - BigInt(row.wagered_usd);
  const only = { addedUsd: row.required_usd, addedKeptUsd: row.kept_usd, position: 0n, wageredUsd: 0n };
  // Without a history, it is unknown whether a rolled-back bet was settled before the requirement, so corrections are ignored.
  const open = openTurnover([only], { wageredUsd: since > 0n ? since : 0n, corrections: [] });
  return { open, wageredUsd, hasHistory };
}

async function change(tx: Tx, deps: RolloverDeps, userId: number, requirement: Requirement): Promise<void> {
  const { open, wageredUsd, hasHistory } = await read(tx, deps, userId);
  if (!hasHistory) {
    await tx.deleteFrom('rollover_changes').where('user_id', '=', userId).execute();
    if (open.openUsd > 0n) {
      const base = { addedUsd: open.openUsd, addedKeptUsd: open.keptUsd };
      await insert(tx, userId, { change: base, open, wageredUsd });
    }
  }
  await insert(tx, userId, { change: requirement, open: afterChange(open, requirement), wageredUsd });
}

type Changed = { change: Requirement; open: OpenTurnover; wageredUsd: Units };

async function insert(tx: Tx, userId: number, { change, open, wageredUsd }: Changed): Promise<void> {
  const current = {
    required_usd: open.openUsd,
    kept_usd: open.keptUsd,
    wagered_usd: String(wageredUsd),
  };
  await tx
    .insertInto('rollovers')
    .values({ user_id: userId, ...current })
    .onConflict((oc) => oc.column('user_id').doUpdateSet({ ...current, updated_at: sql<Date>`now()` }))
    .execute();
  await tx
    .insertInto('rollover_changes')
    .values({
      user_id: userId,
      ...current,
      added_usd: change.addedUsd,
      added_kept_usd: change.addedKeptUsd,
      // Ids are reserved after the player is locked. Therefore this player's earlier ids are at or below this value, and later ids are
      // above it.
      position: sql<bigint>`(select case when is_called then last_value + 1023 else last_value - 1 end from ledger_ids)`,
    })
    .execute();
}

const readCurrent = (db: DbOrTx, userId: number) =>
  db
    .selectFrom('rollovers')
    .select(['required_usd', 'wagered_usd', 'kept_usd'])
    .where('user_id', '=', userId)
    .executeTakeFirst();

async function readChanges(
  db: DbOrTx,
  userId: number,
): Promise<(Change & { requiredUsd: Units; keptUsd: Units })[]> {
  const rows = await db
    .selectFrom('rollover_changes')
    .select(['position', 'added_usd', 'added_kept_usd', 'required_usd', 'kept_usd', 'wagered_usd'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    position: row.position,
    addedUsd: row.added_usd,
    addedKeptUsd: row.added_kept_usd,
    requiredUsd: row.required_usd,
    keptUsd: row.kept_usd,
    wageredUsd: BigInt(row.wagered_usd),
  }));
}

/** Sets the required turnover to 0. The player must be locked. */
export async function completeWagering(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('rollovers')
    .set({ required_usd: 0n, kept_usd: 0n })
    .where('user_id', '=', userId)
    .execute();
}
