import { z } from 'zod';
import { event } from '../../base/events/schemas.ts';
import { messages } from './messages.ts';
import { KycTierName, PlayerStatus } from './schemas.ts';

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
        tier: KycTierName,
        status: PlayerStatus,
        level: z.number().int().min(0).meta({ description: 'Tiers that are approved, in their order.' }),
      }),
    ),
  },
  messages,
} as const;
