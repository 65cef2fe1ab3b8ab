import { z } from 'zod';
import { object, PageNumber, Timestamp, take } from '../../../http/schemas.ts';
import { ShortPrivateUser, UserId } from '../users/schemas.ts';
import { RESPONSE_CLASSES, type ResponseClass } from './rules.ts';

const CLASSES = Object.keys(RESPONSE_CLASSES) as [ResponseClass, ...ResponseClass[]];

export const AuditQuery = z.strictObject({
  // Several come as a repeated parameter or in one text with commas; none is no filter.
  reqType: z
    .array(z.string().max(100).meta({ enum: CLASSES }))
    .max(10)
    .transform((texts) => [...new Set(texts.flatMap((text) => text.split(',')).filter(Boolean))])
    .pipe(z.array(z.enum(CLASSES)))
    .optional(),
  userId: UserId.optional(),
  page: PageNumber,
  take: take(20),
});

const OpenObject = z.record(z.string(), z.unknown());

export const AdminLog = object('AdminLog', {
  id: z.string(),
  userId: z.number().int(),
  user: ShortPrivateUser,
  method: z.string(),
  path: z.string(),
  service: z.string(),
  permission: z.string(),
  statusCode: z.number().int(),
  reason: z.string().nullable(),
  requestBody: OpenObject.nullable(),
  before: OpenObject.nullable(),
  after: OpenObject.nullable(),
  ip: z.string().nullable(),
  requestId: z.string(),
  createdAt: Timestamp,
});
