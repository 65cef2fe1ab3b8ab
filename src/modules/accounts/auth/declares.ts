import { z } from 'zod';
import { event, internalEvent } from '../../base/events/schemas.ts';
import { messages } from './messages.ts';

export const declares = {
  about:
    'sign-up, sign-in, sessions, captcha, passwords, second factor, passkeys, e-mail address, identity providers, limits on guessing',
  tags: {
    Authorization: 'Signing up and in, refresh, identity providers, second factor, forgotten passwords.',
    Passkeys: 'Passkeys: second factors, and sign-ins by themselves.',
    Session: 'Where an account is signed in, and signing out.',
  },
  events: {
    'session.revoked': event(
      'user',
      'A session of the player has ended. Its own sockets hear it once, with the reason, and are cut; the others of the player hear which one it was.',
      z.strictObject({ sessionId: z.string().nullable(), reason: z.string() }),
    ),
    'user.registered': internalEvent(
      'An account was opened: by e-mail, through an identity provider (its segment), or for development.',
      z.strictObject({ by: z.string(), country: z.string().nullable() }),
    ),
    'session.used': internalEvent(
      'A player has signed in, or come back with a refresh token: once a minute at most. Device and country are those of the sign-in.',
      z.strictObject({
        sessionId: z.string(),
        by: z.enum(['SIGN_IN', 'REFRESH']),
        signedInAt: z.iso.datetime(),
        usedAt: z.iso.datetime(),
        provider: z.string(),
        country: z.string().nullable(),
        device: z.string().nullable(),
        deviceType: z.string().nullable(),
        browser: z.string().nullable(),
        os: z.string().nullable(),
      }),
    ),
  },
  messages,
} as const;
