import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { firstNumber, hashServerSeed, stream } from '../../fairness/hash.ts';
import { check, type Hashes, type Verdict } from './check.ts';
import { type Facts, FIELDS, isUnreadable, readFields, readProof } from './read.ts';
import { replayBet } from './rules.ts';

type Vector = { about: string; drawn: number[]; bet: Facts; commitment?: string };

const vectors: Vector[] = JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8'));
const GAMES = Object.keys(FIELDS);

const encoder = new TextEncoder();
const hex = (buffer: ArrayBuffer) => Buffer.from(buffer).toString('hex');
/** Hashes computed with WebCrypto, as in a browser. */
const web: Hashes = {
  sha256: async (text) => hex(await crypto.subtle.digest('SHA-256', encoder.encode(text))),
  async hmac(key, text) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const imported = await crypto.subtle.importKey('raw', encoder.encode(key), algorithm, false, ['sign']);
    return hex(await crypto.subtle.sign('HMAC', imported, encoder.encode(text)));
  },
};

async function verdictOn(proof: unknown, commitment?: string): Promise<Verdict> {
  return check(claimOf(readProof(proof, commitment)), web);
}

function claimOf(read: ReturnType<typeof readProof>) {
  if (isUnreadable(read)) throw new Error(read.why);
  return read;
}

test.each(['slots', 'toString'])('rejects a game without rules: %s', (game) => {
  const bet = { game, rtpBp: 9900, inputs: {}, outcome: {} };
  expect(() => replayBet(bet, () => 0)).toThrow(`no rules to verify ${game}`);
});

describe('test vectors of another implementation', () => {
  test('includes test vectors for at least ten different bets of each game', () => {
    const bets = Map.groupBy(vectors, ({ bet }) => bet.game);
    expect(new Set(bets.keys())).toEqual(new Set(GAMES));
    for (const [game, list] of bets) {
      const different = new Set(list.map(({ bet }) => JSON.stringify(bet)));
      expect(different.size, String(game)).toBeGreaterThanOrEqual(10);
    }
  });

  test.each(vectors.map((vector, i) => [vector.bet.game, vector.about, i] as const))(
    '%s: %s (%i)',
    async (game, _, i) => {
      const { bet, drawn, commitment } = vectors[i]!;
      const verdict = await verdictOn(bet, commitment);
      expect(verdict).toMatchObject({ result: 'VERIFIED', differences: [], outcome: bet.outcome });
      expect(verdict.findings).toHaveLength(commitment ? 3 : 2);
      if (game !== 'limbo') expect(verdict.numbers).toHaveLength(drawn.length);
    },
  );

  test.each([
    ['PLAYER', 'The client seed came from the player.'],
    ['SERVER', 'The client seed came from the server: only the commitment limits its choice.'],
  ])('reports who chose the client seed: %s', async (clientSeedOrigin, text) => {
    const { findings, result } = await verdictOn({ ...vectors[0]!.bet, clientSeedOrigin });
    expect(result).toBe('VERIFIED');
    expect(findings).toContainEqual({ isGood: true, text });
  });

  test('computes the same results as the service and its consumers, which use different hash implementations', () => {
    for (const { bet } of vectors) {
      const claim = claimOf(readProof(bet));
      const { serverSeed, clientSeed, nonce, serverSeedHash } = claim;
      expect(
        replayBet({ ...claim, outcome: bet.outcome }, stream(serverSeed, clientSeed, nonce))?.outcome,
      ).toEqual(bet.outcome);
      expect(hashServerSeed(serverSeed)).toBe(serverSeedHash);
    }
  });
});

describe('false claims', () => {
  test.each(GAMES)(
    'detects false claims about the outcome, the seed, the hash and the nonce of %s',
    async (game) => {
      const { bet } = vectors.find((vector) => vector.bet.game === game)!;
      for (const outcome of altered(bet.outcome))
        expect((await verdictOn({ ...bet, outcome })).result, JSON.stringify(outcome)).toBe('DIFFERENT');
      const seeds = bet.round === null ? bet : (bet.round as Facts);
      const hashed = bet.round === null ? 'serverSeedHash' : 'seedHash';
      for (const name of [hashed, bet.round === null ? 'serverSeed' : 'seed']) {
        const other = { ...seeds, [name]: 'a'.repeat(64) };
        expect((await verdictOn(bet.round === null ? other : { ...bet, round: other })).result).toBe(
          'DIFFERENT',
        );
      }
    },
  );

  test('reports a bet as different when its inputs are malformed in any way', async () => {
    for (const game of GAMES) {
      const { bet } = vectors.find((vector) => vector.bet.game === game)!;
      for (const name of Object.keys(bet.inputs as Facts).filter((key) => key !== 'sideBetAmount'))
        for (const value of [undefined, 'x', -1, [[]], { length: 3 }]) {
          const verdict = await verdictOn({ ...bet, inputs: { ...(bet.inputs as Facts), [name]: value } });
          expect([verdict.result, verdict.outcome], `${game} ${name} ${value}`).toEqual([
            'DIFFERENT',
            undefined,
          ]);
        }
    }
  });

  test('detects a seed chain that does not lead to the commitment, and reports the progress', async () => {
    const { bet, commitment } = vectors.findLast(({ commitment: end }) => end !== undefined)!;
    expect((await verdictOn(bet, commitment)).result).toBe('VERIFIED');
    expect((await verdictOn(bet, 'b'.repeat(64))).result).toBe('DIFFERENT');
    const long = { ...bet, round: { ...(bet.round as Facts), chainPosition: 5000 } };
    const claim = claimOf(readProof(long, commitment));
    const heard: number[] = [];
    await check(claim, { ...web, progress: (done) => heard.push(done) });
    expect(heard).toEqual([0, 0.4, 0.8, 1]);
  });
});

