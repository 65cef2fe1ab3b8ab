import { z } from 'zod';
import { Timestamp } from '../../../http/schemas.ts';

const UserId = z.number().int().min(1).max(2_147_483_647);

export const ApiKeyOwner = z.strictObject({ userId: UserId });
export const ApiKeyPath = z.object({ userId: UserId });

/** `key` is whole in the answer that makes it; from then on its beginning stands for it. */
export const ApiKey = z
  .object({
    id: z.string(),
    key: z.string().meta({ example: 'ck_Xy4P…' }),
    userId: z.number().int(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'ApiKey' });
