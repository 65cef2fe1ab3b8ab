import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { betOnDice, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { verifyBet } from './command.ts';

const PROGRAM = join(import.meta.dirname, '../../../../bin/croupier.ts');
const vectors = JSON.parse(readFileSync(join(import.meta.dirname, 'vectors.json'), 'utf8'));

/** Runs `croupier verify …` as a separate process; `input` is its standard input. */
const run = (args: string[], input = '') =>
  new Promise<{ code: unknown; output: string; errors: string }>((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, 'verify', ...args], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout, errors: stderr }),
    );
    child.stdin!.end(input);
  });

/** Parses `--server-seed x` into serverSeed, and the first word into betId. */
function optionsIn(args: string[]): Record<string, string> {
  const camel = (flag: string) => flag.slice(2).replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  return args[0]?.startsWith('--') === false
    ? { betId: args[0], ...optionsIn(args.slice(1)) }
    : Object.fromEntries(args.flatMap((text, i) => (i % 2 === 0 ? [[camel(text), args[i + 1]!]] : [])));
}

/** Runs the command in this process. `get` returns the platform's responses. */
async function ask(args: string[], text = '', status = 200) {
  const lines: string[] = [];
  const errors: string[] = [];
  const urls: string[] = [];
  const code = await verifyBet(optionsIn(args), {
    print: (line) => lines.push(line),
    complain: (line) => errors.push(line),
    progress: () => {},
    load: async () => text,
    async get(url) {
      urls.push(url);
      return { status, text };
    },
  });
  return { code, output: lines.join('\n'), errors: errors.join('\n'), urls };
}

describe('croupier verify', () => {
  let api = '';
  const app = fixture(() => startApp({ reconcileOnStop: false }));
  beforeAll(async () => {
    api = app.url;
  });

  test('verifies a bet by id with a hidden seed and with a revealed seed, and detects tampering', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const { betId, randomValue } = (await betOnDice(player)).body;
    expect(await run([betId, '--api', api])).toEqual({
      code: 1,
      output: expect.stringMatching(/still secret/),
      errors: '',
    });
    await player.call('POST', '/fairness/seeds/rotate', { body: {} });
    const good = await run([betId, '--api', api]);
    expect(good.output).toMatch(/^ok {5}SHA-256 of the server seed is the hash/m);
    expect(good.output).toContain(`"randomValue":${randomValue},`);
    expect([good.code, good.output]).toEqual([0, expect.stringMatching(/^VERIFIED: /m)]);

    const { body } = await app.call('GET', `/fairness/bets/${betId}`);
    body.outcome.randomValue += 1;
    const bad = await run(['--json', '-'], JSON.stringify(body));
    expect([bad.code, bad.output]).toEqual([1, expect.stringMatching(/^NOT VERIFIED\.$/m)]);
    expect(bad.output).toContain(
      `randomValue: said ${body.outcome.randomValue}, comes out as ${randomValue}`,
    );
    expect(await run(['999999999', '--api', api])).toEqual({
      code: 2,
      output: '',
      errors: expect.stringMatching(/\/fairness\/bets\/999999999 answers 404: .*BET_NOT_FOUND/),
    });
  });
});

const NAMES: [string, string, number][] = vectors.map(({ bet, about }: any, i: number) => [
  bet.game,
  about,
  i,
]);
test.each(NAMES)('verifies a bet of %s: %s (%i)', async (_, __, i) => {
  const { bet, commitment } = vectors[i];
  const args = ['--json', 'x', ...(commitment ? ['--commitment', commitment] : [])];
  expect((await ask(args, JSON.stringify(bet))).code).toBe(0);
  expect((await ask(args, JSON.stringify({ ...bet, outcome: {} }))).code).toBe(1);
});

