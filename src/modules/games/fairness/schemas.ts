import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';

export const ClientSeedOrigin = z.enum(['PLAYER', 'SERVER']).meta({
  description:
    'SERVER: the server drew the client seed, or its origin was not recorded, so the player has contributed no randomness.',
});

export const FairnessSeeds = object('FairnessSeeds', {
  serverSeedHash: z.string(),
  nextServerSeedHash: z.string(),
  clientSeed: z.string(),
  clientSeedOrigin: ClientSeedOrigin,
  nonce: z.number().int(),
  createdAt: Timestamp,
  openRounds: z.array(z.string()),
});

export const RevealedSeedPair = object('RevealedSeedPair', {
  serverSeed: z.string(),
  serverSeedHash: z.string(),
  clientSeed: z.string(),
  clientSeedOrigin: ClientSeedOrigin,
  lastNonce: z.number().int(),
  rotatedAt: Timestamp,
});
