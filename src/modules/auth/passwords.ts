import { hash, verify } from '@node-rs/argon2';
import { commonErrors } from '../../platform/errors.ts';

export type Passwords = ReturnType<typeof createPasswords>;

/** argon2id, 19 MiB, t = 2, p = 1 (OWASP's first choice); the library's default algorithm is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Hashing with a bound on how many run at once: each takes 19 MiB and a core, and a burst of sign-ins must not
 * starve bets. Beyond the queue: 503 with Retry-After.
 */
export function createPasswords({ atOnce, queue }: { atOnce: number; queue: number }) {
  let running = 0;
  const waiting: (() => void)[] = [];
  const turn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (waiting.length >= queue) throw commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: 2 });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
  const nobody = hash('nobody has this password', COST);
  return {
    hash: (password: string) => turn(() => hash(password, COST)),
    /** Takes the same time when there is no hash to compare with, so that timing does not tell who exists. */
    verify: (password: string, stored: string | null | undefined) =>
      turn(async () => (await verify(stored ?? (await nobody), password)) && stored != null),
  };
}
