import type { AppError } from '../../../platform/errors.ts';
import { promoErrors } from './errors.ts';

export const PROMO_TYPES = ['WELCOME', 'DEPOSIT', 'CODE', 'MANUAL'] as const;
export const STATUSES = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const;
export const KINDS = ['CASH', 'BONUS', 'FREE_SPINS', 'FREE_BET'] as const;
export const WAGER_BASES = ['BONUS', 'DEPOSIT_AND_BONUS'] as const;
export type PromoType = (typeof PROMO_TYPES)[number];
export type Status = (typeof STATUSES)[number];
export type Kind = (typeof KINDS)[number];
export type WagerBase = (typeof WAGER_BASES)[number];

/** Promotions with lower ids are the platform's own: it grants them by itself, on terms that are not staff's to change. */
export const FIRST_OF_STAFF = 1000n;

const NEXT: Readonly<Record<Status, readonly Status[]>> = {
  DRAFT: ['ACTIVE'],
  ACTIVE: ['PAUSED'],
  PAUSED: ['ACTIVE', 'ARCHIVED'],
  ARCHIVED: [],
};

export const canTransition = (from: Status, to: Status): boolean => NEXT[from].includes(to);

export type Period = { startAt: Date | null; endAt: Date | null };

export const isInTime = ({ startAt, endAt }: Period, at: Date): boolean =>
  (startAt === null || at >= startAt) && (endAt === null || at < endAt);

/** Whether players see it without having been told a code: in GET /promo, and by its id. */
export const isOffered = (type: PromoType): boolean => type === 'WELCOME' || type === 'DEPOSIT';

/** Why nobody can redeem it at a moment, by a code of it or by its id; undefined: they may try. */
export function refusalOfPromo(
  promo: Period & { type: PromoType; status: Status },
  { isByCode, at }: { isByCode: boolean; at: Date },
): AppError | undefined {
  const { type, status } = promo;
  const isKnown = isOffered(type) || (type === 'CODE' && isByCode);
  if (!isKnown || status === 'DRAFT' || status === 'PAUSED') return promoErrors.PROMO_NOT_FOUND();
  return status === 'ARCHIVED' || !isInTime(promo, at) ? promoErrors.PROMO_EXPIRED() : undefined;
}

/** What makes the grant of an offer or a code happen once for a player, and that of staff once for a request. */
export const sourceKeyOf = (promoId: bigint, userId: number, request?: string): string =>
  request === undefined ? `${promoId}:${userId}` : `${promoId}:admin:${request}:${userId}`;
