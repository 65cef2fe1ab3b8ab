import type { AppError } from '../../../platform/errors.ts';
import type { Units } from '../../../platform/money.ts';
import { promoErrors } from './declares.ts';

export const PROMO_TYPES = ['WELCOME', 'DEPOSIT', 'CODE', 'MANUAL'] as const;
export const STATUSES = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const;
export const KINDS = ['CASH', 'BONUS', 'FREE_SPINS', 'FREE_BET'] as const;
export const WAGER_BASES = ['BONUS', 'DEPOSIT_AND_BONUS'] as const;
export type PromoType = (typeof PROMO_TYPES)[number];
export type Status = (typeof STATUSES)[number];
export type Kind = (typeof KINDS)[number];
export type WagerBase = (typeof WAGER_BASES)[number];

/** Promotions with lower ids belong to the platform, which grants them automatically. Staff cannot change their terms. */
export const FIRST_OF_STAFF = 1000n;

const NEXT: Readonly<Record<Status, readonly Status[]>> = {
  DRAFT: ['ACTIVE'],
  ACTIVE: ['PAUSED'],
  PAUSED: ['ACTIVE', 'ARCHIVED'],
  ARCHIVED: [],
};

export const canTransition = (from: Status, to: Status): boolean => NEXT[from].includes(to);

type Period = { startAt: Date | null; endAt: Date | null };

export const isInTime = ({ startAt, endAt }: Period, at: Date): boolean =>
  (startAt === null || at >= startAt) && (endAt === null || at < endAt);

/** Returns true if players can see and take up the promotion without a code. */
export const isOffered = (type: PromoType): boolean => type === 'WELCOME' || type === 'DEPOSIT';

/** Returns why no one can redeem a promotion now, by code or by id, or undefined. */
export function refusalOfPromo(
  promo: Period & { type: PromoType; status: Status },
  { isByCode, at }: { isByCode: boolean; at: Date },
): AppError | undefined {
  const { type, status } = promo;
  const isRedeemable = isOffered(type) || (type === 'CODE' && isByCode);
  if (!isRedeemable || status === 'DRAFT' || status === 'PAUSED') return promoErrors.PROMO_NOT_FOUND();
  return status === 'ARCHIVED' || !isInTime(promo, at) ? promoErrors.PROMO_EXPIRED() : undefined;
}

/** Returns the lower of two limits, never below zero; null if there is none. */
export function leastOf(a: Units | null, b: Units | null): Units | null {
  if (a === null && b === null) return null;
  const least = a === null ? b! : b === null || a < b ? a : b;
  return least < 0n ? 0n : least;
}

/** Returns true if players cannot take it up until staff creates a code or grants it by hand. */
export const startsWithoutCost = (type: PromoType): boolean => type === 'MANUAL' || type === 'CODE';

/** Sources for grants by staff, whose cost counts when the grant is made. */
export const isByHand = (source: string): boolean => source === 'ADMIN' || source === 'VIP';

/** Idempotency key of a grant: one per player for offers and codes, one per player and request for staff. */
export const sourceKeyOf = (promoId: bigint, userId: number, request?: string): string =>
  request === undefined ? `${promoId}:${userId}` : `${promoId}:admin:${request}:${userId}`;
