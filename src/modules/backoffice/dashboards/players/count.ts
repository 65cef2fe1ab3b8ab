import type { DbOrTx } from '../../../../platform/database/db.ts';
import { visitPlayers } from '../packed/visit.ts';
import { type Steps, stepAt } from '../periods/rules.ts';
import type { Games } from '../rules.ts';
import { countDifferent, createSums, partsOf, type Sums, stepsByHour } from './rules.ts';

const keysOf = (games: Games) => games?.map(String);
/** Returns an empty list of players for each step. Callers fill the lists and may add a player more than once. */
const none = (steps: Steps): number[][] => steps.starts.map(() => []);

/** Numbers of players: in each step, in all steps from the step `first` on, and in all steps before it. */
export type Players = { bySteps: bigint[]; total: bigint; before: bigint };

/** Counts the real players with bets on these games (table `play_hours`). */
export async function countPlayers(db: DbOrTx, steps: Steps, games?: Games, first = 0): Promise<Players> {
  const bySteps = none(steps);
  await visitPlayers(db, steps, { source: 'play', keys: keysOf(games) }, ({ step, userId }) => {
    bySteps[step]!.push(userId);
  });
  const { each, together } = countDifferent(bySteps, first);
  const before = countDifferent(bySteps.slice(0, first)).together;
  return { bySteps: each.map(BigInt), total: BigInt(together), before: BigInt(before) };
}

/** Counts the real players of each game. */
export async function countPlayersByGame(
  db: DbOrTx,
  steps: Steps,
  games: readonly number[],
): Promise<ReadonlyMap<number, bigint>> {
  const byGame = new Map(games.map((id): [string, number[]] => [String(id), []]));
  const wanted = { source: 'play', keys: keysOf(games), byKey: true } as const;
  await visitPlayers(db, steps, wanted, ({ key, userId }) => byGame.get(key)!.push(userId));
  const { each } = countDifferent([...byGame.values()]);
  return new Map(games.map((id, i) => [id, BigInt(each[i]!)]));
}

/** Counts, for each step, the real players who made a deposit in this currency (undefined: any) that was not their first deposit. */
export async function countRepeatDepositors(
  db: DbOrTx,
  steps: Steps,
  currencyId?: string,
): Promise<number[]> {
  const bySteps = none(steps);
  await visitPlayers(db, steps, depositsIn(currencyId), ({ step, userId, amounts, at }) => {
    if (amounts.getBigInt64(at + 8) > 0n) bySteps[step]!.push(userId);
  });
  return countDifferent(bySteps).each;
}

const depositsIn = (currencyId: string | undefined) =>
  ({
    source: 'deposit',
    keys: currencyId === undefined ? undefined : [currencyId],
    withAmounts: true,
  }) as const;

/** Returns each real player's stakes (`one`) and payouts (`two`) in each step. Amounts exclude bonus money and are in US dollars × 10^8. */
export const sumPlay = (db: DbOrTx, steps: Steps): Promise<Sums[]> =>
  sumPlayers(db, steps, { source: 'play', withAmounts: true });

/** Returns each real player's deposits in each step, in US dollars × 10^8. The `forEach` method of the sums passes them as `one`. */
export const sumDeposits = (db: DbOrTx, steps: Steps, currencyId?: string): Promise<Sums[]> =>
  sumPlayers(db, steps, depositsIn(currencyId));

async function sumPlayers(
  db: DbOrTx,
  steps: Steps,
  wanted: Parameters<typeof visitPlayers>[2],
): Promise<Sums[]> {
  const bySteps = steps.starts.map(createSums);
  await visitPlayers(db, steps, wanted, ({ step, userId, amounts, at }) => {
    bySteps[step]!.add(userId, amounts, at);
  });
  return bySteps;
}

type Looked = {
  /** The periods for which active players are counted. */
  played: Steps;
  /** The steps for which sign-ups are counted. Each step is within one of the days. */
  signedUp: Steps;
  /** All days to read. The days begin at midnight in the time zone of the request. */
  days: Steps;
  /** For each of these numbers, the players who returned this many days after their sign-up are counted. */
  after: readonly number[];
};
/** The first index of `returned` is the index in `after`, the second index is the step. */
type ActiveAndReturned = { active: bigint[]; returned: bigint[][] };

/**
 * Counts the real players with bets in each period. Also counts the players who signed up in each step and had bets the given number of
 * days later. Reads the bets in `play_hours`.
 */
export async function countActiveAndReturned(db: DbOrTx, looked: Looked): Promise<ActiveAndReturned> {
  const { played, signedUp, days, after } = looked;
  const cohortAt = stepsByHour(signedUp);
  const parts = partsOf(played, days);
  const [periodOf, dayOf] = [played, days].map((steps) => parts.starts.map((at) => stepAt(steps, at)));
  const dayOfCohort = signedUp.starts.map((at) => stepAt(days, at));
  const active = none(played);
  const back = after.map(() => none(signedUp));
  const wanted = { source: 'play', withSignUps: true } as const;
  await visitPlayers(db, parts, wanted, ({ step: part, userId, signUp }) => {
    active[periodOf![part]!]?.push(userId);
    const cohort = cohortAt(signUp);
    const place = cohort < 0 ? -1 : after.indexOf(dayOf![part]! - dayOfCohort[cohort]!);
    if (place >= 0) back[place]![cohort]!.push(userId);
  });
  return {
    active: countDifferent(active).each.map(BigInt),
    returned: back.map((players) => countDifferent(players).each.map(BigInt)),
  };
}
