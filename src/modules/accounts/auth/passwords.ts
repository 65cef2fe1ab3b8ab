import { createConcurrencyLimit } from '../../../platform/concurrency-limit.ts';
import { deriveKey } from '../../../platform/encryption.ts';

export type Passwords = ReturnType<typeof createPasswords>;

/** argon2id, 19 MiB, t = 2, p = 1 (OWASP's first choice); the library's default algorithm is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Hashing with a bound on how many run at once: each takes 19 MiB and a core, and a burst of sign-ins must not
 * starve bets. Beyond the queue: 503 with Retry-After. A pepper derived from `secret` goes into every hash: a copy of the
 * database alone is nothing to guess at.
 */
export function createPasswords({
  atOnce,
  queue,
  secret,
  onHash = () => undefined,
}: {
  atOnce: number;
  queue: number;
  secret: string;
  onHash?: () => void;
}) {
  const options = { ...COST, secret: deriveKey(secret, 'password pepper') };
  const inTurn = createConcurrencyLimit({ atOnce, queue });
  const turn = <T>(work: () => Promise<T>): Promise<T> =>
    inTurn(() => {
      onHash();
      return work();
    });
  /** Made with the first password that is verified, whosoever it is: a hash costs a start as much as loading fifty files. */
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

/** Keyboards spell one text in several ways (é as one character or as two): one spelling is hashed. */
export const normalized = (password: string) => password.normalize('NFKC');
