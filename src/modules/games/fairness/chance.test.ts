import { createHash, createHmac } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { replayBet } from '../house-games/verify/rules.ts';
import { hashServerSeed, stream } from './hash.ts';

/**
 * The only expressions with the remainder operator that game and fairness code may contain. The left operand is a user id, a card or an
 * index, never a number from a stream.
 */
const REMAINDERS = ['userId % queues.length', '(card - 1) % 13', 'i % LINKS_APART', 'i % SLICE'];

/** Uses of the clock that do not affect outcomes: the time when a public seed became known, and code that reads settled bets. */
const TIMES = ['publicSeedAt: Date | null;'];
const LOOKS_BACK = join('house-games', 'returns');

describe('sources of randomness', () => {
  const modules = join(import.meta.dirname, '..');
  const sources = globSync('{fairness,betting,house-games}/**/*.ts', { cwd: modules }).filter(
    (file) => !file.endsWith('.test.ts'),
  );

  test('finds no Math.random and no modulo in game and fairness code', () => {
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
  ])('detects %s: %s', (file, code) => {
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
  last: number[];
};

/** Strategies of an attacker who knows everything that is public before a bet. Each returns its guess for the stream. */
const ATTACKS: Record<string, (seen: Public) => number[]> = {
  'HMAC under the hash': (s) => streamUnder(s.hash, s),
  'HMAC under the bytes of the hash': (s) => streamUnder(Buffer.from(s.hash, 'hex'), s),
  'HMAC under the next hash': (s) => streamUnder(s.nextHash, s),
  'HMAC under the revealed seed': (s) => streamUnder(s.oldSeed, s),
  'HMAC under the hash of the revealed seed': (s) => streamUnder(sha256(s.oldSeed), s),
  'HMAC under the client seed': (s) => streamUnder(s.client, { client: s.hash, nonce: s.nonce }),
  'sha256 of all that is public': (s) => words((round) => sha256(s.hash + s.client + s.nonce + round)),
  'sha256 with colons': (s) => words((round) => sha256(`${s.hash}:${s.client}:${s.nonce}:${round}`)),
  'the hash as the stream': (s) => words(() => s.hash.slice((s.nonce % 8) * 8) + s.hash),
  'the last result again': (s) => s.last,
  'always the middle': () => Array<number>(GUESSED).fill(2 ** 31),
};

/** Blackjack needs the most numbers of all games: one for each card. */
const GUESSED = 52;

type Result = {
  n: number;
  inputs: object;
  of: (outcome: any) => unknown;
  /**  The ways in which a round can end, if the replayed result depends on how the round ended. */
  ends?: readonly { inputs?: object; outcome?: object }[];
};

/** For each game, a value of its outcome that has `n` equally likely results. */
const RESULTS: Readonly<Record<string, Result>> = {
  dice: { n: 10_001, inputs: { threshold: 50, above: true }, of: (o) => o.randomValue },
  limbo: { n: 2, inputs: { multiplier: 2 }, of: (o) => o.randomMultiplier >= 1.98 },
  keno: { n: 40, inputs: { risk: 'LOW', selected: [1] }, of: (o) => o.results[0] },
  plinko: { n: 256, inputs: { risk: 'LOW', rowsCount: 8 }, of: (o) => o.results.join() },
  mines: {
    n: 25,
    inputs: { gridCellsCount: 25, bombsCount: 3, cellIndices: [0] },
    of: (o) => o.bombs[0],
    ends: [{ outcome: { opened: 1 } }],
  },
  'monkey-run': {
    n: 20,
    inputs: { difficulty: 'EASY', steps: [19] },
    of: (o) => o.traps[0],
    ends: Array.from({ length: 20 }, (_, step) => ({ outcome: { step, didWin: step === 19 } })),
  },
  roulette: { n: 37, inputs: { bets: [{ type: 'RED', amount: '1' }] }, of: (o) => o.randomPosition },
  'speed-roulette': { n: 15, inputs: { color: 'RED' }, of: (o) => o.position },
  blackjack: {
    n: 52,
    inputs: { betAmount: '1', sideBetAmount: null },
    of: (o) => o.hands[0].cards[0],
    ends: [{ inputs: { actions: [] } }, { inputs: { actions: ['STAND'] } }],
  },
};

describe('outcomes cannot be predicted from public values', () => {
  const bets = Array.from({ length: 1000 }, (_, i) => publicBet(Math.floor(i / 50), i % 50));

  const guesses = Object.entries(ATTACKS).map(
    ([name, attack]) => [name, bets.map(({ seen }) => attack(seen))] as const,
  );

  test.each(Object.keys(RESULTS))(
    'lets no strategy predict more of 1,000 outcomes of %s than chance',
    (game) => {
      const results = bets.map(({ u }) => resultOf(game, u));
      const [low, high] = band(1000, 1 / RESULTS[game]!.n);
      for (const [name, guessed] of guesses) {
        const hits = guessed.filter((u, i) => resultOf(game, u) === results[i]).length;
        expect(hits, name).toBeGreaterThanOrEqual(low);
        expect(hits, name).toBeLessThanOrEqual(high);
      }
    },
  );

  test('predicts all outcomes when given the seed, which shows that the comparison can fail', () => {
    for (const game of Object.keys(RESULTS)) {
      const known = bets.filter(
        ({ secret, seen, u }) => resultOf(game, streamUnder(secret, seen)) === resultOf(game, u),
      );
      expect(known, game).toHaveLength(1000);
      expect(new Set(bets.map(({ u }) => resultOf(game, u))).size, game).toBeGreaterThan(1);
    }
    expect(band(1000, 0.5)).toEqual([448, 552]);
    expect(band(1000, 1 / 10_001)).toEqual([0, 2]);
  });
});

/** Converts the numbers of a stream to a game's result. */
function resultOf(game: string, u: readonly number[]): unknown {
  const { inputs, of, ends = [{}] } = RESULTS[game]!;
  for (const end of ends) {
    let taken = 0;
    const bet = { game, rtpBp: 9900, inputs: { ...inputs, ...end.inputs }, outcome: end.outcome };
    const replayed = replayBet(bet, () => u[taken++]!);
    if (replayed) return of(replayed.outcome);
  }
  throw new Error(`${game} cannot be played`);
}

/** The seeds are derived from a fixed string, so that the test is repeatable. */
function publicBet(pair: number, nonce: number): { secret: string; seen: Public; u: number[] } {
  const [oldSeed, secret, next] = [pair - 1, pair, pair + 1].map((i) => sha256(`drawn seed ${i}`)) as [
    string,
    string,
    string,
  ];
  const client = sha256(`client ${pair}`).slice(0, 16);
  const before = nonce === 0 ? { secret: oldSeed, nonce: 49 } : { secret, nonce: nonce - 1 };
  const last = streamUnder(before.secret, { client, nonce: before.nonce });
  const seen = { hash: hashServerSeed(secret), nextHash: hashServerSeed(next), oldSeed, client, nonce, last };
  const drawn = stream(secret, client, nonce);
  return { secret, seen, u: Array.from({ length: GUESSED }, () => drawn()) };
}

/**
 * Returns the range in which the number of hits in `trials` trials with the probability `chance` should be. It is below the range in at
 * most 0.05 % of cases, and above it in at most 0.05 %.
 */
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

/** Returns the lines that use a source of randomness other than the stream's numbers and `pick`. Rules must not read the clock either. */
function badChance(file: string, text: string): string[] {
  const code = [...REMAINDERS, ...TIMES]
    .reduce((rest, known) => rest.replaceAll(known, ''), text)
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, '');
  const bad = [/Math\.random/, /[\w)\]!]\s*%=?\s*[\w(]/];
  if (!file.startsWith(LOOKS_BACK)) bad.push(/\bDate\b.*(seed|nonce)|(seed|nonce).*\bDate\b/i);
  if (file.endsWith('rules.ts') && !file.startsWith(LOOKS_BACK))
    bad.push(/\bDate\b|performance|random(Int|Bytes|UUID|Fill)\w*|getRandomValues/);
  return code.split('\n').filter((line) => bad.some((pattern) => pattern.test(line)));
}

/** Computes the numbers of a stream for any key, implemented from the published scheme. */
function streamUnder(key: string | Buffer, { client, nonce }: Pick<Public, 'client' | 'nonce'>): number[] {
  return words((round) => createHmac('sha256', key).update(`${client}:${nonce}:${round}`).digest('hex'));
}

function words(block: (round: number) => string): number[] {
  const digits = Array.from({ length: 8 }, (_, round) => block(round).slice(0, 64)).join('');
  return Array.from({ length: GUESSED }, (_, i) => Number.parseInt(digits.slice(i * 8, i * 8 + 8), 16));
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
