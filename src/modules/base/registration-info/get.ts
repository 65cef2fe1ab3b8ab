import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { errors } from '../../../platform/errors.ts';
import { ShortPrivateUser, UserId } from '../users/schemas.ts';
import { SHORT_USER_COLUMNS, sightOf, toShortPrivateUser } from '../users/service.ts';

const { REGISTRATION_INFO_NOT_FOUND } = errors({
  REGISTRATION_INFO_NOT_FOUND: [404, 'No registration details are stored for this user.'],
});

const RegistrationInfo = object('RegistrationInfo', {
  type: z.string().meta({ description: '`EMAIL`, or the path segment of an identity provider.' }),
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

export const getRegistrationInfo = operation({
  method: 'GET',
  path: '/admin/registration-info/{userId}',
  tag: 'Admin Registration Info',
  access: 'superadmin',
  summary: "Get the method and origin of a user's registration",
  params: z.object({ userId: UserId }),
  response: RegistrationInfo,
  errors: [REGISTRATION_INFO_NOT_FOUND],
  handler: async ({ db }: { db: Db }, { params: { userId }, by }) => {
    const row = await db
      .selectFrom('registration_info as r')
      .innerJoin('users', 'users.id', 'r.user_id')
      .selectAll('r')
      .select(SHORT_USER_COLUMNS)
      .where('r.user_id', '=', userId)
      .executeTakeFirst();
    if (!row) throw REGISTRATION_INFO_NOT_FOUND({ userId });
    return {
      type: row.type,
      ipAddress: row.ip_address,
      createdAt: iso(row.created_at),
      userId: row.user_id,
      device: row.device,
      countryCode: row.country_code ?? '',
      language: row.language ?? '',
      browser: row.browser,
      os: row.os,
      deviceType: row.device_type,
      userAgent: row.user_agent,
      referrer: row.referrer ?? '',
      user: toShortPrivateUser(row, sightOf(by.user)),
    };
  },
});
