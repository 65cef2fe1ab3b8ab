import { type SelectQueryBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { offsetOf, type Page, paginated } from '../../http/schemas.ts';
import { iso } from '../../platform/clock.ts';
import type { DB } from '../../platform/database.ts';
import type { Db, DbOrTx } from '../../platform/db.ts';
import { formatUnits } from '../../platform/money.ts';
import { toShortPublicUser } from '../users/service.ts';
import { betErrors } from './errors.ts';
import { shownMultiplier } from './rules.ts';
import type { BetInfo, BetRow, BetsQuery } from './schemas.ts';

export type Bets = ReturnType<typeof createBets>;

export function createBets(db: Db) {
  return {
    /** A player's own bets. Pages are read through the index on (user, id); a page beyond the end reads nothing. */
    async list(userId: number, query: z.output<typeof BetsQuery>): Promise<Page<z.input<typeof BetRow>>> {
      const own = db.selectFrom('bets').where('user_id', '=', userId).where('bets.status', '=', query.status);
      const { total } = await own.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
      const offset = offsetOf(query, total);
      if (offset === undefined) return paginated<z.input<typeof BetRow>>([], query, total);
      const ids = own
        .select('bets.id')
        .$if(query.sortBy === 'USD_AMOUNT', (q) => q.orderBy('usd_amount', query.sortOrder))
        .orderBy('bets.id', query.sortOrder)
        .limit(query.take)
        .offset(offset);
      const rows = await withGame(db.selectFrom('bets'))
        .where('bets.id', 'in', ids)
        .$if(query.sortBy === 'USD_AMOUNT', (q) => q.orderBy('usd_amount', query.sortOrder))
        .orderBy('bets.id', query.sortOrder)
        .execute();
      return paginated(rows.map(toRow), query, total);
    },

    /** Whose bet this is, and the id in whose block its last line lies (null: it is open); undefined when there is none. */
    async ownerOf(id: bigint): Promise<{ userId: number; last: bigint | null } | undefined> {
      const row = await db
        .selectFrom('bets')
        .select(['user_id', 'settlement_id', 'status'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row) return undefined;
      const isOpen = row.status === 'CREATED' || row.status === 'ERROR';
      return { userId: row.user_id, last: isOpen ? null : (row.settlement_id ?? id) };
    },

    /** A house bet of this player; anybody else's is as good as absent. */
    async houseBetInfo(userId: number, betId: string): Promise<z.input<typeof BetInfo>> {
      const row = await withGame(db.selectFrom('bets'))
        .innerJoin('users', 'users.id', 'bets.user_id')
        .select([
          'users.username',
          'users.avatar',
          'users.vip_level',
          'users.is_private',
          'users.is_streamer_mode',
          'inputs',
          'outcome',
        ])
        .where('bets.id', '=', betIdOf(betId))
        .where('user_id', '=', userId)
        .where('games.type', '=', 'HOUSE_GAME')
        .where('settled_at', 'is not', null)
        .executeTakeFirst();
      if (!row) throw betErrors.BET_NOT_FOUND();
      const { id, settledAt, currencyId, amount, payout, game, multiplier } = toRow(row);
      const details = { inputs: row.inputs as Facts, outcome: row.outcome as Facts };
      return {
        currencyId,
        amount,
        payout,
        betId: id,
        settledAt: settledAt!,
        game: { ...game, multiplier, ...details },
        user: toShortPublicUser({ ...row, id: userId }, userId),
      };
    },
  };
}

type Facts = Record<string, unknown> | null;

/** Slugs of the games in which the player has an open round, which hides what his seed would show. */
export async function openRounds(db: DbOrTx, userId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('rounds')
    .innerJoin('games', 'games.id', 'rounds.game_id')
    .select('games.slug')
    .where('user_id', '=', userId)
    .orderBy('games.slug')
    .execute();
  return rows.map((row) => row.slug);
}

/** The number behind a bet id; a text that is none belongs to no bet. */
export function betIdOf(text: string): bigint {
  if (!/^[1-9]\d{0,18}$/.test(text) || BigInt(text) > 2n ** 63n - 1n) throw betErrors.BET_NOT_FOUND();
  return BigInt(text);
}

function withGame<O>(query: SelectQueryBuilder<DB, 'bets', O>) {
  return query
    .innerJoin('games', 'games.id', 'bets.game_id')
    .select([
      'bets.id',
      'status',
      'currency_id',
      'amount',
      'payout',
      'usd_amount',
      'usd_payout',
      'bets.created_at',
      'bets.updated_at',
      'settled_at',
      'game_id',
      'games.slug',
      'games.name',
      'games.type',
      'games.images',
      'games.provider_name',
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof withGame<object>>['executeTakeFirstOrThrow']>>;

function toRow(row: Row) {
  return {
    id: String(row.id),
    status: row.status as z.input<typeof BetRow>['status'],
    currencyId: row.currency_id,
    amount: formatUnits(row.amount),
    payout: formatUnits(row.payout),
    usdAmount: formatUnits(row.usd_amount),
    usdPayout: formatUnits(row.usd_payout),
    multiplier: shownMultiplier(row.payout, row.amount),
    game: {
      id: row.game_id,
      slug: row.slug,
      name: row.name,
      type: row.type as 'HOUSE_GAME',
      images: row.images,
      providerName: row.provider_name,
    },
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    settledAt: row.settled_at && iso(row.settled_at),
  };
}
