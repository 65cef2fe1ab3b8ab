import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { ReturningGame } from './games.ts';
import { GAMES } from './simulation/cases.ts';

export type Plan = {
  games: readonly ReturningGame[];
  /** Number of rounds per game. 0 disables the simulation. */
  rounds: number;
  /** The string from which all seeds are derived. */
  seed: string;
  /** Path of the report. Undefined if no report is written. */
  out: string | undefined;
};

const DEFAULT_ROUNDS = 1_000_000;

export const HELP = `npm exec -- node rtp/run.ts [options]
  --games a,b      only these games (${GAMES.join(', ')})
  --rounds N       simulated rounds of each game (default ${DEFAULT_ROUNDS.toLocaleString('en-US')}; 10000000 and 1e7 are the same)
  --seed TEXT      repeats the rounds of an earlier run (default: 32 random bytes, printed)
  --exact-only     computes the exact returns and simulates nothing
  --out FILE       writes a report as one HTML file
  --help           this text
Exit status: 0 everything agrees, 1 something disagrees, 2 the options are invalid`;

/** Parses the options. Throws an error with the help text for invalid options. Returns undefined for --help. */
export function readPlan(argv: readonly string[]): Plan | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      games: { type: 'string', default: GAMES.join(',') },
      rounds: { type: 'string', default: String(DEFAULT_ROUNDS) },
      seed: { type: 'string', default: randomBytes(32).toString('hex') },
      'exact-only': { type: 'boolean', default: false },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const names = values.games.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !GAMES.some((game) => game === name));
  if (unknown.length > 0) throw new Error(`unknown game: ${unknown.join(', ')}\n${HELP}`);
  const rounds = Number(values.rounds.replaceAll('_', ''));
  if (!Number.isSafeInteger(rounds) || rounds < LEAST_ROUNDS || rounds > MOST_ROUNDS) {
    throw new Error(`--rounds must be from ${LEAST_ROUNDS} to ${MOST_ROUNDS}\n${HELP}`);
  }
  return {
    games: GAMES.filter((game) => names.includes(game)),
    rounds: values['exact-only'] ? 0 : rounds,
    seed: values.seed,
    out: values.out,
  };
}

/**
 * Tests that count cells need at least the minimum number of rounds. With more than the maximum number, the points of the curves would not
 * fit into memory.
 */
const LEAST_ROUNDS = 1000;
const MOST_ROUNDS = 100_000_000;
