import { invalidField } from '../../../platform/errors.ts';
import { vipApplicationErrors } from './errors.ts';

export const STATUSES = ['NEW', 'IN_REVIEW', 'APPROVED', 'REJECTED', 'CANCELLED'] as const;
export type Status = (typeof STATUSES)[number];
export const CONTACT_METHODS = ['EMAIL', 'TELEGRAM', 'DISCORD', 'WHATSAPP', 'OTHER'] as const;

export const MAX_IMAGES = 5;
/** Images are kept for this number of days after the decision. */
export const IMAGES_KEEP_DAYS = 180;

export const isOpen = (status: Status): boolean => status === 'NEW' || status === 'IN_REVIEW';

/** Throws 409 VIP_APPLICATION_NOT_NEW or VIP_APPLICATION_IMAGES_FULL if an application accepts no more images. */
export function assertAcceptsImage({ status, images }: { status: Status; images: number }): void {
  if (status !== 'NEW') throw vipApplicationErrors.VIP_APPLICATION_NOT_NEW({ status });
  if (images >= MAX_IMAGES) throw vipApplicationErrors.VIP_APPLICATION_IMAGES_FULL({ most: MAX_IMAGES });
}

/**
 * Returns the level that an approval grants. The level must not be below the player's own level, nor above the highest level unless the
 * player already has it. Throws 400 VIP_LEVEL_REQUIRED or VALIDATION_FAILED.
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
