import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import type { ShortPrivateUser } from '../../base/users/schemas.ts';
import { type Sight, shortUsers } from '../../base/users/service.ts';
import { percentOf } from '../../money/bonus/grants/announce.ts';
import type { GameTerms, GrantStatus } from '../../money/bonus/rules.ts';
import type { GrantRow, PromoDeps, PromoRow, SlugsOf } from './queries.ts';
import type { PromoType } from './rules.ts';
import type { PromoAdmin, PromoGrant, PromoGrantAdmin } from './schemas.ts';
import { toTerms } from './terms/rules.ts';

type PromoView = z.input<typeof PromoAdmin>;
type Users = ReadonlyMap<number, z.input<typeof ShortPrivateUser>>;

export const amountOr = (amount: bigint | null): string | null =>
  amount === null ? null : formatUnits(amount);
export const isoOr = (at: Date | null): string | null => at && iso(at);
export const decimalOr = (hundredths: number | null): number | null =>
  hundredths === null ? null : hundredths / 100;

/** Converts a promotion to the view for staff. `users` must contain the creator. */
export function toPromoAdmin(promo: PromoRow, users: Users): PromoView {
  const { conditions, ...terms } = toTerms(promo, promo.conditions);
  return {
    ...(terms as Omit<PromoView, 'id'>),
    id: String(promo.id),
    name: promo.name,
    description: promo.description,
    type: promo.type,
    status: promo.status,
    conditions: conditions as PromoView['conditions'],
    games: promo.games as PromoView['games'],
    createdBy: users.get(promo.created_by ?? 0) ?? null,
    createdAt: iso(promo.created_at),
    updatedAt: iso(promo.updated_at),
  };
}

/** Statuses in which the player has lost the bonus money. */
const FORFEITED: readonly string[] = ['FORFEITED', 'EXPIRED', 'CANCELLED'];

/** Converts a grant to the view for its player. `forfeited`: for a preview, the amount that the player would forfeit. */
export function toGrant(grant: GrantRow, slugsOf: SlugsOf, forfeited?: bigint): z.input<typeof PromoGrant> {
  // The amount can be negative, because a rollback may subtract more than was added before.
  const wagerDone = grant.wager_done > 0n ? grant.wager_done : 0n;
  const lost = forfeited ?? (FORFEITED.includes(grant.status) ? grant.forfeited : null);
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
    forfeitedAmount: amountOr(lost),
    createdAt: iso(grant.created_at),
    activatedAt: isoOr(grant.activated_at),
    expiresAt: isoOr(grant.expires_at),
    closeReason: grant.close_reason,
  };
}

export async function toGrantsAdmin(
  { promo }: PromoDeps,
  db: DbOrTx,
  rows: readonly GrantRow[],
  sight: Sight,
): Promise<z.input<typeof PromoGrantAdmin>[]> {
  const userIds = rows.flatMap((row) => [row.user_id, row.granted_by]);
  const users = await shortUsers(db, userIds, sight);
  return rows.map((row) => ({
    ...toGrant(row, promo.slugsOf),
    userId: row.user_id,
    user: users.get(row.user_id)!,
    source: row.source as z.input<typeof PromoGrantAdmin>['source'],
    code: row.code,
    grantedBy: users.get(row.granted_by ?? 0) ?? null,
  }));
}
