import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { messageOf } from '../../../platform/errors.ts';
import { createOutbound } from '../../../platform/outbound.ts';
import type { AuthDeps } from './deps.ts';

export type BreachedPasswords = (password: string) => Promise<boolean>;

const TIMEOUT_MS = 1000;
/** Of how many prefixes the answer is remembered, and how long: each has some 40 KB. */
const RANGES = 50;
const RANGE_MS = 600_000;

/** Hashes that begin as asked, without that beginning, and how often each was seen: never where it only pads the answer. */
const RANGE = /^(?:[0-9A-F]{35}:\d{1,10}(?:\r?\n|$))+$/;

/**
 * Whether a password is known from breaches, where BREACHED_PASSWORDS_URL is set. By k-anonymity: the first 20 bits of its SHA-1 leave, which a
 * thousand known passwords share, and the answer is padded, so that its length tells nothing either. A service that does not answer within a
 * second keeps nobody from setting a password.
 */
export function createBreachedPasswords({
  config,
  log,
  metrics,
}: Pick<AuthDeps, 'config' | 'log' | 'metrics'>): BreachedPasswords {
  const baseUrl = config.BREACHED_PASSWORDS_URL;
  if (baseUrl === undefined) return async () => false;
  const service = createOutbound({ name: 'breached-passwords', baseUrl, log, timeoutMs: TIMEOUT_MS });
  const ranges = new LRUCache<string, string>({ max: RANGES, ttl: RANGE_MS });
  const rangeOf = async (prefix: string): Promise<string> => {
    const remembered = ranges.get(prefix);
    if (remembered !== undefined) return remembered;
    const { status, text } = await service.ask({
      method: 'GET',
      path: `/range/${prefix}`,
      headers: { accept: 'text/plain', 'add-padding': 'true' },
    });
    if (status !== 200 || !RANGE.test(text)) throw new Error(`answered ${status}, and not as agreed`);
    ranges.set(prefix, text);
    return text;
  };
  return async (password) => {
    const hash = createHash('sha1').update(password).digest('hex').toUpperCase();
    try {
      const isBreached = timesIn(await rangeOf(hash.slice(0, 5)), hash.slice(5)) > 0;
      metrics.breachedPasswordChecks.inc({ outcome: isBreached ? 'breached' : 'unknown' });
      return isBreached;
    } catch (error) {
      metrics.breachedPasswordChecks.inc({ outcome: 'unavailable' });
      log.warn({ reason: messageOf(error) }, 'a password could not be looked up among breached ones');
      return false;
    }
  };
}

/** How often a hash stands in a range. */
function timesIn(range: string, suffix: string): number {
  const line = range.split('\n').find((one) => one.startsWith(`${suffix}:`));
  return line === undefined ? 0 : Number(line.slice(suffix.length + 1));
}
