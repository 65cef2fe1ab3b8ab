import { z } from 'zod';
import { event } from '../../base/events/schemas.ts';
import { messages } from './messages.ts';

const Level = z.number().int().min(0);

export const declares = {
  about: 'proofs of identity, in four tiers',
  tags: {
    KYC: 'Proof of identity in four tiers.',
    'KYC Admin': 'Decisions on proofs of identity.',
  },
  permissions: {
    'kyc.read': 'See what users have shown of their identity',
    'kyc.approve': 'Decide about proofs of identity',
  },
  events: {
    'kyc.status': event(
      'user',
      'A proof of identity changed its state.',
      z.strictObject({
        tier: z.enum(['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS']),
        status: z.enum(['NONE', 'PENDING', 'ON_HOLD', 'APPROVED', 'REJECTED', 'RESUBMIT', 'EXPIRED']),
        level: Level.meta({ description: 'Tiers that are approved, in their order.' }),
      }),
    ),
  },
  messages,
} as const;
