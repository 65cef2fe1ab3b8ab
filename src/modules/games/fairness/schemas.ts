import { z } from 'zod';
import { object, PageNumber, SortOrder, Timestamp, take } from '../../../http/schemas.ts';
import { isClientSeed } from './rules.ts';

export const FairnessSeeds = object('FairnessSeeds', {
  serverSeedHash: z.string(),
  nextServerSeedHash: z.string(),
  clientSeed: z.string(),
  nonce: z.number().int(),
  createdAt: Timestamp,
  openRounds: z.array(z.string()),
});

export const RevealedSeedPair = object('RevealedSeedPair', {
  serverSeed: z.string(),
  serverSeedHash: z.string(),
  clientSeed: z.string(),
  lastNonce: z.number().int(),
  rotatedAt: Timestamp,
});

export const Rotate = z.strictObject({
  clientSeed: z.string().max(64).refine(isClientSeed, 'needs 1 to 64 printable characters').optional(),
});

export const Rotated = z.object({ revealed: RevealedSeedPair, active: FairnessSeeds });

export const HistoryQuery = z.strictObject({
  serverSeedHash: z.string().max(64).optional(),
  sortBy: z.enum(['rotatedAt']).default('rotatedAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(20),
});
