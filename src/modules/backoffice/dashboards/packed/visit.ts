import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { daysOf, periodOf, type Steps, stepAt } from '../periods/rules.ts';
import { readHours, readPacked, readPackedDays, readUncounted, type Wanted } from './queries.ts';
import { forEachPlayer, forEachStep, gapsIn, stepsOfDay } from './rules.ts';

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
 * Calls `visit` for all real players who were active in these steps. With `packDays`, this is all that other code needs to know about packed
 * days: it reads them, and hourly rows for all other days. If amounts are needed, days in which a step begins or ends are also read from
 * hourly rows, because a packed day contains only the sum of the day. The same `seen` object is reused for all calls.
 */
export async function visitPlayers(
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
