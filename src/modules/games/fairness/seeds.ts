import { randomBytes } from 'node:crypto';
import { createEncryption } from '../../../platform/encryption.ts';
import { hashServerSeed } from './hash.ts';

/** A new server seed: 32 random bytes as 64 hex characters, its commitment, and its form at rest. */
export type NewSeed = { serverSeed: string; hash: string; sealed: Buffer };
export type SeedEncryption = ReturnType<typeof createSeedEncryption>;

/** Server seeds are encrypted at rest until they are revealed, so that a copy of the database predicts nothing. */
export function createSeedEncryption(secret: string) {
  const encryption = createEncryption(secret, 'server seeds');
  return {
    draw(): NewSeed {
      const seed = randomBytes(32);
      const serverSeed = seed.toString('hex');
      return { serverSeed, hash: hashServerSeed(serverSeed), sealed: encryption.seal(seed) };
    },
    /** Throws when SEED_SECRET is not the one that sealed it. */
    open: (sealed: Buffer): string => encryption.open(sealed).toString('hex'),
  };
}
