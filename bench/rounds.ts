import { sql } from 'kysely';
import { type Bench, measure, measureOnce, type Sample } from './measure.ts';
import type { Workload } from './plan.ts';
import { betsPerSecond, spreadOf } from './ratios.ts';
import { progressLine } from './report.ts';

const WARM_UP_MS = 3000;

/** Every server compiled and every plan made before anything counts. */
export async function warmUp(bench: Bench): Promise<void> {
  const workload = widest(bench);
  const measureMs = bench.plan.quick ? WARM_UP_MS / 2 : WARM_UP_MS;
  for (const variant of bench.plan.variants) {
    bench.say(`warming up ${variant}`);
    await measureOnce(bench, { variant, workload, warmUpMs: 100, measureMs });
  }
  // Plans that were made on empty tables must not stay.
  await sql`analyze`.execute(bench.world.db);
}

/** All variants of a workload one after the other, all workloads, and then the next round. */
export async function runRounds(bench: Bench): Promise<Sample[]> {
  const { plan, say } = bench;
  const samples: Sample[] = [];
  for (let round = 1; round <= plan.rounds; round++) {
    if (round > 1 && performance.now() - bench.startedMs > plan.roundsForMs) {
      say(`time is up: ${round - 1} of ${plan.rounds} rounds`);
      break;
    }
    for (const workload of plan.workloads) {
      say(`round ${round} of ${plan.rounds}, ${workload.name}: ${workload.what}`);
      for (const variant of plan.variants) {
        const sample = await measure(bench, { variant, workload });
        samples.push(sample);
        say(progressLine(sample));
      }
    }
  }
  return samples;
}

export type OpenLoopSample = Sample & { share: number; asked: number };

/** Requests that arrive whether or not others were answered: what a player waits for at a given load. */
export async function runOpenLoop(bench: Bench, closed: readonly Sample[]): Promise<OpenLoopSample[]> {
  const rates = closed.filter((s) => s.variant === 'ours' && s.workload === 'c256').map(betsPerSecond);
  const result: OpenLoopSample[] = [];
  if (rates.length === 0) return result;
  for (const share of bench.plan.openLoop) {
    const asked = share * spreadOf(rates).median;
    bench.say(`open loop, ours at ${Math.round(asked)} bets a second (${share * 100} % of its maximum)`);
    const workload = { ...widest(bench), name: `open ${share * 100} %`, connections: 512 };
    const sample = await measure(bench, {
      variant: 'ours',
      workload,
      perSecond: asked,
      measureMs: 2 * bench.plan.measureMs,
    });
    bench.say(progressLine(sample));
    result.push({ ...sample, share, asked });
  }
  return result;
}

function widest({ plan }: Bench): Workload {
  return plan.workloads.reduce((a, b) => (b.players > a.players ? b : a));
}
