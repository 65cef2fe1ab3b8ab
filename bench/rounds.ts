import { sql } from 'kysely';
import { mostConnections, playOf } from './games.ts';
import { type Bench, measure, measureOnce, type OpenLoopSample, type Sample, type Task } from './measure.ts';
import type { Workload } from './plan.ts';
import { betsPerSecond, spreadOf, subjectOf } from './ratios.ts';
import { progressLine } from './report.ts';

const WARM_UP_MS = 3000;
/** A server is warm when its rate exceeds the best earlier rate by at most this fraction. */
const FLAT = 0.03;
const MOST_WARM_UPS = 8;

/**
 * Measures each server until it no longer gets faster. By then all code is compiled and all query plans exist. These measurements are
 * discarded.
 */
export async function warmUp(bench: Bench): Promise<void> {
  const workload = widest(bench);
  const measureMs = bench.plan.quick ? WARM_UP_MS / 2 : WARM_UP_MS;
  for (const { variant, game } of tasksOf(bench)) {
    const fitting = { ...workload, connections: Math.min(workload.connections, mostConnections(game)) };
    const rates: number[] = [];
    for (let best = 0, rate = 1; rate > best * (1 + FLAT) && rates.length < MOST_WARM_UPS; ) {
      best = Math.max(best, ...rates);
      ({ perSecond: rate } = await measureOnce(bench, {
        variant,
        game,
        workload: fitting,
        warmUpMs: 100,
        measureMs,
      }));
      rates.push(rate);
    }
    bench.say(`warmed up ${variant}, ${game}: ${rates.map((rate) => Math.round(rate)).join(', ')} a second`);
  }
  // Discards query plans that were made for empty tables.
  await sql`analyze`.execute(bench.world.db);
}

/** Measures every workload in each round, with all variants of all games. */
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
      for (const task of tasksOf(bench)) {
        if (workload.connections > mostConnections(task.game)) continue;
        const sample = await measure(bench, { ...task, workload });
        samples.push(sample);
        say(progressLine(sample));
      }
    }
  }
  return samples;
}

/** Measures latency at a given load (open loop): requests are sent regardless of whether earlier ones have finished. */
export async function runOpenLoop(bench: Bench, closed: readonly Sample[]): Promise<OpenLoopSample[]> {
  const rates = closed.filter((s) => subjectOf(s) === 'ours' && s.workload === 'c256').map(betsPerSecond);
  const result: OpenLoopSample[] = [];
  if (rates.length === 0) return result;
  for (const share of bench.plan.openLoop) {
    const asked = share * spreadOf(rates).median;
    bench.say(`open loop, ours at ${Math.round(asked)} bets a second (${share * 100} % of its maximum)`);
    const workload = { ...widest(bench), name: `open ${share * 100} %`, connections: 512 };
    const sample = await measure(bench, {
      variant: 'ours',
      game: 'dice',
      workload,
      perSecond: asked,
      measureMs: 2 * bench.plan.measureMs,
    });
    bench.say(progressLine(sample));
    result.push({ ...sample, share, asked });
  }
  return result;
}

/** Returns every combination of a variant and a game that it supports. */
function tasksOf({ plan }: Bench): Pick<Task, 'variant' | 'game'>[] {
  return plan.games.flatMap((game) =>
    plan.variants.filter((variant) => playOf(variant, game)).map((variant) => ({ variant, game })),
  );
}

function widest({ plan }: Bench): Workload {
  return plan.workloads.reduce((a, b) => (b.players > a.players ? b : a));
}
