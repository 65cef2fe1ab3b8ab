import type { Config } from '../../../../platform/config/config.ts';
import { createConcurrencyLimit } from '../../../../platform/limits/concurrency-limit.ts';
import { deriveKeys } from '../../../../platform/secrets/encryption.ts';

export type Passwords = ReturnType<typeof createPasswords>;

type Limits = Pick<Config, 'PASSWORD_HASHES_AT_ONCE' | 'PASSWORD_HASH_QUEUE' | 'DATA_SECRET'> &
  Partial<Pick<Config, 'DATA_SECRET_PREVIOUS'>>;

/** argon2id with 19 MiB, t = 2, p = 1 (OWASP's first choice). argon2id is the library's default algorithm. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Hashes passwords with a concurrency limit, because each hash takes 19 MiB and a core, and a burst of sign-ins must not slow down bets. If
 * the queue is full, the request is rejected with 503 and Retry-After. Every hash includes a pepper derived from DATA_SECRET, so that
 * passwords cannot be guessed from a copy of the database alone. `onHash` is called for each hash.
 */
export function createPasswords(config: Limits, onHash: () => void) {
  const secret = { current: config.DATA_SECRET, previous: config.DATA_SECRET_PREVIOUS };
  const [options, earlier] = deriveKeys(secret, 'password pepper').map((pepper) => ({
    ...COST,
    secret: pepper,
  }));
  const limited = createConcurrencyLimit({
    concurrency: config.PASSWORD_HASHES_AT_ONCE,
    queue: config.PASSWORD_HASH_QUEUE,
  });
  const counted = <T>(work: () => Promise<T>): Promise<T> =>
    limited(() => {
      onHash();
      return work();
    });
  /** The hash of a password that no user has. It is computed on first use, to keep startup fast. */
  let spareHash: Promise<string> | undefined;
  return {
    hash: (password: string) =>
      counted(async () => {
        const { hash } = await import('@node-rs/argon2');
        return hash(normalized(password), options);
      }),
    /** Verification takes the same time if there is no stored hash, so that timing does not reveal whether an account exists. */
    verify: (password: string, stored: string | null | undefined) =>
      counted(async () => {
        const { hash, verify } = await import('@node-rs/argon2');
        spareHash ??= hash('nobody has this password', options);
        const spare = await spareHash;
        const text = normalized(password);
        if (await verify(stored ?? spare, text, options)) return stored != null;
        return earlier !== undefined && (await verify(stored ?? spare, text, earlier)) && stored != null;
      }),
    /**
     * Returns true if a verified password is still hashed with the previous DATA_SECRET. Always returns false unless the secret is being
     * rotated.
     */
    isEarlier: async (password: string, stored: string): Promise<boolean> => {
      if (earlier === undefined) return false;
      return counted(async () => {
        const { verify } = await import('@node-rs/argon2');
        return verify(stored, normalized(password), earlier);
      });
    },
  };
}

/** Keyboards encode the same text differently (é as one or two code points), so the normalized form is hashed. */
export const normalized = (password: string) => password.normalize('NFKC');
