import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { PromoCodes, PromoGrants, Promos } from '../../../platform/database.ts';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import type { GameTerms } from '../../money/bonus/rules.ts';
import type { Conditions } from './eligibility/rules.ts';
import type { Kind, PromoType, Status, WagerBase } from './rules.ts';

export type PromoRow = Omit<
  Selectable<Promos>,
  'type' | 'status' | 'kind' | 'wager_base' | 'conditions' | 'games'
> & {
  type: PromoType;
  status: Status;
  kind: Kind;
  wager_base: WagerBase;
  conditions: Conditions;
  games: GameTerms;
};
export type CodeRow = Selectable<PromoCodes>;
export type GrantRow = Selectable<PromoGrants>;

const asPromo = (row: Selectable<Promos> | undefined) => row as PromoRow | undefined;
const NOW = sql<Date>`now()`;

export const insertPromo = async (tx: Tx, values: Insertable<Promos>): Promise<PromoRow> =>
  asPromo(await tx.insertInto('promos').values(values).returningAll().executeTakeFirst())!;

export const updatePromo = async (tx: Tx, id: bigint, changes: Updateable<Promos>): Promise<PromoRow> =>
  asPromo(
    await tx
      .updateTable('promos')
      .set({ ...changes, updated_at: NOW })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst(),
  )!;

export const findPromo = async (db: DbOrTx, id: bigint): Promise<PromoRow | undefined> =>
  asPromo(await db.selectFrom('promos').selectAll().where('id', '=', id).executeTakeFirst());

/** Players come before it in the order of locks. */
export const lockPromo = async (tx: Tx, id: bigint): Promise<PromoRow | undefined> =>
  asPromo(await tx.selectFrom('promos').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst());

/** By its key. */
export const findCode = (db: DbOrTx, key: string): Promise<CodeRow | undefined> =>
  db.selectFrom('promo_codes').selectAll().where('key', '=', key).executeTakeFirst();

/** At most so many are offered at once, the latest first. */
const MOST_OFFERS = 200;

/** Active promotions of these types whose time it is. */
export const activePromos = async (db: DbOrTx, types: readonly PromoType[]): Promise<PromoRow[]> =>
  (await db
    .selectFrom('promos')
    .selectAll()
    .where('status', '=', 'ACTIVE')
    .where('type', 'in', [...types])
    .where((eb) => eb.or([eb('start_at', 'is', null), eb('start_at', '<=', NOW)]))
    .where((eb) => eb.or([eb('end_at', 'is', null), eb('end_at', '>', NOW)]))
    .orderBy('id', 'desc')
    .limit(MOST_OFFERS)
    .execute()) as PromoRow[];

/** Games of promotions that are for some games only, archived ones left out. */
export const promosForSomeGames = async (db: DbOrTx): Promise<{ id: bigint; games: GameTerms }[]> =>
  (await db
    .selectFrom('promos')
    .select(['id', 'games'])
    .where('status', '<>', 'ARCHIVED')
    .where(sql<boolean>`games - 'contribution' - 'perGame' <> '{}'`)
    .orderBy('id')
    .execute()) as { id: bigint; games: GameTerms }[];

