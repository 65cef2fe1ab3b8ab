import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DbOrTx } from '../../../../platform/db.ts';
import { daysOf, periodOf, type Steps } from '../periods/rules.ts';
import { readHours, readPacked, readPackedDays, readUncounted, type Wanted } from './queries.ts';
import { forEachPlayer, forEachStep, gapsIn, stepAt, stepsOfDay } from './rules.ts';

/** A player who did something in a step; perhaps once more in the same step, with further amounts. */
export type Seen = { step: number; key: string; userId: number; one: bigint; two: bigint };

/** Other requests have their turn after so many. */
const AT_ONCE = 50_000;

/**
 * Calls `visit` for all real players who did something in these steps: from packed days, and from hours where a day is not packed. Where
 * amounts are asked for, hours are also read of days that steps begin or end in: packed is only the sum of a day. `seen` is one object that changes.
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
  const packed = (await readPackedDays(db, wanted.source, days)).filter(
    (day) => !wanted.withAmounts || !cut.has(day),
  );
  const seen: Seen = { step: 0, key: '', userId: 0, one: 0n, two: 0n };
  const see = () => {
    if (!uncounted.has(seen.userId)) visit(seen);
  };

  let left = AT_ONCE;
  for (const { at, key, players, amounts } of await readPacked(db, wanted, packed)) {
    const day = at.getTime();
    const ofHours = cut.has(day) ? stepsOfDay(steps, day) : undefined;
    seen.key = key;
    seen.step = stepAt(steps, day);
    forEachPlayer(players, (userId, hours, place) => {
      seen.userId = userId;
      if (amounts) {
        seen.one = amounts.readBigInt64BE(place * 16);
        seen.two = amounts.readBigInt64BE(place * 16 + 8);
      }
      if (!ofHours) return see();
      forEachStep(hours, ofHours, (step) => {
        seen.step = step;
        see();
      });
    });
    left -= players.length / 8;
    if (left < 0) {
      left = AT_ONCE;
      await nextTurn();
    }
  }

  for (const row of await readHours(db, wanted, { steps, periods: gapsIn(periodOf(steps), packed) })) {
    Object.assign(seen, row, { one: BigInt(row.one), two: BigInt(row.two) });
    see();
  }
}
