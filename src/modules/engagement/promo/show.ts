import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import { derived } from '../../../platform/derived.ts';
import { formatUnits } from '../../../platform/money.ts';
import type { ShortPrivateUser } from '../../base/users/schemas.ts';
import { percentOf } from '../../money/bonus/grants/announce.ts';
import { type GameTerms, type GrantStatus, hasLists, isListed } from '../../money/bonus/rules.ts';
import type { CodeRow, GrantRow, PromoRow } from './queries.ts';
import type { PromoType } from './rules.ts';
import type { PromoAdmin, PromoCodePage, PromoGrant, PromoGrantAdmin, PromoOffer } from './schemas.ts';
import { toTerms } from './terms/rules.ts';

type Short = z.input<typeof ShortPrivateUser>;
type People = ReadonlyMap<number, Short>;

const amountOr = (amount: bigint | null): string | null => (amount === null ? null : formatUnits(amount));
const isoOr = (at: Date | null): string | null => at && iso(at);
/** Hundredths as a number. */
const decimalOf = (hundredths: number): number => hundredths / 100;
const decimalOr = (hundredths: number | null): number | null =>
  hundredths === null ? null : decimalOf(hundredths);

/** What players see of a promotion that they may have. */
export const toOffer = (promo: PromoRow, claimed: boolean, slugsOf: SlugsOf): z.input<typeof PromoOffer> => ({
  id: String(promo.id),
  name: promo.name,
  description: promo.description,
  type: promo.type,
  amount: amountOr(promo.amount),
  percent: decimalOr(promo.percent_bp),
  maxAmount: amountOr(promo.max_amount),
  currencyId: promo.currency_id,
  wagerMultiplier: decimalOf(promo.wager_multiplier_e2),
  wagerBase: promo.wager_base,
  maxBetUsd: amountOr(promo.max_bet_usd),
  validityHours: promo.validity_hours,
  minDepositUsd: promo.conditions.minDepositUsd ?? null,
  startAt: isoOr(promo.start_at),
  endAt: isoOr(promo.end_at),
  claimed,
  games: [...slugsOf(promo.games as GameTerms)],
  maxWithdrawalMultiplier: decimalOr(promo.max_withdrawal_multiplier_e2),
});

type Shown = z.input<typeof PromoAdmin>;

/** `people`: who has created promotions, among others. */
export function toPromoAdmin(promo: PromoRow, people: People): Shown {
  const { conditions, ...terms } = toTerms(promo, promo.conditions);
  return {
    ...(terms as Omit<Shown, 'id'>),
    id: String(promo.id),
    name: promo.name,
    description: promo.description,
    type: promo.type,
    status: promo.status,
    conditions: conditions as Shown['conditions'],
    games: promo.games as Shown['games'],
    createdBy: people.get(promo.created_by ?? 0) ?? null,
    createdAt: iso(promo.created_at),
    updatedAt: iso(promo.updated_at),
  };
}

export const toCodeRow = (code: CodeRow): z.input<typeof PromoCodePage>['data'][number] => ({
  code: code.code,
  kind: code.kind as 'UNIVERSAL' | 'ONE_TIME',
  maxUses: code.max_uses,
  uses: code.uses,
  createdAt: iso(code.created_at),
  lastUsedAt: isoOr(code.last_used_at),
});

/** Ends in which bonus money was taken from the player. */
const TAKEN: readonly string[] = ['FORFEITED', 'EXPIRED', 'CANCELLED'];

/** `forfeited`: what a forfeit would take, where one is asked about. */
export function toGrant(grant: GrantRow, slugsOf: SlugsOf, forfeited?: bigint): z.input<typeof PromoGrant> {
  // A rollback may take more than was counted.
  const wagerDone = grant.wager_done > 0n ? grant.wager_done : 0n;
  const taken = forfeited ?? (TAKEN.includes(grant.status) ? grant.forfeited : null);
  return {
    id: String(grant.id),
    promoId: String(grant.promo_id),
    name: grant.name,
    type: grant.type as PromoType,
    status: grant.status as GrantStatus,
    currencyId: grant.currency_id,
    grantedAmount: formatUnits(grant.granted_amount),
    bonusBalance: formatUnits(grant.bonus_balance),
    wagerRequired: formatUnits(grant.wager_required),
    wagerDone: formatUnits(wagerDone),
    progressPercent: percentOf(grant),
    maxBetUsd: amountOr(grant.max_bet_usd),
    games: [...slugsOf(grant.games as GameTerms)],
    forfeitedAmount: amountOr(taken),
    createdAt: iso(grant.created_at),
    activatedAt: isoOr(grant.activated_at),
    expiresAt: isoOr(grant.expires_at),
    closeReason: grant.close_reason,
  };
}

export const toGrantAdmin = (
  grant: GrantRow,
  slugsOf: SlugsOf,
  people: People,
): z.input<typeof PromoGrantAdmin> => ({
  ...toGrant(grant, slugsOf),
  userId: grant.user_id,
  user: people.get(grant.user_id)!,
  source: grant.source as z.input<typeof PromoGrantAdmin>['source'],
  code: grant.code,
  grantedBy: people.get(grant.granted_by ?? 0) ?? null,
});

type Game = { slug: string; providerId: number; categories: readonly string[] };
export type SlugsOf = (games: GameTerms) => readonly string[];

/** Which games lists come to in the catalogue of now; none where they name none. */
export function createSlugsOf(known: () => { games: readonly Game[] }): SlugsOf {
  const kept = derived(
    () => [known().games],
    (_) => ({ slugs: new Map<string, readonly string[]>() }),
  );
  return (lists) => {
    if (!hasLists(lists)) return [];
    const { slugs } = kept();
    const key = JSON.stringify([lists.gameSlugs, lists.providerIds, lists.categories]);
    const found =
      slugs.get(key) ?? known().games.flatMap((game) => (isListed(lists, game) ? [game.slug] : []));
    if (slugs.size < MOST_KEPT) slugs.set(key, found);
    return found;
  };
}
const MOST_KEPT = 200;
