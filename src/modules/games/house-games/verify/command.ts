import { createHmac } from 'node:crypto';
import { hashServerSeed } from '../../fairness/hash.ts';
import { check, type Hashes, placeOf, type Verdict } from './check.ts';
import { type Claim, FIELDS, isUnreadable, readFields, readProof, seedFields } from './read.ts';

/**
 * The command's access to external data. `print` writes a line of the result, `complain` a line that explains an error. `load` reads a file
 * (`-` is standard input), `get` reads a URL.
 */
export type Surroundings = {
  print: (line: string) => void;
  complain: (line: string) => void;
  progress: (done: number) => void;
  load: (file: string) => Promise<string>;
  get: (url: string) => Promise<{ status: number; text: string }>;
};

/** Explanation of the command for its help. */
export const verifyHelp = `Give the bet's id, or --json, or --game with the inputs of the bet. With --json or --game it needs no network.

The inputs of each game in addition to its seeds:
${Object.entries(FIELDS)
  .map(([game, fields]) => `  ${game.padEnd(15)}${fields.map(({ name }) => option(name)).join(' ')}`)
  .join('\n')}

The seeds of speed-roulette are those of its round: --client-seed is its public seed, and --nonce is the position in the chain. With
--commitment the seed is hashed up to the end of the chain.

Exit status: 0 if the result is the same, 1 if it differs or the seed is still secret, 2 if the bet is not found, or if the arguments or
the input are invalid.`;

const API = 'http://127.0.0.1:3000';

const hashes: Hashes = {
  sha256: hashServerSeed,
  hmac: (key, text) => createHmac('sha256', key).update(text).digest('hex'),
};

const ABOUT: Readonly<Record<string, string>> = {
  api: `address of the main API (default: ${API})`,
  json: 'a file with the JSON of the bet, or - for standard input',
  game: 'the game of a bet whose inputs are given as options',
  commitment: 'speed-roulette: the last hash of the chain',
  rtp: 'return to the player in percent (default: 99)',
};

/** Options of the command with their descriptions. Their values have the name of the field: --server-seed sets serverSeed. */
export const verifyOptions: readonly (readonly [flags: string, about: string])[] = listOptions();

export type Options = Readonly<Record<string, string | undefined>>;

/** Runs the command and returns its exit status. `betId` is one of the options. */
export async function verifyBet(options: Options, around: Surroundings): Promise<number> {
  const asked = await readOptions(options, around);
  if ('status' in asked) {
    const write = asked.status === 2 ? around.complain : around.print;
    for (const line of asked.lines) write(line);
    return asked.status;
  }
  const verdict = await check(asked, { ...hashes, progress: around.progress });
  for (const line of report(asked, verdict)) around.print(line);
  return verdict.result === 'DIFFERENT' ? 1 : 0;
}

type Refusal = { status: 1 | 2; lines: string[] };
const misused = (why: string): Refusal => ({
  status: 2,
  lines: [why, '', 'Description and examples: npx croupier verify --help'],
});

async function readOptions(values: Options, { load, get }: Surroundings): Promise<Claim | Refusal> {
  if (values.game !== undefined) {
    const claim = readFields(values.game, { ...values, rtp: values.rtp ?? '99' });
    return isUnreadable(claim) ? misused(claim.why) : claim;
  }
  try {
    if (values.json !== undefined) return claimOf(await load(values.json), values);
    if (values.betId === undefined) return misused('Which bet? Give its id, --json or --game.');
    const url = new URL(`/fairness/bets/${encodeURIComponent(values.betId)}`, values.api ?? API);
    const { status, text } = await get(url.href);
    if (status !== 200) return { status: 2, lines: [`${url.href} answers ${status}: ${text.slice(0, 500)}`] };
    return claimOf(text, values);
  } catch (error) {
    return { status: 2, lines: [(error as Error).message] };
  }
}

function claimOf(text: string, { commitment }: Options): Claim | Refusal {
  const claim = readProof(parse(text), commitment);
  return isUnreadable(claim) ? { status: claim.isSecret ? 1 : 2, lines: [claim.why] } : claim;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`That is not the JSON of a bet: ${(error as Error).message}`);
  }
}

function listOptions(): [string, string][] {
  const fields = Object.keys(FIELDS).flatMap((game) => [...seedFields(game), ...FIELDS[game]!]);
  const labels = new Map(fields.map(({ name, label }) => [name, label]).reverse() as [string, string][]);
  const names = new Set(['api', 'json', 'game', ...fields.map(({ name }) => name)]);
  return [...names].map((name) => [
    `${option(name)} <${name === 'json' ? 'file' : 'value'}>`,
    ABOUT[name] ?? labels.get(name) ?? '',
  ]);
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
