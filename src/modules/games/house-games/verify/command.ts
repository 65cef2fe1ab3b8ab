import { createHmac } from 'node:crypto';
import { parseArgs } from 'node:util';
import { hashServerSeed } from '../../fairness/hash.ts';
import { check, type Hashes, placeOf, type Verdict } from './check.ts';
import { type Claim, FIELDS, readFields, readProof, seedFields } from './read.ts';

/** The command's access to external data. `load` reads a file (`-` is standard input), `get` reads a URL. */
export type Surroundings = {
  print: (line: string) => void;
  progress: (done: number) => void;
  load: (file: string) => Promise<string>;
  get: (url: string) => Promise<{ status: number; text: string }>;
};

const USAGE = `Computes a bet of a house game again from its seeds.

  npm run verify -- <betId> [--api http://127.0.0.1:3000] [--commitment <hash>]
  npm run verify -- --json <file, or - for standard input> [--commitment <hash>]
  npm run verify -- --game dice --server-seed … --client-seed … --nonce 0 --threshold 50 --above true

The second and the third need no network. What a game asks for beside its seeds:
${Object.entries(FIELDS)
  .map(([game, fields]) => `  ${game.padEnd(15)}${fields.map(({ name }) => option(name)).join(' ')}`)
  .join('\n')}
With --server-seed-hash the commitment is checked, with --rtp the return to the player in percent is not 99. The seeds of
speed-roulette are those of its round: --client-seed is its public seed, --nonce the position in the chain, and with
--commitment the seed is hashed up to the end of the chain.

Exit status: 0 it comes out the same, 1 it does not (or the seed is still secret), 2 what was asked for cannot be understood.`;

const API = 'http://127.0.0.1:3000';

const hashes: Hashes = {
  sha256: hashServerSeed,
  hmac: (key, text) => createHmac('sha256', key).update(text).digest('hex'),
};

/** Runs the command and returns its exit status. */
export async function verifyBet(args: readonly string[], around: Surroundings): Promise<number> {
  const asked = await readArgs(args, around);
  if (typeof asked === 'object' && 'status' in asked) {
    for (const line of asked.lines) around.print(line);
    return asked.status;
  }
  const verdict = await check(asked, { ...hashes, progress: around.progress });
  for (const line of report(asked, verdict)) around.print(line);
  return verdict.result === 'DIFFERENT' ? 1 : 0;
}

type Refusal = { status: 0 | 1 | 2; lines: string[] };
const misused = (why: string): Refusal => ({ status: 2, lines: [why, '', USAGE] });

async function readArgs(args: readonly string[], { load, get }: Surroundings): Promise<Claim | Refusal> {
  const options = optionsOf(args);
  if (typeof options === 'string') return misused(options);
  const { values, betId } = options;
  if (values.help !== undefined) return { status: 0, lines: [USAGE] };
  if (values.game !== undefined) {
    const claim = readFields(values.game, { ...values, rtp: values.rtp ?? '99' });
    return typeof claim === 'string' ? misused(claim) : claim;
  }
  try {
    if (values.json !== undefined) return claimOf(await load(values.json), values);
    if (betId === undefined) return misused('Which bet? Give its id, --json or --game.');
    const url = new URL(`/fairness/bets/${encodeURIComponent(betId)}`, values.api ?? API);
    const { status, text } = await get(url.href);
    if (status !== 200) return { status: 1, lines: [`${url.href} answers ${status}: ${text.slice(0, 500)}`] };
    return claimOf(text, values);
  } catch (error) {
    return { status: 2, lines: [(error as Error).message] };
  }
}

function claimOf(text: string, { commitment }: Options): Claim | Refusal {
  const claim = readProof(parse(text));
  return typeof claim === 'string'
    ? { status: 1, lines: [claim] }
    : { ...claim, commitment: commitment ?? null };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`That is not the JSON of a bet: ${(error as Error).message}`);
  }
}

type Options = Record<string, string | undefined>;

/** Options by field name. For example, the option --server-seed sets serverSeed. */
function optionsOf(args: readonly string[]): { values: Options; betId: string | undefined } | string {
  const games = Object.keys(FIELDS);
  const fields = games.flatMap((game) => [...seedFields(game), ...FIELDS[game]!]).map(({ name }) => name);
  const names = new Map([...fields, 'game', 'json', 'api'].map((name) => [option(name).slice(2), name]));
  const known = [...names.keys()].map((name) => [name, { type: 'string' }] as const);
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(known), help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (positionals.length > 1) return `One bet at a time, not ${positionals.join(' ')}.`;
    const named = Object.entries(values).map(([name, value]) => [names.get(name) ?? name, String(value)]);
    return { values: Object.fromEntries(named), betId: positionals[0] };
  } catch (error) {
    return (error as Error).message;
  }
}

function option(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

const HEADINGS: Readonly<Record<Verdict['result'], string>> = {
  VERIFIED: 'VERIFIED: the bet comes out the same.',
  COMPUTED: 'COMPUTED: this is what comes out; no outcome was given to compare it with.',
  DIFFERENT: 'NOT VERIFIED.',
};

function report(
  claim: Claim,
  { result, findings, differences, outcome, blocks, numbers }: Verdict,
): string[] {
  const text = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));
  return [
    `${claim.game}, nonce ${claim.nonce}, client seed ${JSON.stringify(claim.clientSeed)}`,
    ...blocks.map(
      ({ message, hex }, i) => `block ${i}  HMAC-SHA256(server seed, ${JSON.stringify(message)}) = ${hex}`,
    ),
    ...numbers.map((drawn) => {
      const place = placeOf(drawn);
      const picked = place === null ? '' : ` picks ${place} of ${drawn.of}`;
      const name = `u[${drawn.i}]`.padEnd(7);
      return `${name}${drawn.bytes} = ${drawn.u}${picked}`;
    }),
    ...(outcome ? [`outcome ${text(outcome)}`] : []),
    ...findings.map(({ isGood, text: what }) => `${isGood ? 'ok   ' : 'WRONG'}  ${what}`),
    ...differences.map(
      ({ path, said, computed }) => `       ${path}: said ${text(said)}, comes out as ${text(computed)}`,
    ),
    HEADINGS[result],
  ];
}
