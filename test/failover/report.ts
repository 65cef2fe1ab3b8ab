import type { Cycle } from './cycle.ts';
import type { FaultName } from './faults.ts';

/** Goal for the median time until bets are accepted again, with a ttl of 10 s. */
const GOAL_MS: Partial<Record<FaultName, number>> = { machine: 15_000, postgres: 6000, switchover: 3000 };
/** Factor by which a shared machine may exceed the goals. */
const MARGIN = 3;

export function describe({
  name,
  fault,
  acked,
  missing,
  unknown,
  landed,
  withdrawals,
  gapMs,
  healedMs,
  said,
}: Cycle) {
  const counts = `${acked} acked, ${missing} missing, ${unknown} unknown of which ${landed} landed`;
  const times = `bets again after ${gapMs} ms, three members after ${healedMs} ms`;
  return `${name} ${fault}: ${counts}, ${withdrawals} withdrawals so far, ${times}; ${JSON.stringify(said)}`;
}

/** Prints the result tables. Returns true if all goals are met. */
export function conclude(
  done: readonly Cycle[],
  control: { acked: number; lost: number },
  { isStrict, took }: { isStrict: boolean; took: number },
): boolean {
  console.table(done.map(({ problems, said: _, ...cycle }) => ({ ...cycle, problems: problems.length })));
  const problems = done.flatMap((cycle) => cycle.problems).length;
  const slow = [...byFault(done)].flatMap(([fault, gaps]) => {
    const goal = GOAL_MS[fault];
    const p50 = median(gaps);
    const limit = goal && (isStrict ? goal : goal * MARGIN);
    console.log(`${fault.padEnd(10)} p50 ${p50} ms of ${gaps.join(', ')}${goal ? ` (goal ${goal})` : ''}`);
    return limit && p50 > limit ? [`${fault}: p50 ${p50} ms is more than ${limit}`] : [];
  });
  for (const each of slow) console.log(`SLOW ${each}`);
  if (control.lost === 0) console.log('the control found nothing: this test proves nothing');
  const sum = (of: (cycle: Cycle) => number) => done.reduce((total, cycle) => total + of(cycle), 0);
  const counts = `${sum(({ acked }) => acked)} acknowledged, ${sum(({ missing }) => missing)} lost`;
  console.log(
    `failover: ${done.length} cycles, ${counts}, ${problems} problems, control lost ${control.lost} of ${control.acked}, ${Math.round(took / 1000)} s`,
  );
  return problems === 0 && slow.length === 0 && control.lost > 0;
}

const byFault = (done: readonly Cycle[]): Map<FaultName, number[]> =>
  new Map(
    [...Map.groupBy(done, ({ fault }) => fault)].map(([fault, all]) => [
      fault,
      all.map(({ gapMs }) => gapMs),
    ]),
  );

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return Math.round((sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2);
}