describe('the requested proof', () => {
  const { bet } = vectors[0]!;

  test.each([
    ['no object', [], /one JSON object/],
    ['nothing', null, /one JSON object/],
    ['another game', { ...bet, game: 'poker' }, /"poker" is not known/],
    ['a name of every object', { ...bet, game: 'constructor' }, /is not known/],
    ['another version', { ...bet, algorithmVersion: '2' }, /version "2"/],
    ['a short seed', { ...bet, serverSeed: 'abc' }, /64 characters/],
    ['a seed in capitals', { ...bet, serverSeed: 'A'.repeat(64) }, /64 characters/],
    ['a client seed with a line', { ...bet, clientSeed: 'a\nb' }, /printable/],
    ['a fractional nonce', { ...bet, nonce: 0.5 }, /whole number/],
    ['no return', { ...bet, rtpBp: undefined }, /return to the player/],
    ['no inputs', { ...bet, inputs: null }, /inputs and outcome/],
  ])('rejects a proof with an explanation: %s', (_, proof, why) => {
    expect(readProof(proof)).toEqual({ why: expect.stringMatching(why), isSecret: false });
  });

  test.each([
    ['a hidden seed', { ...bet, serverSeed: null }, /of this bet is still secret/],
    [
      'a round without result',
      { ...bet, round: { seed: null, publicBlockHash: 'x' } },
      /of this round is still secret/,
    ],
  ])('reports that the seed is still secret: %s', (_, proof, why) => {
    expect(readProof(proof)).toEqual({ why: expect.stringMatching(why), isSecret: true });
  });

  test.each(['bogus', 'A'.repeat(64), 'a'.repeat(63)])('rejects the commitment %s', (commitment) => {
    expect(readProof(bet, commitment)).toMatchObject({ why: expect.stringMatching(/^A commitment has 64/) });
  });

  test('treats an empty commitment as missing', () => {
    expect(readProof(bet, '')).toEqual(readProof(bet));
  });

  test('reads a proof from form fields in the same way as from JSON', async () => {
    for (const { bet: stored, drawn } of vectors) {
      const claim = claimOf(readProof(stored));
      const { serverSeed, serverSeedHash, clientSeed, nonce, rtpBp, inputs } = claim;
      const facts = { serverSeed, serverSeedHash, clientSeed, nonce, rtp: rtpBp / 100, ...inputs };
      const texts = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, spelled(value)]));
      const verdict = await check(claimOf(readFields(claim.game, texts)), web);
      expect(verdict).toMatchObject({ result: 'COMPUTED', outcome: stored.outcome });
      expect(verdict.numbers[0]!.u).toBe(firstNumber(serverSeed, clientSeed, nonce));
      expect(drawn.length).toBeGreaterThan(0);
    }
  });

  test.each([
    ['nonce', '', /Nonce \(nonce\) is missing/],
    ['nonce', '1e3', /cannot be read: 1e3/],
    ['above', 'yes', /cannot be read: yes/],
    ['threshold', '-1', /cannot be read/],
    ['rtp', '99.999', /between 0 and 100/],
    ['serverSeed', 'x', /64 characters/],
  ])('rejects the field %s with the value %j', (name, text, why) => {
    const fine = {
      serverSeed: 'a'.repeat(64),
      clientSeed: 'c',
      nonce: '0',
      rtp: '99',
      threshold: '50',
      above: 'true',
    };
    expect(isUnreadable(readFields('dice', fine))).toBe(false);
    expect(readFields('dice', { ...fine, [name]: text })).toMatchObject({ why: expect.stringMatching(why) });
  });
});

/** Returns a form value as a user would type it. */
function spelled(value: unknown): string {
  if (value === null) return '';
  if (Array.isArray(value) && typeof value[0] !== 'object') return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns copies of the value, each with a different leaf changed. */
function altered(value: unknown): unknown[] {
  if (typeof value === 'number') return [value + 1];
  if (typeof value === 'boolean') return [!value];
  if (typeof value !== 'object') return [`${value}x`];
  if (value === null) return ['x'];
  return Object.entries(value).flatMap(([key, part]) =>
    altered(part).map((other) =>
      Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other },
    ),
  );
}
