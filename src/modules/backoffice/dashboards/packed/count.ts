import type { DbOrTx } from '../../../../platform/database/db.ts';
import type { Steps } from '../periods/rules.ts';
import type { Games } from '../rules.ts';
import { countDifferent, createSums, partsOf, type Sums, stepAt, stepsByHour } from './rules.ts';
import { visitPlayers } from './visit.ts';

const keysOf = (games: Games) => games?.map(String);
/** Returns an empty list of players for each step, to be filled. A player may be added more than once. */
const none = (steps: Steps): number[][] => steps.starts.map(() => []);

export type Players = { bySteps: bigint[]; total: bigint };

/** Counts the real players with a counting bet on these games, in each step and in all steps from `first` on. */
export async function countPlayers(db: DbOrTx, steps: Steps, games?: Games, first = 0): Promise<Players> {
  const bySteps = none(steps);
  await visitPlayers(db, steps, { source: 'play', keys: keysOf(games) }, ({ step, userId }) => {
    bySteps[step]!.push(userId);
  });
  const { each, together } = countDifferent(bySteps, first);
  return { bySteps: each.map(BigInt), total: BigInt(together) };
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

/** Counts the real players who made a deposit in each step other than their first, in this currency (undefined means any). */
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

/** Returns each real player's stakes and payouts (`one`, `two`) in each step. Amounts are own money in US dollars × 10^8. */
export const sumPlay = (db: DbOrTx, steps: Steps): Promise<Sums[]> =>
  sumPlayers(db, steps, { source: 'play', withAmounts: true });

/** Returns each real player's deposits (`one`) in each step, in US dollars × 10^8. */
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
  /** The periods in which players were active. */
  played: Steps;
  /** The sign-up steps, each within one of the days. */
  signedUp: Steps;
  /** All days to read, in a time zone. */
  days: Steps;
  /** The numbers of days after the sign-up. */
  after: readonly number[];
};
/** `returned` is indexed by `after`, then by step. */
type ActiveAndReturned = { active: bigint[]; returned: bigint[][] };

/**
 * Counts the real players with a counting bet in each period. It also counts those who signed up in each step and had one the given number
 * of days later.
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
