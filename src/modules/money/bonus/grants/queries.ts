import { type InsertObject, type RawBuilder, type Selectable, sql, type UpdateObject } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import type { DB, PromoGrants } from '../../../../platform/database/tables.ts';
import type { Units } from '../../../../platform/money.ts';

/**
 * `decimals` is the number of decimals of the grant's currency. `is_over` is true if the time in which the grant may run, wait or start
 * again has passed.
 */
export type GrantRow = Selectable<PromoGrants> & { decimals: number; is_over: boolean };

const IS_OVER = sql<boolean>`coalesce(case when g.status in ('ACTIVE', 'LOST') then g.expires_at when g.status = 'PENDING' then g.waits_until end <= now(), false)`;
/** A condition that is true if open bets contain money from grant `g`. */
const HAS_MONEY_OUT = sql<boolean>`exists (select from bonus_bets b
  where b.user_id = g.user_id and b.counted is null and b.grant_id = g.id and b.bonus_staked > 0)`;

export const inHours = (hours: number): RawBuilder<Date> =>
  sql<Date>`now() + make_interval(hours => ${hours}::int4)`;

/** Returns a grant without locking it. */
export const findGrant = (db: DbOrTx, id: bigint) =>
  db
    .selectFrom('promo_grants as g')
    .selectAll()
    .select(IS_OVER.as('is_over'))
    .where('id', '=', id)
    .executeTakeFirst();

const selected = (tx: Tx) =>
  tx
    .selectFrom('promo_grants as g')
    .innerJoin('currencies as c', 'c.id', 'g.currency_id')
    .selectAll('g')
    .select(['c.decimals', IS_OVER.as('is_over')])
    .forUpdate('g');

/** Locks a grant. Its player must be locked. */
export const lockGrant = (tx: Tx, id: bigint): Promise<GrantRow> =>
  selected(tx).where('g.id', '=', id).executeTakeFirstOrThrow();

/** Locks a player's open grants, waiting ones first. The player must be locked. */
export const lockOpenGrants = (tx: Tx, userId: number): Promise<GrantRow[]> =>
  selected(tx)
    .where('g.user_id', '=', userId)
    .where('g.status', 'in', ['PENDING', 'ACTIVE'])
    .orderBy('g.status', 'desc')
    .orderBy('g.id')
    .execute();

/**
 * Locks the grant that starts next in a currency: a grant that starts again, otherwise the grant that was issued first. Returns undefined
 * while another grant is active.
 */
export const lockNext = (tx: Tx, userId: number, currencyId: string): Promise<GrantRow | undefined> =>
  selected(tx)
    .where('g.user_id', '=', userId)
    .where('g.currency_id', '=', currencyId)
    .where('g.status', '=', 'PENDING')
    .where('g.to_start', '>', 0n)
    .where(sql<boolean>`not ${IS_OVER}`)
    .where(
      sql<boolean>`not exists (select from promo_grants a
        where a.user_id = g.user_id and a.currency_id = g.currency_id and a.status = 'ACTIVE')`,
    )
    .orderBy(sql`g.activated_at is null`)
    .orderBy('g.id')
    .limit(1)
    .executeTakeFirst();

/** Locks the player's earliest percentage bonus for which this deposit reaches the minimum. */
export const lockPercentage = (tx: Tx, userId: number, usdAmount: Units): Promise<GrantRow | undefined> =>
  selected(tx)
    .where('g.user_id', '=', userId)
    .where('g.status', '=', 'PENDING')
    .where('g.percent_bp', 'is not', null)
    .where('g.granted_amount', '=', 0n)
    .where(sql<boolean>`coalesce(g.min_deposit_usd <= ${usdAmount}, true)`)
    .where(sql<boolean>`not ${IS_OVER}`)
    .orderBy('g.id')
    .limit(1)
    .executeTakeFirst();

/** Locks the grant of a deposit. Its player must be locked. */
export const lockGrantOfDeposit = (tx: Tx, key: string): Promise<GrantRow | undefined> =>
  selected(tx).where('g.deposit_key', '=', key).executeTakeFirst();

/** Inserts a grant. Returns undefined if a grant with the same `sourceKey` already exists. */
export const insertGrant = (tx: Tx, values: InsertObject<DB, 'promo_grants'>) =>
  tx
    .insertInto('promo_grants')
    .values(values)
    .onConflict((oc) => oc.column('source_key').doNothing())
    .returning('id')
    .executeTakeFirst();

/** Updates a grant and returns the updated row. */
export const updateGrant = async (
  tx: Tx,
  grant: GrantRow,
  changes: UpdateObject<DB, 'promo_grants'>,
): Promise<GrantRow> => ({
  ...grant,
  ...(await tx
    .updateTable('promo_grants')
    .set(changes)
    .where('id', '=', grant.id)
    .returningAll()
    .executeTakeFirstOrThrow()),
});

