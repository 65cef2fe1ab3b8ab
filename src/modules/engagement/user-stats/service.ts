import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Clock, iso } from '../../../platform/clock.ts';
import { type Db, type DbOrTx, transaction } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { userErrors } from '../../base/users/errors.ts';
import { findUserByUsername, getUser, isHidden } from '../../base/users/service.ts';
import { createConsumer, lockCursor, moveCursor, type OnConsumed, reset } from '../../games/bets/consume.ts';
import { CONSUMER } from './apply.ts';
import { createGameStats } from './games.ts';
import { createPaymentStats } from './payments.ts';
import { CURSOR, readPlayer, readTotals, readWagered } from './queries.ts';
import { adminStats, playerStats } from './rules.ts';
import type { UserAdminStats, UserMyStats, UserPublicStats } from './schemas.ts';

export { keepMonth } from './queries.ts';

/** What a player has wagered in total, up to the last settled bet; dollars. */
export const wageredOf = async (db: DbOrTx, userId: number): Promise<Units> =>
  (await readTotals(db, [userId])).get(userId)!.wagered;

/** The same of many, by user. */
export async function wageredOfEach(db: DbOrTx, userIds: readonly number[]): Promise<Map<number, Units>> {
  const totals = await readTotals(db, userIds);
  return new Map([...totals].map(([id, { wagered }]) => [id, wagered]));
}

/** Dollars that users have wagered within so many days (0: ever), up to the last settled bet; by user and days. */
export const wageredWithin = (db: DbOrTx, userIds: readonly number[], days: readonly number[]) =>
  readWagered(db, userIds, days);

export type UserStats = ReturnType<typeof createUserStats>;

type AdminStats = z.input<typeof UserAdminStats>;
type MyStats = z.input<typeof UserMyStats>;

/** By user id, in one statement; zeros for users who never played or paid. */
export async function adminStatsOf(db: DbOrTx, userIds: readonly number[]): Promise<Map<number, AdminStats>> {
  const totals = userIds.length > 0 ? await readTotals(db, userIds) : [];
  return new Map([...totals].map(([id, sums]) => [id, adminStats(sums)]));
}

/** Statistics of players: exact at the moment of asking, however far behind the consumer is. */
export function createUserStats({ db, clock, onConsumed }: { db: Db; clock: Clock; onConsumed: OnConsumed }) {
  const mine = async (userId: number): Promise<MyStats> => {
    const { totals, favorite } = await readPlayer(db, userId);
    return { ...playerStats(totals), favoriteGame: favorite };
  };

  return {
    ...createConsumer(db, CONSUMER, onConsumed),
    ...createPaymentStats({ db, clock }),
    games: createGameStats({ db, clock }),
    mine,

    /**
     * What everybody may see. Players who hide show no money and no avatar: lists and feeds show them as Incognito, and sums that
     * grow with the bets there would reveal who they are. Throws 404 USER_NOT_FOUND.
     */
    async ofUsername(username: string): Promise<z.input<typeof UserPublicStats>> {
      const user = await findUserByUsername(db, username);
      if (!user) throw userErrors.USER_NOT_FOUND();
      const stats = await mine(user.id);
      const isPrivate = isHidden(user);
      return {
        ...stats,
        username: user.username!,
        avatar: isPrivate ? null : user.avatar,
        vipLevel: user.vip_level,
        createdAt: iso(user.created_at),
        isPrivate,
        ...(isPrivate ? { wageredUsd: null, profitUsd: null, biggestWinUsd: null } : {}),
      };
    },

    /** Throws 404 USER_NOT_FOUND. */
    async full(userId: number): Promise<AdminStats> {
      await getUser(db, userId);
      return (await adminStatsOf(db, [userId])).get(userId)!;
    },

    /**
     * Resets the consumer, which then applies every bet again. Answers do not change meanwhile, they only cost more; a second
     * call changes nothing more. Throws 409 BETS_DETACHED.
     */
    migrate: (by: StaffCall): Promise<{ success: boolean }> =>
      transaction(db, async (tx) => {
        const before = await lockCursor(tx, CURSOR);
        await freshActor(tx, by);
        const after = await reset(tx, before);
        await moveCursor(tx, CURSOR, after);
        await recordAudit(tx, by, { before: shown(before), after: shown(after) });
        return { success: true };
      }),
  };
}

const shown = ({ position, generation }: { position: bigint; generation: number }) => ({
  position: String(position),
  generation,
});
