import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../../../platform/config/config.ts';
import { stepsIn } from '../../../../platform/config/guessable.ts';
import { commonErrors, messageOf } from '../../../../platform/errors.ts';
import { createOutbound } from '../../../../platform/net/outbound.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import type { Metrics } from '../../../../platform/observability/metrics.ts';
import { userErrors } from '../../../base/users/schemas.ts';
import { normalized } from './passwords.ts';

/** The password's owner and the site, whose names must not be part of the password. */
export type Owner = {
  brand?: string | undefined;
  username?: string | null | undefined;
  email?: string | null | undefined;
};

const SHORTEST = 8;
const LONGEST = 128;
/** The minimum length of the names that a password must not contain. Shorter names occur in too many good passwords. */
const NAME = 4;

type Deps = { config: Config; log: Log; metrics: Metrics };

export type PasswordPolicy = ReturnType<typeof createPasswordPolicy>;

/**
 * Asserts that a new password is strong (`assertPassword`) and not known from breaches. Throws 400 VALIDATION_FAILED for the body's
 * `field`, 400 PASSWORD_BREACHED.
 */
export function createPasswordPolicy(deps: Deps) {
  const isBreached = createBreachedPasswords(deps);
  return async (password: string, owner: Owner, field: string): Promise<void> => {
    await assertPassword(password, { ...owner, brand: deps.config.BRAND_NAME }, field);
    if (await isBreached(normalized(password))) throw userErrors.PASSWORD_BREACHED({ field });
  };
}

/**
 * Asserts that a new password is strong (ASVS 6.2). It must have 8 to 128 characters in the form that is hashed. It must not be a disguised
 * common password or a row of keyboard keys, and must not contain names of the owner or the site. There are no composition rules. Throws
 * VALIDATION_FAILED for the body's `field`.
 */
export async function assertPassword(password: string, owner: Owner, field: string): Promise<void> {
  const message = await weaknessOf(normalized(password), owner);
  if (message) throw commonErrors.VALIDATION_FAILED({ fields: [{ path: field, message }] });
}

async function weaknessOf(password: string, { username, email, brand }: Owner): Promise<string | undefined> {
  const length = [...password].length;
  if (length < SHORTEST || length > LONGEST) return `needs ${SHORTEST} to ${LONGEST} characters`;
  const text = password.toLowerCase();
  if (text.trim() === '') return 'needs more than blanks';
  if ([username, email?.split('@')[0], email].some((name) => contains(text, name)))
    return 'may not contain your username or your email address';
  if (contains(text, brand)) return 'may not contain the name of this site';
  if (isRepetition(text)) return 'is too repetitive and easy to guess';
  if (DATE.test(text)) return 'is a date, which is easy to guess';
  if (isRowOfKeys(text)) return 'follows the keyboard or the alphabet and is easy to guess';
  const words = await common();
  if (disguisedIn(text).some((word) => words.has(word) || words.has(reversed(word))))
    return 'is too common and easy to guess';
  return undefined;
}

/** Returns true if the text contains a name, even if the name is reversed, has separators, or has symbols in place of letters. */
function contains(text: string, name: string | null | undefined): boolean {
  if (name == null || name.length < NAME) return false;
  const [plain, bare] = [name.toLowerCase(), folded(name)];
  const isIn = (where: string, what: string) => where.includes(what) || where.includes(reversed(what));
  return isIn(text, plain) || (bare.length >= NAME && isIn(folded(text), bare));
}

const reversed = (text: string): string => [...text].reverse().join('');

/** Passwords that only repeat a piece of up to this length are among an attacker's first guesses. */
const PIECE = 4;

/**
 * Returns true for text with fewer than four distinct characters, and for text that only repeats a short piece: `aaaaaaaa`, `abcdabcdab`.
 */
function isRepetition(text: string): boolean {
  const characters = [...text];
  if (new Set(characters).size < PIECE) return true;
  return [...Array(PIECE).keys()].some((less) => {
    const length = PIECE - less;
    return characters.every((character, i) => character === characters[i % length]);
  });
}

const YEAR = '(?:19|20)\\d\\d';
const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const BETWEEN = '[-./ ]?';
/** Matches a date with or without separators: `19900414`, `14.4.1990`. */
const DATE = new RegExp(
  `^(?:${YEAR}${BETWEEN}${DAY}${BETWEEN}${DAY}|${DAY}${BETWEEN}${DAY}${BETWEEN}${YEAR})$`,
);

