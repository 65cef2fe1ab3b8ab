import type { LimitClass } from './route.ts';

/** Adds hits of many keys to the shared store and answers the totals of all processes. */
export type HitStore = (hits: readonly { key: string; window: number; hits: number }[]) => Promise<number[]>;

export type RateLimiter<Class extends string = LimitClass> = {
  /** Counts one request. Returns 0 when it may pass, else the seconds until it may. Never waits. */
  hit(limit: Class, key: string): number;
  /** Counts so much more, whatever is left. */
  add(limit: Class, key: string, amount: number): void;
  /** What `hit` would answer, counting nothing. */
  peek(limit: Class, key: string): number;
  close(): void;
};

type Bucket = { window: number; total: number; unsent: number };

const WINDOW_MS = 60_000;
const SYNC_MS = 250;
/** So much of a limit may be counted here before the others hear of it: a burst must not pass once per process. */
const UNSHARED = 0.02;

/**
 * Fixed windows of one minute, counted in memory and shared between processes by adding what is new to the store four
 * times a second, sooner in a burst: a hot path never waits for a limiter, and the shared count lags by at most that
 * moment. If the store fails, the local count goes on limiting and is shared once it works again.
 */
export function createRateLimiter<Class extends string>(
  limits: Record<Class, number>,
  store: HitStore,
  now = Date.now,
): RateLimiter<Class> {
  const buckets = new Map<string, Bucket>();
  let window = 0;
  const sync = async () => {
    const sent = [...buckets]
      .filter(([, b]) => b.unsent > 0)
      .map(([key, b]) => ({ key, bucket: b, hits: b.unsent }));
    if (sent.length === 0) return;
    for (const { bucket, hits } of sent) bucket.unsent -= hits;
    const news = sent.map(({ key, bucket, hits }) => ({ key, window: bucket.window, hits }));
    const totals = await store(news).catch((error: unknown) => {
      for (const { bucket, hits } of sent) bucket.unsent += hits;
      throw error;
    });
    sent.forEach(({ bucket }, i) => {
      bucket.total = Math.max(bucket.total, (totals[i] ?? 0) + bucket.unsent);
    });
  };
  let sharing = false;
  /** One at a time: what is counted meanwhile goes with the next. */
  const share = () => {
    if (sharing) return;
    sharing = true;
    void sync()
      .catch(() => undefined)
      .finally(() => {
        sharing = false;
        // What came meanwhile, or could not be shared.
        if ([...buckets.values()].some(({ unsent }) => unsent > 0)) shareSoon();
      });
  };
  let timer: NodeJS.Timeout | undefined;
  /** Nothing is shared while nothing is counted. */
  const shareSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      share();
    }, SYNC_MS).unref();
  };
  const turn = () => {
    const current = Math.floor(now() / WINDOW_MS);
    if (current === window) return;
    buckets.clear();
    window = current;
  };
  const waitSeconds = () => Math.ceil(((window + 1) * WINDOW_MS - now()) / 1000);
  const bucketOf = (limit: Class, key: string): Bucket => {
    turn();
    const name = `${limit}:${key}`;
    let bucket = buckets.get(name);
    if (!bucket) {
      bucket = { window, total: 0, unsent: 0 };
      buckets.set(name, bucket);
    }
    return bucket;
  };
  const count = (limit: Class, bucket: Bucket, amount: number) => {
    bucket.total += amount;
    bucket.unsent += amount;
    shareSoon();
    if (bucket.unsent >= limits[limit] * UNSHARED) share();
  };
  return {
    hit(limit, key) {
      if (limits[limit] === 0) return 0;
      const bucket = bucketOf(limit, key);
      if (bucket.total >= limits[limit]) return waitSeconds();
      count(limit, bucket, 1);
      return 0;
    },
    add(limit, key, amount) {
      if (limits[limit] > 0 && amount > 0) count(limit, bucketOf(limit, key), amount);
    },
    peek(limit, key) {
      const allowed = limits[limit];
      if (allowed === 0) return 0;
      turn();
      const total = buckets.get(`${limit}:${key}`)?.total ?? 0;
      return total >= allowed ? waitSeconds() : 0;
    },
    close: () => clearTimeout(timer),
  };
}
