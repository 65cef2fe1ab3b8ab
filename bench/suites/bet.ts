/**
 * npm run bench bet: measures the cost of a bet in one game or in all games. Compares it with bare node:http, bare Fastify, our HTTP kit
 * without bets, and one transaction for each bet. `--reads` measures the requests that a lobby repeats. Without `--quick`, dice bets are
 * also measured at fixed rates. `node --cpu-prof --cpu-prof-dir=FOLDER bench/run.ts` also profiles the servers, which inherit these options.
 */
import type { Db } from '../../src/platform/database/db.ts';
import type { Account } from '../load/protocol.ts';
import { measure, measureOnce, measureRounds, type Sample, sampleTable, type Task } from '../measure.ts';
import { createPlayers, createReaders } from '../players.ts';
import { type Bench, type Server, startBench, startServer } from '../processes.ts';
import { prove, proven } from '../proof.ts';
import { medianOf } from '../report.ts';
import {
  firstStepOf,
  GAMES,
  makesBets,
  mostConnections,
  type PlayName,
  playOf,
  VARIANTS,
  type Variant,
} from '../servers/plays.ts';
import { type Context, defineSuite } from '../suite.ts';
import { query } from '../world.ts';
import { PLAYERS, type Plan, planOf, ratioChecks, subjectOf, WORKLOADS, type Workload } from './bet-plan.ts';

export const bet = defineSuite({
  about: 'a bet, compared with bare servers and textbook transactions',
  options: {
    rounds: [5, 'number of measurements of each combination'],
    seconds: [6, 'length of one measurement'],
    games: [
      '',
      'these games at c256 (series: c16 and c64) instead of dice at all workloads',
      [...GAMES, 'all'],
    ],
    reads: [
      false,
      'measures the requests that a lobby repeats at c256 against bare Fastify, instead of games',
    ],
    only: ['', 'only these variants and workloads', [...VARIANTS, ...WORKLOADS.map(({ name }) => name)]],
    assert: [false, 'exits with 1 when a target is missed by more than 20 %'],
  },
  quick: { rounds: 3, seconds: 2 },
  async run(context, { rounds, seconds, games, reads, only, assert }) {
    const { world, isQuick } = context;
    const plan = planOf({ games, reads, only, isQuick });
    // A quick run ends in time even if other programs disturb it.
    const untilMs = (ms: number) => performance.now() + (isQuick ? ms * plan.games.length : 1e9);
    const [repeatUntilMs, roundsUntilMs] = [untilMs(75_000), untilMs(120_000)];
    const times = { warmUpMs: isQuick ? 700 : 1500, measureMs: 1000 * seconds, repeatUntilMs };
    const setup: Setup = { ...(await prepare(context, plan)), times };
    await warmUp(setup, plan, isQuick ? 1500 : 3000);
    const before = await countRows(world.db);
    const tasks = plan.workloads.flatMap((workload) => tasksOf(setup, plan, workload));
    const samples = await measureRounds(rounds, tasks, roundsUntilMs);
    const open = await openLoop(setup, plan, samples);
    for (const server of setup.servers.values()) await server.stop();
    const proof = reads
      ? readProof(samples, (await countRows(world.db)) - before)
      : await prove(setup.bench, []);
    const tables = plan.workloads.map(({ name, about }) => {
      const own = samples.filter((s) => s.workload === name);
      return sampleTable(`${name}: ${about}`, own, reads ? 'read' : 'bet');
    });
    return proven([proof], {
      tables: [...tables, ...open.tables],
      notes: ['Ratios of medians'],
      checks: ratioChecks(samples, { isAdvisory: !assert }),
      details: { samples, open: open.samples },
    });
  },
});

type Setup = {
  bench: Bench;
  servers: ReadonlyMap<Variant, Server>;
  times: Pick<Task, 'warmUpMs' | 'measureMs' | 'repeatUntilMs'>;
};

/** Each variant that bets has its own players, because bets of another variant would make its cache stale. */
const groupOf = (variant: Variant): string => (makesBets(variant) ? variant : 'ours');

/** Creates players, and starts the generator and one server per variant. All of them run until the end. */
async function prepare(context: Context, plan: Plan): Promise<Omit<Setup, 'times'>> {
  const { world, say, later } = context;
  const groups: Record<string, Account[]> = {};
  const create = plan.isReads ? createReaders : createPlayers;
  for (const group of new Set(plan.variants.map(groupOf))) {
    say(`creating ${PLAYERS} players for ${group}`);
    groups[group] = await create(world, { group, count: PLAYERS });
  }
  await query(world.db)`vacuum analyze`;
  const bench = await startBench(context, groups);
  const servers = new Map<Variant, Server>();
  for (const variant of plan.variants) {
    say(`starting the server of ${variant}`);
    const players = groups[groupOf(variant)]!;
    servers.set(variant, await startServer(variant, { env: world.env, later, players }));
  }
  if (plan.isReads) {
    // The player is from the middle of the list, so that the username has an average length.
    const texts = await answersOf(servers.get('ours')!, groups.ours![PLAYERS >> 1]!, plan.games);
    await servers.get('fastify')?.call('answers', texts);
  }
  return { bench, servers };
}

