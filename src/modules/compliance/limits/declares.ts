import { z } from 'zod';
import { Moment } from '../../../http/schemas.ts';
import { event } from '../../base/events/schemas.ts';
import { messages } from './messages.ts';

export const declares = {
  about: 'gambling limits, time-outs, self-exclusion',
  tags: {
    'User Limits': 'Limits on deposits, stakes, losses and time; time-outs and self-exclusion.',
    'Admin User Limits': 'Limits and exclusions of players, which staff may tighten.',
  },
  permissions: {
    'limit.read': 'See gambling limits and exclusions',
    'limit.write': 'Lower gambling limits, exclude users and lift exclusions',
  },
  events: {
    'exclusion.started': event(
      'user',
      'The player is excluded from play: they leave the rooms of games. Null: for good.',
      z.strictObject({ expiresAt: Moment.nullable() }),
    ),
  },
  messages,
} as const;
