import { createHash, createHmac } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { firstNumber, hashServerSeed } from './hash.ts';
import { pick } from './rules.ts';

/**
 * The only remainders that game and fairness code may take: of a player, a card or a position of a table, never of a
 * number of the stream.
 */
const REMAINDERS = ['userId % queues.length'];

describe('R03 sources of chance', () => {
  const modules = join(import.meta.dirname, '..');
  const sources = globSync('{fairness,house-games}/**/*.ts', { cwd: modules }).filter(
    (file) => !file.endsWith('.test.ts'),
  );

  test('no Math.random and no modulo in game and fairness code', () => {
    expect(sources).toContain(join('fairness', 'rules.ts'));
    expect(sources).toContain(join('house-games', 'dice', 'rules.ts'));
    const found = sources.flatMap((file) => badChance(file, readFileSync(join(modules, file), 'utf8')));
    expect(found).toEqual([]);
  });

  test.each([
    ['service.ts', 'const roll = Math.random() * 6;'],
    ['service.ts', 'const roll = next() % 37;'],
    ['service.ts', 'const roll = u[0]! % 37;'],
    ['service.ts', 'roll %= 37;'],
    ['service.ts', 'const roll = Number(firstNumber(a, b, c))%37;'],
    ['service.ts', 'const seed = sha256(String(Date.now()));'],
    ['dice/rules.ts', 'const started = new Date();'],
    ['dice/rules.ts', "import { randomInt } from 'node:crypto';"],
  ])('the check sees %s: %s', (file, code) => {
    const harmless = `/* a % b */ lane(request.${REMAINDERS[0]}, '5 % of'); // u % 37`;
    expect(badChance(file, `${harmless}\n${code}`)).toHaveLength(1);
  });
});

type Public = {
  hash: string;
  nextHash: string;
  oldSeed: string;
  client: string;
  nonce: number;
  last: number;
};

/** What somebody could try who sees all that is shown before a bet; each answers a guess at u[0]. */
const ATTACKS: Record<string, (seen: Public) => number> = {
  'HMAC under the hash': (s) => firstNumber(s.hash, s.client, s.nonce),
  'HMAC under the bytes of the hash': (s) =>
    word(hmac(Buffer.from(s.hash, 'hex'), `${s.client}:${s.nonce}:0`)),
  'HMAC under the next hash': (s) => firstNumber(s.nextHash, s.client, s.nonce),
  'HMAC under the revealed seed': (s) => firstNumber(s.oldSeed, s.client, s.nonce),
  'HMAC under the hash of the revealed seed': (s) => firstNumber(sha256(s.oldSeed), s.client, s.nonce),
  'HMAC under the client seed': (s) => word(hmac(s.client, `${s.hash}:${s.nonce}:0`)),
  'sha256 of all that is public': (s) => word(sha256(s.hash + s.client + s.nonce)),
  'sha256 with colons': (s) => word(sha256(`${s.hash}:${s.client}:${s.nonce}`)),
  'the hash as the stream': (s) => word(s.hash, s.nonce % 8),
  'the last result again': (s) => s.last,
  'always the middle': () => 2 ** 31,
};

describe('R01 commitment leak: outcomes cannot be predicted from what is public', () => {
  const bets = Array.from({ length: 1000 }, (_, i) => publicBet(Math.floor(i / 50), i % 50));

  test.each(Object.entries(ATTACKS))('%s', (_, attack) => {
    const guesses = bets.map(({ seen, u }) => [attack(seen), u] as const);
    for (const n of [10_001, 2]) {
      const hits = guesses.filter(([guess, u]) => pick(guess, n) === pick(u, n)).length;
      const [low, high] = band(1000, 1 / n);
      expect(hits).toBeGreaterThanOrEqual(low);
      expect(hits).toBeLessThanOrEqual(high);
    }
  });

  test('the seed itself predicts them all, so that the comparison is able to fail', () => {
    expect(
      bets.filter(({ secret, seen, u }) => firstNumber(secret, seen.client, seen.nonce) === u),
    ).toHaveLength(1000);
    expect(band(1000, 0.5)).toEqual([448, 552]);
    expect(band(1000, 1 / 10_001)).toEqual([0, 2]);
  });
});

/** Seeds are drawn from a fixed text, so that the test says the same each time. */
function publicBet(pair: number, nonce: number): { secret: string; seen: Public; u: number } {
  const [oldSeed, secret, next] = [pair - 1, pair, pair + 1].map((i) => sha256(`drawn seed ${i}`)) as [
    string,
    string,
    string,
  ];
  const client = sha256(`client ${pair}`).slice(0, 16);
  const last = nonce === 0 ? firstNumber(oldSeed, client, 49) : firstNumber(secret, client, nonce - 1);
  const seen = { hash: hashServerSeed(secret), nextHash: hashServerSeed(next), oldSeed, client, nonce, last };
  return { secret, seen, u: firstNumber(secret, client, nonce) };
}

/** The hits of `trials` at `chance` that leave out at most 0.05 % on either side. */
function band(trials: number, chance: number): [low: number, high: number] {
  const odds = chance / (1 - chance);
  const chances = [(1 - chance) ** trials];
  for (let k = 1; k <= trials; k++) chances.push(((chances[k - 1]! * (trials - k + 1)) / k) * odds);
  const tail = (list: number[]) => {
    let sum = 0;
    return list.findIndex((c) => {
      sum += c;
      return sum > 0.0005;
    });
  };
  return [tail(chances), trials - tail(chances.toReversed())];
}

/** The lines that make chance from anything but the stream's numbers and pick. Rules may not even know the time. */
function badChance(file: string, text: string): string[] {
  const code = REMAINDERS.reduce((rest, known) => rest.replaceAll(known, ''), text).replace(
    /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g,
    '',
  );
  const bad = [/Math\.random/, /[\w)\]!]\s*%=?\s*[\w(]/, /\bDate\b.*(seed|nonce)|(seed|nonce).*\bDate\b/i];
  if (file.endsWith('rules.ts'))
    bad.push(/\bDate\b|performance|random(Int|Bytes|UUID|Fill)\w*|getRandomValues/);
  return code.split('\n').filter((line) => bad.some((pattern) => pattern.test(line)));
}

function word(digest: string, at = 0): number {
  return Number.parseInt(digest.slice(at * 8, at * 8 + 8), 16);
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, message: string): string {
  return createHmac('sha256', key).update(message).digest('hex');
}
