import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';
import { UserId } from '../../base/users/schemas.ts';

export const ApiKeyOwner = z.strictObject({ userId: UserId });
export const ApiKeyPath = z.object({ userId: UserId });

/** `key` is complete in the response that creates it; afterwards only its beginning is shown. */
export const ApiKey = object('ApiKey', {
  id: z.string(),
  key: z.string().meta({ example: 'ck_Xy4P…' }),
  userId: z.number().int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