/** Digits and symbols that replace letters. */
const DISGUISES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};
const withoutDisguise = (text: string): string => text.replace(/[013457@$!]/g, (sign) => DISGUISES[sign]!);

/** Returns the letters and digits that people read in a text: `My_N4me` becomes `myname`. */
const folded = (text: string): string =>
  withoutDisguise(text.toLowerCase().replace(/[^\p{L}\p{N}@$!]/gu, ''));

/**
 * The maximum number of extra digits, and of extra symbols, around a common word. With more of either, the password is not treated as that
 * word.
 */
const ORNAMENT = 4;

/**
 * Returns the forms of the password that are searched for in the list of common passwords: unchanged, without the digits and symbols at its
 * ends (`Passw0rd!`, `Summer2026!`), and with look-alike digits and symbols replaced by letters.
 */
function disguisedIn(text: string): string[] {
  const unsigned = text.replace(/[^\p{L}\p{N}]+$/u, '');
  const trimmed = [text.replace(/[^\p{L}]+$/u, ''), text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')];
  const bare = trimmed.filter((word) => word.length >= NAME && isOrnament(text.replace(word, '')));
  return [text, unsigned, withoutDisguise(unsigned), ...bare, ...bare.map(withoutDisguise)];
}

function isOrnament(extra: string): boolean {
  const digits = extra.replace(/\D/g, '').length;
  return digits <= ORNAMENT && extra.length - digits <= ORNAMENT;
}

/** Returns true if nearly every character continues a row of the keyboard, of the alphabet or of the digits. */
const isRowOfKeys = (text: string): boolean => new Set(text).size >= NAME && stepsIn(text) >= 0.8;

let known: Promise<ReadonlySet<string>> | undefined;

/** Words that are common in the passwords of casino players, and of people who must change their password every month. */
const THEMES = `
  january february march april june july august september october november december
  monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter
  casino poker jackpot bonus roulette blackjack baccarat slots betting gambling gamble winner lucky luckyme
  money millionaire bitcoin crypto ethereum`;

/** Returns the 49,000 most common passwords and the words above. They are loaded when the first password is set. */
function common(): Promise<ReadonlySet<string>> {
  known ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set([...dictionary['passwords-common'], ...THEMES.trim().split(/\s+/)]),
  );
  return known;
}

type BreachedPasswords = (password: string) => Promise<boolean>;

const TIMEOUT_MS = 1000;
/** The number of cached responses, each about 40 KB, and the time for which they are cached. */
const RANGES = 50;
const RANGE_MS = 600_000;

/** Matches a response: the remaining digits of hashes in the range, with their counts. The count of padding entries is 0. */
const RANGE = /^(?:[0-9A-F]{35}:\d{1,10}(?:\r?\n|$))+$/;

/**
 * Checks whether a password is known from breaches, if BREACHED_PASSWORDS_URL is set. It sends only the first 20 bits of the SHA-1 hash,
 * which about a thousand known passwords share (k-anonymity). It also requests padding, so that the response size reveals nothing. If the
 * service does not respond within a second, the password is accepted.
 */
export function createBreachedPasswords({ config, log, metrics }: Deps): BreachedPasswords {
  const baseUrl = config.BREACHED_PASSWORDS_URL;
  if (baseUrl === undefined) return async () => false;
  const service = createOutbound({ name: 'breached-passwords', baseUrl, log, timeoutMs: TIMEOUT_MS });
  const ranges = new LRUCache<string, string>({ max: RANGES, ttl: RANGE_MS });
  const rangeOf = async (prefix: string): Promise<string> => {
    const cached = ranges.get(prefix);
    if (cached !== undefined) return cached;
    const { status, text } = await service.ask({
      method: 'GET',
      path: `/range/${prefix}`,
      headers: { accept: 'text/plain', 'add-padding': 'true' },
    });
    if (status !== 200 || !RANGE.test(text)) throw new Error(`unexpected response with status ${status}`);
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
      log.warn({ reason: messageOf(error) }, 'breached-passwords check failed; password accepted');
      return false;
    }
  };
}

/** Returns a hash's count from the response for the hash's range. */
function timesIn(range: string, suffix: string): number {
  const line = range.split('\n').find((one) => one.startsWith(`${suffix}:`));
  return line === undefined ? 0 : Number(line.slice(suffix.length + 1));
}