describe('options', () => {
  const SEEDS = ['--server-seed', '0123456789abcdef'.repeat(4), '--client-seed', 'fair', '--nonce', '0'];

  test('accepts every field of every game as an option, and prints each number', async () => {
    const { code, output } = await ask([
      '--game',
      'dice',
      ...SEEDS,
      '--threshold',
      '45.19',
      '--above',
      'true',
    ]);
    expect(code).toBe(0);
    expect(output).toContain('block 0  HMAC-SHA256(server seed, "fair:0:0") = 73b94f64d07afa26');
    expect(output).toContain('u[0]   73b94f64 = 1941524324 picks 4520 of 10001');
    expect(output).toContain('outcome {"randomValue":45.2,"didWin":true,"multiplier":1.8062}');
    const rtp = ['--rtp', '90', '--threshold', '50', '--above', 'false'];
    expect((await ask(['--game', 'dice', ...SEEDS, ...rtp])).output).toContain('"multiplier":1.8}');
    const deep = ['--grid-cells-count', '64', '--bombs-count', '63', '--cell-indices', '1'];
    expect((await ask(['--game', 'mines', ...SEEDS, ...deep])).output).toContain('u[62]');
  });

  test('reports a commitment that is not the hash of the seed', async () => {
    const args = ['--game', 'plinko', ...SEEDS, '--risk', 'LOW', '--rows-count', '8', '--server-seed-hash'];
    const hash = 'a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e';
    expect((await ask([...args, hash])).code).toBe(0);
    const other = await ask([...args, 'a'.repeat(64)]);
    expect([other.code, other.output]).toEqual([
      1,
      expect.stringContaining(`SHA-256 of the server seed is ${hash}`),
    ]);
  });

  test.each([
    ['nothing', [], /^Which bet\?/],
    ['an unknown game', ['--game', 'poker'], /"poker" is not known: one of dice, /],
    ['a missing seed', ['--game', 'dice'], /Server seed \(serverSeed\) is missing/],
    ['an invalid number', ['--game', 'dice', ...SEEDS, '--threshold', 'x'], /cannot be read: x/],
  ])('exits with 2 and names the help: %s', async (_, args, why) => {
    const { code, output, errors } = await ask(args);
    expect([code, output, errors]).toEqual([2, '', expect.stringMatching(why)]);
    expect(errors).toContain('npx croupier verify --help');
  });

  test('exits with 2 for invalid JSON or an invalid address', async () => {
    expect((await ask(['--json', 'x'], '{')).code).toBe(2);
    expect((await ask(['7', '--api', 'nowhere'])).code).toBe(2);
  });

  const { bet } = vectors[0];
  test.each([
    ['null', null],
    ['a list', []],
    ['an error response', { code: 'BET_NOT_FOUND' }],
    ['an unknown game', { ...bet, game: 'poker' }],
    ['another version of the algorithm', { ...bet, algorithmVersion: '0' }],
    ['a malformed seed', { ...bet, serverSeed: 'x' }],
    ['inputs that are no object', { ...bet, inputs: [] }],
  ])('exits with 2 and writes only to standard error: %s', async (_, proof) => {
    const { code, output, errors } = await ask(['--json', 'x'], JSON.stringify(proof));
    expect([code, output, errors]).toEqual([2, '', expect.stringMatching(/\S/)]);
  });

  test('exits with 2 for an invalid commitment', async () => {
    const args = ['--json', 'x', '--commitment', 'bogus'];
    const { code, output, errors } = await ask(args, JSON.stringify(bet));
    expect([code, output, errors]).toEqual([2, '', expect.stringMatching(/^A commitment has 64/)]);
  });

  test('exits with 1 for a seed that is still secret', async () => {
    const secret = await ask(['--json', 'x'], JSON.stringify({ ...bet, serverSeed: null }));
    expect(secret).toMatchObject({ code: 1, output: expect.stringMatching(/still secret/), errors: '' });
  });

  test('escapes the bet id in the request URL', async () => {
    const { urls } = await ask(['../../admin?x', '--api', 'http://127.0.0.1:1/'], '{}', 404);
    expect(urls).toEqual(['http://127.0.0.1:1/fairness/bets/..%2F..%2Fadmin%3Fx']);
  });
});
