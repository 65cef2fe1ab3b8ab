import { z } from 'zod';
import { internalEvent } from '../events/schemas.ts';

export const declares = {
  about: 'accounts, profiles, avatars, and how users appear to others',
  tags: {
    User: 'Profiles, settings and statistics. In the backoffice: users, staff, roles and permissions.',
  },
  events: {
    'user.updated': internalEvent(
      'The owner or staff changed an account. Read the account to see the change.',
      z.strictObject({}),
    ),
    'user.consents': internalEvent("A player's marketing consents have changed.", z.strictObject({})),
    'user.blocks': internalEvent(
      'A ban or self-exclusion of a player has started or ended.',
      z.strictObject({ block: z.enum(['BANNED', 'EXCLUDED']), isActive: z.boolean() }),
    ),
  },
} as const;
