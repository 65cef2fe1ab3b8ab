import { blockMessage, numbersOf, pick } from '../../fairness/rules.ts';
import type { Claim, Facts } from './read.ts';
import { replayBet } from './rules.ts';

/** Hashes strings to lowercase hex, with Node's crypto in the command and WebCrypto in a browser. */
export type Hashes = {
  sha256: (text: string) => string | Promise<string>;
  hmac: (key: string, text: string) => string | Promise<string>;
  /** Called with the progress of hashing a chain, from 0 to 1. */
  progress?: (done: number) => void;
};

export type Finding = { isGood: boolean; text: string };
/** A difference between two outcomes: the path, the claimed value and the computed value (undefined if missing). */
export type Difference = { path: string; said: unknown; computed: unknown };
/**
 * Number `i` of the stream: its block and bytes, and the size of the range from which it picks a value (null if there is no such range).
 */
export type Drawn = { i: number; round: number; bytes: string; u: number; of: number | null };

export type Verdict = {
  /** COMPUTED: the claim contains no outcome, so there is nothing to compare. */
  result: 'VERIFIED' | 'COMPUTED' | 'DIFFERENT';
  findings: Finding[];
  differences: Difference[];
  outcome: Facts | undefined;
  blocks: { message: string; hex: string }[];
  numbers: Drawn[];
};

/** A game of mines with 63 bombs uses 63 numbers, eight per block. */
const BLOCKS = 8;
const NUMBERS_OF_BLOCK = 8;
const DIGITS = 8;

/** Recomputes a bet from its seeds and compares it with the claim. */
export async function check(claim: Claim, hashes: Hashes): Promise<Verdict> {
  const findings = await seedFindings(claim, hashes);
  const blocks = await blocksOf(claim, hashes);
  let taken = 0;
  const numbers = numbersOf((round) => blocks[round]!.hex);
  const outcome = playedAgain(claim, () => {
    // The game may be replayed for several possible outcomes (`endsOf`). Each replay starts at u[0].
    const next = numbersOf((round) => blocks[round]!.hex);
    let count = 0;
    return () => {
      taken = Math.max(taken, ++count);
      return next();
    };
  });
  const differences = outcome && claim.outcome ? differencesOf(claim.outcome, outcome) : [];
  findings.push(...outcomeFindings(claim, outcome, differences));
  const isGood = findings.every((finding) => finding.isGood);
  return {
    result: isGood ? (claim.outcome ? 'VERIFIED' : 'COMPUTED') : 'DIFFERENT',
    findings,
    differences,
    outcome,
    blocks: blocks.slice(0, Math.ceil(taken / NUMBERS_OF_BLOCK)),
    numbers: Array.from({ length: taken }, (_, i) => drawnAt(claim, blocks, { i, u: numbers() })),
  };
}

/** Returns the size of the range from which number i of a game's stream picks a value; null in limbo, which divides by the number. */
function picksAmong({ game, inputs }: Claim, i: number): number | null {
  if (game === 'limbo') return null;
  if (game === 'mines') return (inputs.gridCellsCount as number) - i;
  const [first = 0, isDraw = false] = AMONG[game] ?? [];
  return isDraw ? first - i : first;
}

const AMONG: Readonly<Record<string, readonly [first: number, isDraw: boolean]>> = {
  dice: [10_001, false],
  keno: [40, true],
  plinko: [2, false],
  'monkey-run': [20, true],
  roulette: [37, false],
  'speed-roulette': [15, false],
  blackjack: [52, true],
};

const ORIGINS = {
  PLAYER: 'The client seed came from the player.',
  SERVER: 'The client seed came from the server: only the commitment limits its choice.',
} as const;

async function seedFindings(
  { game, serverSeed, serverSeedHash, clientSeedOrigin, nonce, commitment }: Claim,
  hashes: Hashes,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const found = (isGood: boolean, text: string) => findings.push({ isGood, text });
  const own = await hashes.sha256(serverSeed);
  const claimed = 'the hash that was shown before the bet.';
  if (serverSeedHash === own) found(true, `SHA-256 of the server seed is ${claimed}`);
  else if (serverSeedHash !== null) found(false, `SHA-256 of the server seed is ${own}, not ${claimed}`);
  if (clientSeedOrigin !== null) found(true, ORIGINS[clientSeedOrigin]);
  if (game === 'speed-roulette' && commitment !== null) {
    const end = await walk(serverSeed, nonce, hashes);
    if (end === commitment) found(true, `The seed, hashed ${nonce} times, is the commitment of the chain.`);
    else found(false, `The seed, hashed ${nonce} times, is ${end}, not the commitment of the chain.`);
  }
  return findings;
}

