import { type Selectable, sql } from 'kysely';
import type { Db, DbOrTx, Tx } from '../../../../../platform/database/db.ts';
import type { FreeRounds } from '../../../../../platform/database/tables.ts';
import type { Units } from '../../../../../platform/money.ts';
import type { Booked } from './rules.ts';

/** Free rounds of a grant, with the current state of the grant and the game. */
export type Ordered = Selectable<FreeRounds> & {
  userId: number;
  grantStatus: string;
  gameCode: string;
  gameName: string;
};

const ordered = (db: DbOrTx) =>
  db
    .selectFrom('free_rounds as f')
    .innerJoin('promo_grants as g', 'g.id', 'f.grant_id')
    .innerJoin('games', 'games.id', 'f.game_id')
    .selectAll('f')
    .select([
      'g.user_id as userId',
      'g.status as grantStatus',
      sql<string>`games.external_code`.as('gameCode'),
      'games.name as gameName',
    ]);

export const findOrdered = (db: DbOrTx, grantId: bigint): Promise<Ordered | undefined> =>
  ordered(db).where('f.grant_id', '=', grantId).executeTakeFirst();

/** Finds free rounds by the provider's references. */
export const orderedBy = (
  db: DbOrTx,
  providerId: number,
  references: readonly string[],
): Promise<Ordered[]> =>
  ordered(db)
    .where('f.provider_id', '=', providerId)
    .where('f.reference', 'in', references)
    .orderBy('f.grant_id')
    .execute();

export type NewFreeRounds = {
  grantId: bigint;
  providerId: number;
  gameId: number;
  currencyId: string;
  rounds: number;
  bet: Units;
};

/** Inserts an order, valid until the grant's deadline. */
export const insertOrder = (tx: Tx, { grantId, ...order }: NewFreeRounds) =>
  sql`
  insert into free_rounds (grant_id, provider_id, game_id, currency_id, rounds, bet, valid_until)
  select id, ${order.providerId}::int4, ${order.gameId}::int4, ${order.currencyId}, ${order.rounds}::int4, ${order.bet}, waits_until
  from promo_grants where id = ${grantId}`.execute(tx);

/** Marks that the provider is about to be called. */
export const markAsked = (db: Db, grantId: bigint) =>
  sql`update free_rounds set asked_at = coalesce(asked_at, now()) where grant_id = ${grantId}`.execute(db);

export const markIssued = (tx: Tx, grantId: bigint, reference: string) =>
  sql`update free_rounds set issued_at = now(), reference = ${reference} where grant_id = ${grantId} and issued_at is null`.execute(
    tx,
  );

export const markWithdrawn = (db: Db, grantId: bigint) =>
  sql`update free_rounds set withdrawn_at = now() where grant_id = ${grantId}`.execute(db);

/** Reads the provider's bookings for free rounds that are in effect. */
export async function readBooked(
  tx: Tx,
  { provider_id, reference }: Pick<Ordered, 'provider_id' | 'reference'>,
): Promise<Booked> {
  const { rows } = await sql<Booked>`
    select coalesce(sum(amount) filter (where type in ('FREE_WIN', 'FREE_SPIN_WIN')), 0)::int8 as won,
      (count(*) filter (where type = 'FREE_BET'))::int4 as played, coalesce(bool_or(type = 'FREE_SPIN_WIN'), false) as "hasSum",
      coalesce(bool_or(r.status = 'OPEN'), false) as "isOpen"
    from provider_transactions t left join provider_rounds r on r.id = t.round_id
    where t.provider_id = ${provider_id} and t.free_rounds = ${reference} and t.status = 'DONE'`.execute(tx);
  return rows[0]!;
}
