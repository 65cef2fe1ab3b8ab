import { z } from 'zod';
import { event } from '../../base/events/schemas.ts';
import { messages } from './messages.ts';

export const declares = {
  about:
    'sign-up, sign-in, sessions, captcha, passwords, second factor, identity providers, limits on guessing',
  tags: {
    Authorization: 'Signing up and in, refresh, identity providers, second factor, forgotten passwords.',
    Session: 'Where an account is signed in, and signing out.',
  },
  events: {
    'session.revoked': event(
      'user',
      'A session of the player has ended. Its own sockets hear it once, with the reason, and are cut; the others of the player hear which one it was.',
      z.strictObject({ sessionId: z.string().nullable(), reason: z.string() }),
    ),
  },
  messages,
} as const;