const STEPS_BETWEEN_NEWS = 2000;

async function walk(seed: string, steps: number, { sha256, progress }: Hashes): Promise<string> {
  let link = seed;
  for (let done = 0; done < steps; done += STEPS_BETWEEN_NEWS) {
    progress?.(done / steps);
    for (let i = done; i < Math.min(done + STEPS_BETWEEN_NEWS, steps); i++) {
      const hash = sha256(link);
      link = typeof hash === 'string' ? hash : await hash;
    }
  }
  progress?.(1);
  return link;
}

async function blocksOf({ serverSeed, clientSeed, nonce }: Claim, { hmac }: Hashes) {
  const messages = Array.from({ length: BLOCKS }, (_, round) => blockMessage(clientSeed, nonce, round));
  return Promise.all(messages.map(async (message) => ({ message, hex: await hmac(serverSeed, message) })));
}

function drawnAt(
  claim: Claim,
  blocks: readonly { hex: string }[],
  { i, u }: { i: number; u: number },
): Drawn {
  const round = Math.floor(i / NUMBERS_OF_BLOCK);
  const at = (i - round * NUMBERS_OF_BLOCK) * DIGITS;
  return { i, round, bytes: blocks[round]!.hex.slice(at, at + DIGITS), u, of: picksAmong(claim, i) };
}

/** Returns undefined if the game does not allow the inputs, or if they cannot produce the claimed outcome. */
function playedAgain(claim: Claim, stream: () => () => number): Facts | undefined {
  for (const outcome of claim.outcome ? [claim.outcome] : endsOf(claim)) {
    try {
      const replayed = replayBet({ ...claim, outcome }, stream());
      if (replayed) return JSON.parse(JSON.stringify(replayed.outcome));
    } catch {
      // The inputs are malformed.
    }
  }
  return undefined;
}

/**
 * Returns the possible ends of a round whose outcome is not given: either every cell was opened or every tile was reached, or the round
 * ended at the first unsafe one. In other games the inputs determine the end.
 */
function endsOf({ game, inputs }: Claim): Facts[] {
  const list = game === 'mines' ? inputs.cellIndices : game === 'monkey-run' ? inputs.steps : undefined;
  if (!Array.isArray(list)) return [{}];
  if (game === 'mines') return list.map((_, i) => ({ opened: list.length - i }));
  const last = Number(list.at(-1) ?? 0);
  const losses = Array.from({ length: Math.min(last, 20) }, (_, step) => ({ step, didWin: false }));
  return [{ step: last, didWin: true }, ...losses];
}

function outcomeFindings(
  { outcome: said }: Claim,
  outcome: Facts | undefined,
  differences: Difference[],
): Finding[] {
  if (!outcome)
    return [
      { isGood: false, text: 'The game does not accept these inputs, or this outcome cannot come of them.' },
    ];
  if (!said) return [];
  return differences.length === 0
    ? [{ isGood: true, text: 'Seeds and inputs give the very outcome of the bet.' }]
    : [{ isGood: false, text: 'Seeds and inputs give another outcome than the bet has.' }];
}

/** Returns the differences between two JSON values. */
function differencesOf(said: unknown, computed: unknown, path = ''): Difference[] {
  if (!isTree(said) || !isTree(computed) || Array.isArray(said) !== Array.isArray(computed))
    return said === computed ? [] : [{ path, said, computed }];
  const keys = new Set([...Object.keys(said), ...Object.keys(computed)]);
  return [...keys].flatMap((key) => differencesOf(said[key], computed[key], path ? `${path}.${key}` : key));
}

function isTree(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null;
}

/** Returns the value that a number picks from its range. */
export function placeOf({ u, of }: Drawn): number | null {
  return of === null ? null : pick(u, of);
}
