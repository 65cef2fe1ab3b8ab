import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';
import { ShortPrivateUser, UserId } from '../users/schemas.ts';

export const RegistrationInfo = object('RegistrationInfo', {
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
});

export const RegistrationPath = z.object({ userId: UserId });
