import { createConcurrencyLimit } from '../../../platform/concurrency-limit.ts';
import type { Config } from '../../../platform/config.ts';
import { deriveKey } from '../../../platform/encryption.ts';

export type Passwords = ReturnType<typeof createPasswords>;

type Limits = Pick<Config, 'PASSWORD_HASHES_AT_ONCE' | 'PASSWORD_HASH_QUEUE' | 'DATA_SECRET'>;

/** argon2id, 19 MiB, t = 2, p = 1 (OWASP's first choice); the library's default algorithm is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Hashing with a concurrency limit: each hash takes 19 MiB and a core, and a burst of sign-ins must not starve bets. Beyond the queue:
 * 503 with Retry-After. A pepper derived from DATA_SECRET goes into every hash, so that passwords cannot be guessed from a copy of the
 * database alone. `onHash` counts.
 */
export function createPasswords(config: Limits, onHash: () => void) {
  const options = { ...COST, secret: deriveKey(config.DATA_SECRET, 'password pepper') };
  const limited = createConcurrencyLimit({
    concurrency: config.PASSWORD_HASHES_AT_ONCE,
    queue: config.PASSWORD_HASH_QUEUE,
  });
  const turn = <T>(work: () => Promise<T>): Promise<T> =>
    limited(() => {
      onHash();
      return work();
    });
  /** Nobody's password, hashed with the first one that is verified: at the start it would cost as much as loading fifty files. */
  let nobody: Promise<string> | undefined;
  return {
    hash: (password: string) =>
      turn(async () => {
        const { hash } = await import('@node-rs/argon2');
        return hash(normalized(password), options);
      }),
    /** Takes the same time when there is no hash to compare with, so that timing does not tell who exists. */
    verify: (password: string, stored: string | null | undefined) =>
      turn(async () => {
        const { hash, verify } = await import('@node-rs/argon2');
        nobody ??= hash('nobody has this password', options);
        const spare = await nobody;
        return (await verify(stored ?? spare, normalized(password), options)) && stored != null;
      }),
  };
}

/** Keyboards encode one text in several ways (é as one character or as two): one form is hashed. */
export const normalized = (password: string) => password.normalize('NFKC');