/** Returns a server's responses to this player's read requests. Bare Fastify must return the same responses. */
async function answersOf({ port }: Server, { token }: Account, names: readonly PlayName[]) {
  const texts: Record<string, string> = {};
  for (const name of names) {
    const { path, isPublic } = firstStepOf(name);
    const headers: Record<string, string> = isPublic ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    if (JSON.stringify(JSON.parse(text)) !== text)
      throw new Error(`${path}: Fastify would serialise it to other bytes`);
    texts[name] = text;
  }
  return texts;
}

function tasksOf({ bench, servers, times }: Setup, { games, variants }: Plan, workload: Workload): Task[] {
  return games
    .filter((game) => workload.connections <= mostConnections(game))
    .flatMap((game) =>
      variants.flatMap((variant) => {
        const play = playOf(variant, game);
        if (!play) return [];
        const { connections, players } = workload;
        const stream = { what: 'plays', play, connections, players } as const;
        const streams = [{ ...stream, group: groupOf(variant), keepsBets: makesBets(variant) }];
        const server = servers.get(variant)!;
        const subject = subjectOf(variant, game);
        return [{ ...times, bench, subject, workload: workload.name, server, streams }];
      }),
    );
}

/** A server is warm when its rate exceeds the best earlier rate by at most this fraction. */
const FLAT = 0.03;
const MOST_WARM_UPS = 8;

/** Measures each server until it no longer gets faster, because all code is compiled and all query plans exist. Discards the results. */
async function warmUp(setup: Setup, plan: Plan, measureMs: number): Promise<void> {
  const { say, world } = setup.bench;
  for (const game of plan.games) {
    const workload = widest(plan, mostConnections(game));
    for (const task of tasksOf(setup, { ...plan, games: [game] }, workload)) {
      const rates: number[] = [];
      for (let best = 0, rate = 1; rate > best * (1 + FLAT) && rates.length < MOST_WARM_UPS; ) {
        best = Math.max(best, ...rates);
        rate = (await measureOnce({ ...task, warmUpMs: 100, measureMs })).perSecond;
        rates.push(rate);
      }
      say(`warmed up ${task.subject}: ${rates.map((rate) => Math.round(rate)).join(', ')} a second`);
    }
  }
  // Discards query plans that were made for empty tables.
  await query(world.db)`analyze`;
}

function widest({ workloads }: Plan, mostAtOnce: number): Workload {
  const workload = workloads.reduce((a, b) => (b.players > a.players ? b : a));
  return { ...workload, connections: Math.min(workload.connections, mostAtOnce) };
}

/** Measures latency at a given load: requests are sent regardless of whether earlier ones have finished. */
async function openLoop(setup: Setup, plan: Plan, samples: readonly Sample[]) {
  const closed = samples.filter((s) => s.subject === 'ours' && s.workload === 'c256');
  const own = { games: ['dice'], variants: ['ours'] } as const;
  const [task] = tasksOf(setup, { ...plan, ...own }, { ...widest(plan, PLAYERS), connections: 512 });
  const open: Sample[] = [];
  const rows: (string | number)[][] = [];
  for (const share of closed.length > 0 ? plan.openLoop : []) {
    const perSecond = Math.round(share * medianOf(closed, (s) => s.perSecond));
    const measureMs = 2 * setup.times.measureMs;
    const sample = await measure({ ...task!, workload: `open ${share * 100} %`, perSecond, measureMs });
    open.push(sample);
    const { p50Ms, p99Ms, maxMs, backlog } = sample;
    rows.push([sample.workload, perSecond, Math.round(sample.perSecond), p50Ms, p99Ms, maxMs, backlog]);
  }
  const columns = ['', 'sent /s', 'bets/s', 'p50 ms', 'p99 ms', 'max ms', 'still waiting'];
  const table = { title: 'Open loop, ours (latency counts from the arrival)', columns, rows };
  return { samples: open, tables: open.length > 0 ? [table] : [] };
}

async function countRows(db: Db): Promise<number> {
  const [found] = await query(db)<{ rows: number }>`
    select ((select count(*) from bets) + (select count(*) from ledger_lines))::float8 as rows`;
  return found!.rows;
}

/** Responses may differ in length by this fraction, because players' names and amounts vary. */
const MOST_DIFFERENCE = 0.03;

/** Measurements of reads count if no rows were written and all variants returned responses of the same length. */
function readProof(samples: readonly Sample[], rowsWritten: number) {
  const problems = rowsWritten === 0 ? [] : [`${rowsWritten} rows were written`];
  for (const { subject, bodyBytes } of samples) {
    const own = samples.find((s) => s.subject === subject.replace(/\S+$/, 'ours'))!.bodyBytes;
    if (Math.abs(bodyBytes / own - 1) > MOST_DIFFERENCE)
      problems.push(`${subject}: ${bodyBytes.toFixed(0)} B, ours ${own.toFixed(0)} B`);
  }
  const isProven = problems.length === 0;
  const result = isProven ? ['nothing was written, and all responses are as long as ours'] : problems;
  return { isProven, lines: ['Proof', ...result.map((line) => `  ${line}`), ''] };
}