/** Counts a grant against the budget of an active promotion. False: nothing is left of it. Its player must be locked. */
export async function takeBudget(tx: Tx, id: bigint, usd: Units): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('promos')
    .set({ grants: sql`grants + 1`, granted_usd: sql`granted_usd + ${usd}` })
    .where('id', '=', id)
    .where('status', '=', 'ACTIVE')
    .where((eb) => eb.or([eb('max_grants', 'is', null), eb('grants', '<', eb.ref('max_grants'))]))
    .where((eb) =>
      eb.or([eb('max_total_usd', 'is', null), sql<boolean>`granted_usd + ${usd} <= max_total_usd`]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Counts a use of a code. False: it was used as often as it may be. Its promotion comes before it in the order of locks. */
export async function takeUse(tx: Tx, key: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('promo_codes')
    .set({ uses: sql`uses + 1`, last_used_at: NOW })
    .where('key', '=', key)
    .where((eb) => eb.or([eb('max_uses', 'is', null), eb('uses', '<', eb.ref('max_uses'))]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Inserts those that there are not yet, and answers them. */
export async function insertCodes(
  tx: Tx,
  { promoId, kind, maxUses }: { promoId: bigint; kind: 'UNIVERSAL' | 'ONE_TIME'; maxUses: number | null },
  codes: readonly string[],
): Promise<string[]> {
  const keys = codes.map((code) => code.toLowerCase());
  const { rows } = await sql<{ code: string }>`
    insert into promo_codes (key, code, promo_id, kind, max_uses)
    select key, code, ${promoId}, ${kind}, ${maxUses}::int4 from unnest(${keys}::text[], ${codes}::text[]) v(key, code)
    on conflict (key) do nothing returning code`.execute(tx);
  return rows.map(({ code }) => code);
}

export async function deletePromo(tx: Tx, id: bigint): Promise<void> {
  await tx.deleteFrom('promo_codes').where('promo_id', '=', id).execute();
  await tx.deleteFrom('promos').where('id', '=', id).execute();
}

export async function hasGrants(tx: Tx, promoId: bigint): Promise<boolean> {
  const row = await tx
    .selectFrom('promo_grants')
    .select('id')
    .where('promo_id', '=', promoId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Of these promotions, those that a player has taken up, and whether they ever had a WELCOME one. */
export async function claimedBy(
  db: DbOrTx,
  userId: number,
  promoIds: readonly bigint[],
): Promise<{ claimed: ReadonlySet<bigint>; hadWelcome: boolean }> {
  const { rows } = await sql<{ promoId: bigint; isWelcome: boolean }>`
    select promo_id as "promoId", type = 'WELCOME' as "isWelcome" from promo_grants where user_id = ${userId}
      and (type = 'WELCOME' or (promo_id = any(${promoIds}::int8[]) and source in ('OFFER', 'CODE')))`.execute(
    db,
  );
  return {
    claimed: new Set(rows.map(({ promoId }) => promoId)),
    hadWelcome: rows.some(({ isWelcome }) => isWelcome),
  };
}

/** Grants by their sources. */
export async function grantsOfSources(
  db: DbOrTx,
  sourceKeys: readonly string[],
): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ sourceKey: string; id: bigint }>`
    select source_key as "sourceKey", id from promo_grants where source_key = any(${sourceKeys}::text[])`.execute(
    db,
  );
  return new Map(rows.map(({ sourceKey, id }) => [sourceKey, id]));
}

/** Of these players: who ever had a WELCOME grant. */
export async function welcomedAmong(db: DbOrTx, userIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ userId: number }>`
    select user_id as "userId" from promo_grants where user_id = any(${userIds}::int4[]) and type = 'WELCOME'`.execute(
    db,
  );
  return new Set(rows.map(({ userId }) => userId));
}

export const findGrant = (db: DbOrTx, id: bigint): Promise<GrantRow | undefined> =>
  db.selectFrom('promo_grants').selectAll().where('id', '=', id).executeTakeFirst();

/** Bonus money of a promotion by currency: what players hold, what became cash, what came back. */
export async function readOutcome(
  db: DbOrTx,
  promoId: bigint,
): Promise<{ currencyId: string; held: Units; converted: Units; forfeited: Units }[]> {
  const { rows } = await sql<Record<'held' | 'converted' | 'forfeited', string> & { currencyId: string }>`
    select currency_id as "currencyId", sum(held)::text as held, sum(converted)::text as converted, sum(forfeited)::text as forfeited
    from (
      select currency_id, bonus_balance as held, 0::int8 as converted, 0::int8 as forfeited from promo_grants
      where promo_id = ${promoId} and status = 'ACTIVE'
      union all
      select currency_id, 0, converted, forfeited from promo_grants
      where promo_id = ${promoId} and (converted > 0 or forfeited > 0)
    ) outcome group by currency_id`.execute(db);
  return rows.map(({ currencyId, held, converted, forfeited }) => ({
    currencyId,
    held: BigInt(held),
    converted: BigInt(converted),
    forfeited: BigInt(forfeited),
  }));
}

// ---------------------------------------------------------------- lists

export type Order<By extends string> = {
  sortBy: By;
  sortOrder: 'asc' | 'desc';
  limit: number;
  offset: number;
};
/** Rows of a table that meet a filter. */
export type Matching = { table: RawBuilder<unknown>; where: RawBuilder<unknown> };

const every = (conditions: readonly (RawBuilder<unknown> | undefined)[]) =>
  sql.join([sql`true`, ...conditions.filter((one) => one !== undefined)], sql` and `);
const when = <T>(value: T | undefined, condition: (value: T) => RawBuilder<unknown>) =>
  value === undefined ? undefined : condition(value);

/** How many there are, up to a bound. */
export async function countUpTo(db: DbOrTx, { table, where }: Matching, most: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (select 1 from ${table} where ${where} limit ${most}) counted`.execute(db);
  return rows[0]!.n;
}

/** In the order of `by`, ties of `tie`; what has no value sorts before everything. */
async function pageOf<Row>(
  db: DbOrTx,
  { table, where }: Matching,
  { by, tie, order }: { by: RawBuilder<unknown>; tie: RawBuilder<unknown>; order: Order<string> },
): Promise<Row[]> {
  const direction = order.sortOrder === 'desc' ? sql`desc nulls last` : sql`asc nulls first`;
  const { rows } = await sql<Row>`
    select * from ${table} where ${where} order by ${by} ${direction}, ${tie} ${direction}
    limit ${order.limit} offset ${order.offset}`.execute(db);
  return rows;
}

export type PromoFilter = {
  status?: Status | undefined;
  type?: PromoType | undefined;
  search?: string | undefined;
};

/** By part of the name, by id, and by a code. */
export const promosLike = ({ status, type, search }: PromoFilter): Matching => ({
  table: sql`promos`,
  where: every([
    when(status, (value) => sql`status = ${value}`),
    when(type, (value) => sql`type = ${value}`),
    when(
      search?.trim().toLowerCase(),
      (text) => sql`(strpos(lower(name), ${text}) > 0 or id::text = ${text}
        or id in (select promo_id from promo_codes where key = ${text}))`,
    ),
  ]),
});

const PROMO_ORDERS = {
  createdAt: sql`created_at`,
  updatedAt: sql`updated_at`,
  startAt: sql`start_at`,
  endAt: sql`end_at`,
  name: sql`lower(name)`,
} as const;

export const listPromos = (db: DbOrTx, matching: Matching, order: Order<keyof typeof PROMO_ORDERS>) =>
  pageOf<PromoRow>(db, matching, { by: PROMO_ORDERS[order.sortBy], tie: sql`id`, order });

export type CodeFilter = { promoId: bigint; used?: boolean | undefined; search?: string | undefined };

/** Of a promotion: those that begin with a text. */
export const codesLike = ({ promoId, used, search }: CodeFilter): Matching => ({
  table: sql`promo_codes`,
  where: every([
    sql`promo_id = ${promoId}`,
    when(used, (isUsed) => (isUsed ? sql`uses > 0` : sql`uses = 0`)),
    when(search?.trim().toLowerCase(), (text) => sql`key like ${beginningWith(text)}`),
  ]),
});

/** Wildcards stand for themselves. */
const beginningWith = (text: string) => `${text.replace(/[\\%_]/g, (c) => `\\${c}`)}%`;

const CODE_ORDERS = { createdAt: sql`created_at`, uses: sql`uses`, code: sql`key` } as const;

export const listCodes = (db: DbOrTx, matching: Matching, order: Order<keyof typeof CODE_ORDERS>) =>
  pageOf<CodeRow>(db, matching, { by: CODE_ORDERS[order.sortBy], tie: sql`key`, order });

export type GrantFilter = {
  userId?: number | undefined;
  promoId?: bigint | undefined;
  status?: string | undefined;
};

export const grantsLike = ({ userId, promoId, status }: GrantFilter): Matching => ({
  table: sql`promo_grants`,
  where: every([
    when(userId, (id) => sql`user_id = ${id}`),
    when(promoId, (id) => sql`promo_id = ${id}`),
    when(status, (value) => sql`status = ${value}`),
  ]),
});

/** They are issued in the order of their ids. */
const GRANT_ORDERS = {
  createdAt: sql`id`,
  expiresAt: sql`expires_at`,
  grantedAmount: sql`granted_amount`,
} as const;

export const listGrants = (db: DbOrTx, matching: Matching, order: Order<keyof typeof GRANT_ORDERS>) =>
  pageOf<GrantRow>(db, matching, { by: GRANT_ORDERS[order.sortBy], tie: sql`id`, order });
