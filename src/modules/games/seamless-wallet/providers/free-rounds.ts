import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../../platform/database/db.ts';
import type { FreeRounds as FreeRoundsRow } from '../../../../platform/database/tables.ts';
import type { Units } from '../../../../platform/money.ts';
import { JobHopeless } from '../../../../platform/queue/queue.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { beginFreeRounds, queueFreeRounds } from '../../../money/bonus/grants/free-rounds.ts';
import type { Grants } from '../../../money/bonus/grants.ts';
import type { FreeRounds, FreeRoundsOrder, KnownProvider } from './provider.ts';
import { areOver, type Booked } from './rules.ts';

export type FreeRoundOptions = {
  db: Db;
  grants: Pick<Grants, 'recordFreeWins'>;
  providers: () => readonly KnownProvider[];
};

const Job = z.object({ grantId: z.string().regex(/^[1-9]\d{0,18}$/) });

export type FreeRoundsService = ReturnType<typeof createFreeRounds>;

/**
 * Free rounds of promotions. A task orders the rounds from the provider, and retries until the provider accepts the order. If the grant
 * ends early, the task withdraws the remaining rounds. The provider reports wins in its wallet calls.
 */
export function createFreeRounds({ db, grants, providers }: FreeRoundOptions) {
  const providerOf = (id: number) => providers().find((provider) => provider.id === id);

  const wordsOf = ({ provider_id: id }: Ordered) => configured(id, providerOf(id)?.freeRounds);

  async function give(order: Ordered): Promise<void> {
    const { grant_id: grantId, userId, rounds: spins, gameName: game } = order;
    await markAsked(db, grantId);
    const reference = await wordsOf(order).give(toOrder(order));
    const isWanted = await transaction(db, async (tx) => {
      const isPending = await beginFreeRounds(tx, { grantId, userId, spins, game });
      await markIssued(tx, grantId, reference);
      return isPending;
    });
    if (!isWanted) await withdraw({ ...order, reference });
  }

  async function withdraw(order: Ordered): Promise<void> {
    await wordsOf(order).withdraw(toOrder(order), order.reference);
    await markWithdrawn(db, order.grant_id);
  }

  return {
    /** Returns true if a game's provider is configured and supports free rounds. */
    canGive: (providerId: number): boolean => providerOf(providerId)?.freeRounds !== undefined,

    /** Returns a provider's scale for a currency, or undefined if the provider does not support the currency. */
    scaleOf: (providerId: number, currencyId: string) =>
      providerOf(providerId)?.currencies.find(({ ours }) => ours === currencyId),

    /** Orders the rounds of a new grant. */
    async order(tx: Tx, rounds: NewFreeRounds): Promise<void> {
      await insertOrder(tx, rounds);
      await queueFreeRounds(tx, rounds.grantId);
    },

    /** Runs the task, which orders rounds from the provider or withdraws them, depending on the state of the grant. Safe to repeat. */
    async run(payload: unknown): Promise<void> {
      const job = Job.safeParse(payload);
      if (!job.success) throw new JobHopeless('the payload has no grant id');
      const order = await findOrdered(db, BigInt(job.data.grantId));
      if (!order) return;
      const { grantStatus, issued_at, asked_at, withdrawn_at } = order;
      if (grantStatus === 'PENDING' && issued_at === null) await give(order);
      else if (ENDED_EARLY.has(grantStatus) && asked_at !== null && withdrawn_at === null)
        await withdraw(order);
    },

    /** Updates the grants after free rounds with these references were booked or rolled back. Locks the player. */
    follow: (tx: Tx, providerId: number, references: readonly string[]): Promise<void> =>
      followBooked(tx, grants, {
        providerId,
        references,
        endBy: providerOf(providerId)?.freeRounds?.endBy ?? 'SUM',
      }),
  };
}

/** Throws if the provider is no longer configured, so that the queue retries. */
function configured(id: number, words: FreeRounds | undefined): FreeRounds {
  if (!words) throw new Error(`the provider ${id} gives no free rounds here`);
  return words;
}

type Followed = { providerId: number; references: readonly string[]; endBy: FreeRounds['endBy'] };

async function followBooked(
  tx: Tx,
  grants: FreeRoundOptions['grants'],
  { providerId, references, endBy }: Followed,
): Promise<void> {
  for (const order of await orderedBy(tx, providerId, references)) {
    const { grant_id: grantId, userId, rounds } = order;
    await lockPlayers(tx, [userId]);
    const booked = await readBooked(tx, order);
    const isOver = areOver({ rounds, endBy }, booked);
    await grants.recordFreeWins(tx, { grantId, userId, won: booked.won, isOver });
  }
}

/** Grant statuses whose remaining rounds must be withdrawn. The provider ends expired rounds automatically. */
const ENDED_EARLY: ReadonlySet<string> = new Set(['FORFEITED', 'CANCELLED']);

const toOrder = ({
  grant_id,
  userId,
  currency_id,
  gameCode,
  rounds,
  bet,
  valid_until,
}: Ordered): FreeRoundsOrder => ({
  id: `grant-${grant_id}`,
  userId,
  currencyId: currency_id,
  gameCode,
  rounds,
  bet,
  validUntil: valid_until,
});

/** Free rounds of a grant, with the current state of the grant and the game. */
type Ordered = Selectable<FreeRoundsRow> & {
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

const findOrdered = (db: DbOrTx, grantId: bigint): Promise<Ordered | undefined> =>
  ordered(db).where('f.grant_id', '=', grantId).executeTakeFirst();

/** Finds free rounds by the provider's references. */
const orderedBy = (db: DbOrTx, providerId: number, references: readonly string[]): Promise<Ordered[]> =>
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

/** Inserts an order that is valid until the grant's deadline. */
const insertOrder = (tx: Tx, { grantId, ...order }: NewFreeRounds) =>
  sql`
  insert into free_rounds (grant_id, provider_id, game_id, currency_id, rounds, bet, valid_until)
  select id, ${order.providerId}::int4, ${order.gameId}::int4, ${order.currencyId}, ${order.rounds}::int4, ${order.bet}, waits_until
  from promo_grants where id = ${grantId}`.execute(tx);

/** Records that the provider is about to be called. */
const markAsked = (db: Db, grantId: bigint) =>
  sql`update free_rounds set asked_at = coalesce(asked_at, now()) where grant_id = ${grantId}`.execute(db);

const markIssued = (tx: Tx, grantId: bigint, reference: string) =>
  sql`update free_rounds set issued_at = now(), reference = ${reference} where grant_id = ${grantId} and issued_at is null`.execute(
    tx,
  );

const markWithdrawn = (db: Db, grantId: bigint) =>
  sql`update free_rounds set withdrawn_at = now() where grant_id = ${grantId}`.execute(db);

/** Reads the transactions of free rounds that were not rolled back. */
async function readBooked(
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
