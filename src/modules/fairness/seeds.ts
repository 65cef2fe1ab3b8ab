import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { hashServerSeed } from './rules.ts';

/** A new server seed: 32 random bytes as 64 hex characters, its commitment, and its form at rest. */
export type NewSeed = { serverSeed: string; hash: string; sealed: Buffer };
export type SeedVault = ReturnType<typeof createSeedVault>;

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Server seeds are encrypted at rest (AES-256-GCM) until they are revealed, so that a copy of the database predicts nothing. */
export function createSeedVault(secret: string) {
  const key = Buffer.from(hkdfSync('sha256', secret, 'croupier', 'server seeds', 32));
  const seal = (serverSeed: string): Buffer => {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    const body = Buffer.concat([cipher.update(serverSeed, 'hex'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]);
  };
  return {
    draw(): NewSeed {
      const serverSeed = randomBytes(32).toString('hex');
      return { serverSeed, hash: hashServerSeed(serverSeed), sealed: seal(serverSeed) };
    },
    /** Throws when SEED_SECRET is not the one that sealed it. */
    open(sealed: Buffer): string {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES));
      decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return Buffer.concat([
        decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)),
        decipher.final(),
      ]).toString('hex');
    },
  };
}
