import { sql } from 'kysely';
import { z } from 'zod';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { derived } from '../../../platform/derived.ts';
import { addJob, JobHopeless } from '../../../platform/queue/queue.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { StaffValue } from '../../base/staff-value/rules.ts';
import { UserId } from '../../base/users/schemas.ts';
import type { Game as CatalogueGame } from '../../games/casino/service.ts';
import { type GameTerms, hasLists, isListed } from '../../money/bonus/rules.ts';
import { type Money, type MoneyRequest, moneyOf, mostOfGrant, setUpOf } from './approval.ts';
import { givesFreeSpins } from './free-spins.ts';
import { type GrantOrder, getGrantable, grantEach, grantTo } from './grant.ts';
import { activePromos, type PromoServices, type SlugsOf } from './queries.ts';
import { FIRST_OF_STAFF, PROMO_TYPES, sourceKeyOf } from './rules.ts';

export type Promo = ReturnType<typeof createPromo>;

/** Provides promotions to other modules. Caches the games of promotions. The module money/bonus stores the grants. */
export function createPromo(deps: PromoServices) {
  const { db, currencies } = deps;
  return {
    slugsOf: createSlugsOf(deps.catalogue.state.now),

    /**
     * Grants an active promotion to a player, once per source. A repeated source returns the existing grant. For VIP and CRM, only the
     * country rule and the gate apply. Locks the player. Throws 404 PROMO_NOT_FOUND, USER_NOT_FOUND, 409 PROMO_NOT_ACTIVE,
     * PROMO_ALREADY_USED (WELCOME, once per player), PROMO_EXHAUSTED, RATE_STALE, 403 PROMO_NOT_ELIGIBLE, and the errors of the gate.
     */
    grantTo: async (
      tx: Tx,
      promoId: bigint,
      order: GrantOrder,
    ): Promise<{ grantId: bigint; isNew: boolean }> =>
      grantTo(tx, deps, await getGrantable(tx, promoId), order),

    /**
     * Returns the money that replaces the reward of an active promotion, or undefined. Throws 404 PROMO_NOT_FOUND, CURRENCY_NOT_FOUND, 400
     * AMOUNT_OUT_OF_RANGE, 409 PROMO_NOT_ACTIVE.
     */
    moneyFor: async (tx: Tx, promoId: bigint, request: MoneyRequest): Promise<Money | undefined> =>
      moneyOf(deps, await getGrantable(tx, promoId), request),

    /** Returns the value of one manual grant for the staff-value policy. Throws 404 PROMO_NOT_FOUND, 409 PROMO_NOT_ACTIVE. */
    async costOf(tx: Tx, promoId: bigint): Promise<Pick<StaffValue, 'usdAmount' | 'setUpBy' | 'isBudgeted'>> {
      const promo = await getGrantable(tx, promoId);
      const usdAmount = mostOfGrant(currencies, promo);
      return { usdAmount, ...setUpOf(promo), isBudgeted: promo.open_usd === null && usdAmount !== null };
    },

    /** Returns the promotions that staff and other modules can grant now, latest first. */
    async grantable(): Promise<{ id: bigint; name: string }[]> {
      const promos = await activePromos(db, PROMO_TYPES);
      return promos.filter(({ id }) => id >= FIRST_OF_STAFF);
    },

    /** Returns true if promotions can give free spins of the game. */
    givesFreeSpins: (game: CatalogueGame): boolean => givesFreeSpins(deps.freeRounds, game),

    /** Returns the promotions that are limited to some games, excluding archived ones. */
    forSomeGames: async (): Promise<{ id: bigint; games: GameTerms }[]> =>
      (await db
        .selectFrom('promos')
        .select(['id', 'games'])
        .where('status', '<>', 'ARCHIVED')
        .where(sql<boolean>`games - 'contribution' - 'perGame' <> '{}'`)
        .orderBy('id')
        .execute()) as { id: bigint; games: GameTerms }[],
  };
}

type Game = { slug: string; providerId: number; categories: readonly string[] };

const MAX_CACHED = 200;

/**
 * Returns a function that resolves game lists to slugs of the current catalogue. Terms without game lists resolve to an empty list. Caches
 * results.
 */
function createSlugsOf(catalogue: () => { games: readonly Game[] }): SlugsOf {
  const cache = derived(
    () => [catalogue().games],
    (_) => ({ slugs: new Map<string, readonly string[]>() }),
  );
  return (lists) => {
    if (!hasLists(lists)) return [];
    const { slugs } = cache();
    const key = JSON.stringify([lists.gameSlugs, lists.providerIds, lists.categories]);
    const found =
      slugs.get(key) ?? catalogue().games.flatMap((game) => (isListed(lists, game) ? [game.slug] : []));
    if (slugs.size < MAX_CACHED) slugs.set(key, found);
    return found;
  };
}

/** Name of the task that grants a WELCOME promotion. */
export const WELCOME_BONUS = 'welcome-bonus';

/** Queues the task. Must be called in transactions that may make a player eligible: sign-up, email verification and first deposit. */
export const queueWelcomeBonus = (tx: Tx, userId: number): Promise<void> =>
  addJob(tx, WELCOME_BONUS, { userId }, { key: `${WELCOME_BONUS}:${userId}` });

const Payload = z.object({ userId: UserId });

/** Grants a player the first active WELCOME promotion for which the player is eligible, once per player. */
export async function runWelcome(deps: PromoServices, payload: unknown): Promise<void> {
  const parsed = Payload.safeParse(payload);
  if (!parsed.success) throw new JobHopeless('names no user');
  await transaction(deps.db, (tx) => grantWelcome(tx, deps, parsed.data.userId));
}

async function grantWelcome(tx: Tx, deps: PromoServices, userId: number): Promise<void> {
  const promos = (await activePromos(tx, ['WELCOME'])).reverse();
  if (promos.length === 0) return;
  await lockPlayers(tx, [userId]);
  for (const promo of promos) {
    const sourceKey = sourceKeyOf(promo.id, userId);
    const outcome = (await grantEach(tx, deps, promo, [{ userId, source: 'OFFER', sourceKey }])).get(userId)!;
    if ('grantId' in outcome || outcome.refusal.code === 'PROMO_ALREADY_USED') return;
  }
}
