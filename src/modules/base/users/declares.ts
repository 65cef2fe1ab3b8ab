import { z } from 'zod';
import { internalEvent } from '../events/schemas.ts';

export const declares = {
  about: 'accounts, profile, avatars, what others see of a user',
  tags: { User: 'Profiles, settings and statistics. In the backoffice: users, staff, roles and rights.' },
  events: {
    'user.updated': internalEvent(
      'Something of an account has changed that its owner or staff sets: who wants to know what asks for it.',
      z.strictObject({}),
    ),
    'user.consents': internalEvent(
      'A player may be told of offers by other ways than before.',
      z.strictObject({}),
    ),
    'user.blocks': internalEvent(
      'A player was banned or excluded from play, or is so no longer.',
      z.strictObject({ block: z.enum(['BANNED', 'EXCLUDED']), isActive: z.boolean() }),
    ),
  },
} as const;
