import type { LimitClass } from './route.ts';

/** Adds hits of many keys to the shared store and answers the totals of all processes. */
export type HitStore = (hits: readonly { key: string; window: number; hits: number }[]) => Promise<number[]>;

export type RateLimiter = {
  /** Counts one request. Returns 0 when it may pass, else the seconds until it may. Never waits. */
  hit(limit: LimitClass, key: string): number;
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
export function createRateLimiter(
  limits: Record<LimitClass, number>,
  store: HitStore,
  now = Date.now,
): RateLimiter {
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
      });
  };
  const timer = setInterval(share, SYNC_MS);
  timer.unref();
  return {
    hit(limit, key) {
      const allowed = limits[limit];
      if (allowed === 0) return 0;
      const current = Math.floor(now() / WINDOW_MS);
      if (current !== window) {
        buckets.clear();
        window = current;
      }
      const name = `${limit}:${key}`;
      let bucket = buckets.get(name);
      if (!bucket) {
        bucket = { window, total: 0, unsent: 0 };
        buckets.set(name, bucket);
      }
      if (bucket.total >= allowed) return Math.ceil(((window + 1) * WINDOW_MS - now()) / 1000);
      bucket.total++;
      bucket.unsent++;
      if (bucket.unsent >= allowed * UNSHARED) share();
      return 0;
    },
    close: () => clearInterval(timer),
  };
}

/** Whose requests count together: an IPv4 address, in IPv6 the /64 network, of which one customer has all addresses. */
export function sourceOf(ip: string): string {
  if (!ip.includes(':')) return ip;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped) return mapped;
  const [head = '', tail = ''] = ip.toLowerCase().split('::');
  const groups = (text: string) => text.split(':').filter(Boolean);
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0');
  const all = [...groups(head), ...zeros, ...groups(tail)].map((group) => group.replace(/^0+(?=.)/, ''));
  return `${all.slice(0, 4).join(':')}::/64`;
}
