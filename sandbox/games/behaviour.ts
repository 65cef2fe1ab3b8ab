import { parseObject } from '../endpoint.ts';
import { createRandom } from '../random.ts';

/**
 * The aggregator's faults and variations. Each one is set as a probability, as a number N (it occurs on the next N occasions), or as an
 * interval N (it occurs on every Nth occasion).
 */
const FAULTS = {
  slow: 'responses are delayed by slowMs, and the bodies of calls are sent in pieces',
  lost: 'the response to a wallet call is not read, and the call is repeated',
  rollbackAfterLost: 'a bet whose response was lost is rolled back immediately',
  duplicates: 'a wallet call is repeated after its response',
  duplicatesAtOnce: 'a wallet call is sent twice at the same time',
  outOfOrder: 'the win, or a rollback, is sent before the bet',
  wrongSignature: 'a call is first sent with a wrong signature',
  oldId: 'the id of a bet is reused with another amount',
  lateWin: 'the wins of a round are sent lateWinHours later',
  noClose: 'the end of a round is not sent',
  oneMessage: 'a bet and its wins are sent in one message if the protocol supports it',
  takenBack: 'paid wins and the bet of a finished round are rolled back if the protocol supports it',
  launchError: 'a launch is answered with 503',
  awardLost: 'an order of free rounds is accepted, but gets no response',
  shortList: 'the list of games contains only half of them',
} as const;

export type Fault = keyof typeof FAULTS;
type Likely = number | { next: number } | { every: number };
export type Behaviour = Record<Fault, Likely> & {
  slowMs: number;
  lateWinHours: number;
  /** Number of generated games in each dialect. */
  games: number;
  /** True if the list of games may be requested only once a minute (Hub88). */
  listOncePerMinute: boolean;
};

export const MOST_GAMES = 20_000;
const NAMES = Object.keys(FAULTS) as Fault[];

/** Text for the reference, which describes each fault. */
export const faultsText = NAMES.map((name) => `${name}: ${FAULTS[name]}`).join('; ');

export type GamesBehaviour = ReturnType<typeof createGamesBehaviour>;

/** Creates the aggregator's behaviour, which is normal until it is changed. `games` is the initial number of games that it offers. */
export function createGamesBehaviour(games: number) {
  const good = {
    ...(Object.fromEntries(NAMES.map((name) => [name, 0])) as Record<Fault, Likely>),
    slowMs: 1000,
    lateWinHours: 1,
    games,
    listOncePerMinute: false,
  };
  const random = createRandom();
  const counts = new Map<Fault, number>();
  let now: Behaviour = good;
  return {
    get: (): Behaviour => now,
    /** Sets the behaviour. Omitted faults are disabled. Throws an Error whose message describes the problem. */
    set(text: string): void {
      const { seed, ...behaviour } = readBehaviour(text, good);
      now = behaviour;
      counts.clear();
      random.restart(seed);
    },
    random: random.next,
    /** Returns true if the fault occurs this time. */
    hits(name: Fault): boolean {
      const likely = now[name];
      if (typeof likely === 'number') return likely > 0 && random.next() < likely;
      if ('every' in likely) {
        const count = (counts.get(name) ?? 0) + 1;
        counts.set(name, count);
        return count % likely.every === 0;
      }
      if (likely.next <= 0) return false;
      now = { ...now, [name]: { next: likely.next - 1 } };
      return true;
    },
  };
}

function readBehaviour(text: string, good: Behaviour): Behaviour & { seed: number } {
  const input = parseObject(text);
  if (!input) throw new Error('the body must be a JSON object');
  const { seed = 1, ...rest } = input;
  const unknown = Object.keys(rest).find((name) => !Object.hasOwn(good, name));
  if (unknown)
    throw new Error(`unknown field ${unknown}; the fields are ${Object.keys(good).join(', ')}, seed`);
  const given = { ...good, ...rest } as Behaviour;
  const wrong = NAMES.find((name) => !isLikely(given[name]));
  if (wrong)
    throw new Error(
      `${wrong} must be a probability, { "next": number of calls } or { "every": number of calls }`,
    );
  for (const name of ['slowMs', 'lateWinHours', 'games'] as const)
    if (typeof given[name] !== 'number' || !(given[name] >= 0))
      throw new Error(`${name} must be a number of at least 0`);
  if (!Number.isInteger(given.games) || given.games > MOST_GAMES)
    throw new Error(`games must be a whole number up to ${MOST_GAMES}`);
  if (typeof given.listOncePerMinute !== 'boolean')
    throw new Error('listOncePerMinute must be true or false');
  if (!Number.isInteger(seed)) throw new Error('seed must be a whole number');
  return { ...given, seed: seed as number };
}

function isLikely(value: unknown): value is Likely {
  if (typeof value === 'number') return value >= 0 && value <= 1;
  if (typeof value !== 'object' || value === null) return false;
  const [[name, times] = [], ...more] = Object.entries(value);
  if (more.length > 0 || !Number.isInteger(times)) return false;
  return (name === 'next' && times >= 0) || (name === 'every' && times >= 1);
}
