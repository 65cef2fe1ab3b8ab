import { invalidField } from '../../../platform/errors.ts';
import { vipApplicationErrors } from './errors.ts';

export const STATUSES = ['NEW', 'IN_REVIEW', 'APPROVED', 'REJECTED', 'CANCELLED'] as const;
export type Status = (typeof STATUSES)[number];
export const CONTACT_METHODS = ['EMAIL', 'TELEGRAM', 'DISCORD', 'WHATSAPP', 'OTHER'] as const;

export const MOST_IMAGES = 5;
/** Images of a decided application are kept so long. */
export const IMAGES_KEEP_DAYS = 180;

/** Whether somebody still has to decide. */
export const isOpen = (status: Status): boolean => status === 'NEW' || status === 'IN_REVIEW';

/** Throws 409 VIP_APPLICATION_NOT_NEW, VIP_APPLICATION_IMAGES_FULL. */
export function assertTakesImage({ status, images }: { status: Status; images: number }): void {
  if (status !== 'NEW') throw vipApplicationErrors.VIP_APPLICATION_NOT_NEW({ status });
  if (images >= MOST_IMAGES) throw vipApplicationErrors.VIP_APPLICATION_IMAGES_FULL({ most: MOST_IMAGES });
}

/**
 * The level that an approval grants: not below the player's own, nor above the ladder (unless it is their own). Throws 400
 * VIP_LEVEL_REQUIRED, VALIDATION_FAILED.
 */
export function assertGrantable(
  vipLevel: number | undefined,
  { ownLevel, topLevel }: { ownLevel: number; topLevel: number },
): number {
  if (vipLevel === undefined || vipLevel < ownLevel)
    throw vipApplicationErrors.VIP_LEVEL_REQUIRED({ level: ownLevel });
  if (vipLevel > Math.max(ownLevel, topLevel))
    throw invalidField('vipLevel', `is above the highest level, ${topLevel}`);
  return vipLevel;
}
