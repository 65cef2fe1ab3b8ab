import { type Selectable, sql, type Updateable } from 'kysely';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { PromoGrants, Promos } from '../../../platform/database/tables.ts';
import type { Units } from '../../../platform/money.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { Countries, PlayerCountries } from '../../compliance/countries/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Catalogue } from '../../games/casino/service.ts';
import type { FreeRoundsService } from '../../games/seamless-wallet/providers/free-rounds.ts';
import type { createGrants } from '../../money/bonus/grants.ts';
import type { GameTerms } from '../../money/bonus/rules.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { Conditions, Kind, PromoType, Status, WagerBase } from './rules.ts';

/** Dependencies of the promotion service. */
export type PromoServices = {
  db: Db;
  /** Database for staff lists. It may be a replica that lags behind. */
  reads: Db;
  gate: Gate;
  countries: Pick<Countries, 'countryOf'>;
  playerCountries: Pick<PlayerCountries, 'of'>;
  siteConfig: Pick<SiteConfig, 'get' | 'lowestOfDay'>;
  currencies: Pick<Currencies, 'find' | 'get' | 'rateOf' | 'freshRate' | 'toUsd'>;
  grants: Pick<ReturnType<typeof createGrants>, 'issue' | 'end'>;
  catalogue: Pick<Catalogue, 'state'>;
  freeRounds: Pick<FreeRoundsService, 'canGive' | 'scaleOf' | 'order'>;
};

export type PromoDeps = PromoServices & { promo: { slugsOf: SlugsOf } };

export type SlugsOf = (games: GameTerms) => readonly string[];

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
export type GrantRow = Selectable<PromoGrants>;

export const updatePromo = async (tx: Tx, id: bigint, changes: Updateable<Promos>): Promise<PromoRow> =>
  (await tx
    .updateTable('promos')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()) as PromoRow;

export const findPromo = async (db: DbOrTx, id: bigint): Promise<PromoRow | undefined> =>
  (await db.selectFrom('promos').selectAll().where('id', '=', id).executeTakeFirst()) as PromoRow | undefined;

/** Locks a promotion. Players must be locked before promotions. */
export const lockPromo = async (tx: Tx, id: bigint): Promise<PromoRow | undefined> =>
  (await tx.selectFrom('promos').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()) as
    | PromoRow
    | undefined;

const MAX_OFFERS = 200;

/** Returns active promotions of these types that have started and not yet ended, latest first. */
export const activePromos = async (db: DbOrTx, types: readonly PromoType[]): Promise<PromoRow[]> => {
  const now = sql<Date>`now()`;
  const rows = await db
    .selectFrom('promos')
    .selectAll()
    .where('status', '=', 'ACTIVE')
    .where('type', 'in', [...types])
    .where((eb) => eb.or([eb('start_at', 'is', null), eb('start_at', '<=', now)]))
    .where((eb) => eb.or([eb('end_at', 'is', null), eb('end_at', '>', now)]))
    .orderBy('id', 'desc')
    .limit(MAX_OFFERS)
    .execute();
  return rows as PromoRow[];
};

export const findGrant = (db: DbOrTx, id: bigint): Promise<GrantRow | undefined> =>
  db.selectFrom('promo_grants').selectAll().where('id', '=', id).executeTakeFirst();

/**
 * Charges a grant to the budget of an active promotion. Unless staff made the grant manually, it is also charged to the open budget, which
 * is the part that can be used before a second approver approves the rest. `most` is the maximum that the grant can pay, or null if it is
 * unlimited. Returns false if the budget is not sufficient. The player must be locked.
 */
export async function chargeBudget(
  tx: Tx,
  id: bigint,
  { usd, most, isByHand }: { usd: Units; most: Units | null; isByHand: boolean },
): Promise<boolean> {
  const left = isByHand ? sql<bigint>`open_usd` : sql<bigint>`open_usd - ${most ?? 0n}::int8`;
  const isOpen = isByHand
    ? sql<boolean>`true`
    : sql<boolean>`(open_usd is null or open_usd >= ${most}::int8)`;
  const { numUpdatedRows } = await tx
    .updateTable('promos')
    .set({ grants: sql`grants + 1`, granted_usd: sql`granted_usd + ${usd}`, open_usd: left })
    .where('id', '=', id)
    .where('status', '=', 'ACTIVE')
    .where(isOpen)
    .where((eb) => eb.or([eb('max_grants', 'is', null), eb('grants', '<', eb.ref('max_grants'))]))
    .where((eb) =>
      eb.or([eb('max_total_usd', 'is', null), sql<boolean>`granted_usd + ${usd} <= max_total_usd`]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Records a use of a code. Returns false if the code is used up. Its promotion must be locked first. */
export async function countUse(tx: Tx, key: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('promo_codes')
    .set({ uses: sql`uses + 1`, last_used_at: sql<Date>`now()` })
    .where('key', '=', key)
    .where((eb) => eb.or([eb('max_uses', 'is', null), eb('uses', '<', eb.ref('max_uses'))]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