/** Returns which of these grants are active. */
export const readActive = (db: DbOrTx, ids: readonly bigint[]) =>
  db
    .selectFrom('promo_grants')
    .selectAll()
    .where('id', 'in', ids)
    .where('status', '=', 'ACTIVE')
    .orderBy('id')
    .execute();

export async function hasMoneyOut(tx: Tx, id: bigint): Promise<boolean> {
  const row = await tx
    .selectFrom('promo_grants as g')
    .select(HAS_MONEY_OUT.as('is_out'))
    .where('g.id', '=', id)
    .executeTakeFirstOrThrow();
  return row.is_out;
}

/** Marks the payouts that open bets have made so far as settled together with the grant. Later payouts are settled by `passOn`. */
export const beginPassing = (tx: Tx, { id, user_id }: GrantRow) =>
  tx
    .updateTable('bonus_bets')
    .set((eb) => ({ bonus_passed: eb.ref('bonus_paid') }))
    .where('user_id', '=', user_id)
    .where('grant_id', '=', id)
    .where('counted', 'is', null)
    .where('bonus_staked', '>', 0n)
    .execute();

/** Returns the payouts since the grant's end that are not settled yet. */
export const latePayouts = (tx: Tx, grantId: bigint): Promise<{ bet_id: bigint; paid: Units }[]> =>
  tx
    .selectFrom('bonus_bets')
    .select(['bet_id', sql<Units>`bonus_paid - bonus_passed`.as('paid')])
    .where('grant_id', '=', grantId)
    .where(sql<boolean>`bonus_paid > bonus_passed`)
    .orderBy('bet_id')
    .execute();

export const recordPassed = (tx: Tx, betId: bigint, lost: Units) =>
  tx
    .updateTable('bonus_bets')
    .set({ bonus_passed: sql`bonus_paid`, bonus_lost: sql`bonus_lost + ${lost}` })
    .where('bet_id', '=', betId)
    .execute();

/**
 * Returns whether the player is marked as having a grant, and whether the player really has an active grant or an open bonus bet. The
 * player must be locked.
 */
export async function readMark(tx: Tx, userId: number): Promise<{ isMarked: boolean; hasGrant: boolean }> {
  const { rows } = await sql<{ isMarked: boolean; hasGrant: boolean }>`
    select has_grant as "isMarked", exists (select from promo_grants where user_id = ${userId} and status = 'ACTIVE')
      or exists (select from bonus_bets where user_id = ${userId} and counted is null) as "hasGrant"
    from players where user_id = ${userId}`.execute(tx);
  return rows[0]!;
}

/** Returns grants to settle. Omits expired grants while open bets contain their money. */
export const grantsDue = (db: DbOrTx, limit: number): Promise<{ id: bigint }[]> =>
  db
    .selectFrom('promo_grants')
    .select('id')
    .where('is_due', '=', true)
    .unionAll(
      db
        .selectFrom('promo_grants as g')
        .select('g.id')
        .where('g.status', '=', 'ACTIVE')
        .where(sql<boolean>`g.expires_at <= now()`)
        .where(sql<boolean>`not ${HAS_MONEY_OUT}`),
    )
    .unionAll(
      db
        .selectFrom('promo_grants')
        .select('id')
        .where('status', '=', 'PENDING')
        .where(sql<boolean>`waits_until <= now()`),
    )
    .limit(limit)
    .execute();

/** Returns a player's active grant in a currency. Withdrawals are blocked until the grant's wagering is complete. */
export const findActive = (db: DbOrTx, userId: number, currencyId: string) =>
  db
    .selectFrom('promo_grants')
    .select(['id', 'wager_required', 'wager_done'])
    .where('user_id', '=', userId)
    .where('currency_id', '=', currencyId)
    .where('status', '=', 'ACTIVE')
    .executeTakeFirst();

/** Returns the decimals of a currency, even of a disabled one. */
export async function decimalsOf(db: DbOrTx, currencyId: string): Promise<number> {
  const { decimals } = await db
    .selectFrom('currencies')
    .select('decimals')
    .where('id', '=', currencyId)
    .executeTakeFirstOrThrow();
  return decimals;
}

/** Returns the bonus part of a bet. */
export const findBonusBet = (tx: Tx, betId: bigint) =>
  tx.selectFrom('bonus_bets').selectAll().where('bet_id', '=', betId).executeTakeFirst();

/** Sets the wagered amount of a rolled-back bet to 0. */
export const voidBonusBet = (tx: Tx, betId: bigint) =>
  tx.updateTable('bonus_bets').set({ counted: 0n }).where('bet_id', '=', betId).execute();
