import { z } from 'zod';
import { event, internalEvent } from '../../base/events/schemas.ts';
import { messages } from './messages.ts';

export const declares = {
  about:
    'sign-up, sign-in, sessions, captcha, passwords, second factor, passkeys, email address, identity providers, limits on guessing',
  tags: {
    Authorization: 'Sign-up, sign-in, refresh, identity providers and the second factor.',
    Passkeys: 'Passkeys, as a second factor and for signing in without a password.',
    Session: 'The sessions of an account, and signing out.',
  },
  events: {
    'session.revoked': event(
      'user',
      'A session of the player has ended. Its own sockets receive the event once, with the reason, and are closed. Other sockets of the player receive the session id.',
      z.strictObject({ sessionId: z.string().nullable(), reason: z.string() }),
    ),
    'user.registered': internalEvent(
      'An account was opened: with an email address, through an identity provider (`by` is its segment), or for development.',
      z.strictObject({ by: z.string(), country: z.string().nullable() }),
    ),
    'session.used': internalEvent(
      'A player has signed in or used a refresh token. There is at most one event per minute. Device and country are those of the sign-in.',
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
