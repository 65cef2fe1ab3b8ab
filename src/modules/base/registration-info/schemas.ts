import { z } from 'zod';
import { Timestamp } from '../../../http/schemas.ts';
import { ShortPrivateUser, UserId } from '../users/schemas.ts';

export const RegistrationInfo = z
  .object({
    type: z.string().meta({ description: 'EMAIL, or the segment of an identity provider' }),
    ipAddress: z.string().nullable(),
    createdAt: Timestamp,
    userId: z.number().int(),
    device: z.string().nullable(),
    countryCode: z.string(),
    language: z.string(),
    browser: z.string().nullable(),
    os: z.string().nullable(),
    deviceType: z.string().nullable(),
    userAgent: z.string().nullable(),
    referrer: z.string(),
    user: ShortPrivateUser,
  })
  .meta({ id: 'RegistrationInfo' });

export const RegistrationPath = z.object({ userId: UserId });
