import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { daysOf, periodOf, type Steps } from '../periods/rules.ts';
import type { Games } from '../rules.ts';
import { readHours, readPacked, readPackedDays, readUncounted, type Wanted } from './queries.ts';
import {
  countDifferent,
  createSums,
  forEachPlayer,
  forEachStep,
  gapsIn,
  partsOf,
  type Sums,
  stepAt,
  stepsByHour,
  stepsOfDay,
} from './rules.ts';

const keysOf = (games: Games) => games?.map(String);
/** Returns an empty list of players for each step. Callers fill the lists and may add a player more than once. */
const none = (steps: Steps): number[][] => steps.starts.map(() => []);

export type Players = { bySteps: bigint[]; total: bigint };

/** Counts the real players with bets on these games (table `play_hours`): in each step, and in all steps from the step `first` on. */
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

/**
 * A player who was active in a step. The same player and step can occur several times, each time with a part of the amounts. `amounts`
 * contains two 64-bit numbers, starting at byte `at`. `signUp` is the hour of the sign-up, in hours since 1970.
 */
type Seen = {
  step: number;
  key: string;
  userId: number;
  amounts: DataView;
  at: number;
  signUp: number;
};

/** The number of players after which the loop pauses, so that other requests are handled. */
const AT_ONCE = 50_000;

function pauseAfter(most: number) {
  let left = most;
  return async (seen: number): Promise<void> => {
    left -= seen;
    if (left >= 0) return;
    left = most;
    await nextTurn();
  };
}

/**
 * Calls `visit` for all real players who were active in these steps. Reads packed days, and hourly rows for all other days. If amounts are
 * needed, days in which a step begins or ends are also read from hourly rows, because a packed day contains only the sum of the day. The
 * same `seen` object is reused for all calls.
 */
async function visitPlayers(
  db: DbOrTx,
  steps: Steps,
  wanted: Wanted,
  visit: (seen: Readonly<Seen>) => void,
): Promise<void> {
  const days = daysOf(steps);
  const cut = new Set(days.cut);
  const uncounted = await readUncounted(db);
  const packed = (await readPackedDays(db, wanted, days)).filter(
    (day) => !wanted.withAmounts || !cut.has(day),
  );
  const single = new DataView(new ArrayBuffer(16));
  const seen: Seen = { step: 0, key: '', userId: 0, amounts: single, at: 0, signUp: 0 };
  const see = () => {
    if (!uncounted.has(seen.userId)) visit(seen);
  };
  const pause = pauseAfter(AT_ONCE);

  const visitDays = async (days: readonly number[]) => {
    for (const { at, key, players, amounts, signUps } of await readPacked(db, wanted, days)) {
      const day = at.getTime();
      const ofHours = cut.has(day) ? stepsOfDay(steps, day) : undefined;
      if (amounts) seen.amounts = new DataView(amounts.buffer, amounts.byteOffset, amounts.byteLength);
      seen.key = key;
      seen.step = stepAt(steps, day);
      forEachPlayer(players, (userId, hours, place) => {
        seen.userId = userId;
        seen.at = place * 16;
        if (signUps) seen.signUp = signUps.readInt32BE(place * 4);
        if (!ofHours) return see();
        forEachStep(hours, ofHours, (step) => {
          seen.step = step;
          see();
        });
      });
      await pause(players.length / 8);
    }
  };
  // With `byKey`, each step needs a separate query. Each day that is divided between steps also needs a separate query. A query returns one
  // row per key.
  const batches = Object.values(
    Object.groupBy(packed, (day) => (cut.has(day) ? `day ${day}` : `step ${stepAt(steps, day)}`)),
  );
  for (const batch of wanted.byKey ? batches : [packed]) await visitDays(batch!);

  for (const row of await readHours(db, wanted, { steps, periods: gapsIn(periodOf(steps), packed) })) {
    single.setBigInt64(0, BigInt(row.one));
    single.setBigInt64(8, BigInt(row.two));
    const { step, key, userId, signUp } = row;
    Object.assign(seen, { step, key, userId, signUp, amounts: single, at: 0 });
    see();
  }
}
