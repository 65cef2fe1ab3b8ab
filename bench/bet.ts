/**
 * npm run bench bet: measures the cost of a bet in one game or in all games (--help). Compares it with bare node:http, Fastify, and three other
 * implementations.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { playOf } from './games.ts';
import type { Bench, Sample } from './measure.ts';
import { type Plan, readPlan } from './plan.ts';
import { isProven, prove, readProblems } from './proof.ts';
import { ratiosOf } from './ratios.ts';
import {
  disagreement,
  openLoopLines,
  proofLines,
  ratioLines,
  rowsLine,
  textOfBigint,
  workloadTable,
} from './report.ts';
import { runOpenLoop, runRounds, warmUp } from './rounds.ts';
import { createSay } from './say.ts';
import { prepare } from './setup.ts';
import { resetStatements, statementLines } from './statements.ts';
import { runAndUndo } from './undo.ts';
import { countRows, durabilityOf, type Rows } from './world.ts';

const plan = planOrExit();
const say = createSay();

await runAndUndo(async (later) => run(await prepare({ plan, say, later })));

async function run(bench: Bench): Promise<number> {
  const { db } = bench.world;
  const durability = await durabilityOf(db);
  console.log(settingLines(durability).join('\n'));
  const before = await countRows(db);
  await warmUp(bench);
  if (plan.profile) await resetStatements(db);
  const started = await countRows(db);
  const samples = await runRounds(bench);
  const made = (await countRows(db)).bets - started.bets;
  const timed = plan.profile ? await statementLines(db, made) : [];
  const open = await runOpenLoop(bench, samples);
  // Stops the servers, so that pending work is finished before the results are verified.
  for (const server of bench.servers.values()) await server.stop();
  const { result, isGood } = plan.isReads
    ? await proofOfReads(bench, { before, samples })
    : await proofOfBets(bench, before);
  const ratios = isGood ? ratiosOf(samples) : [];
  if (plan.json) save(plan.json, { plan, durability, samples, open, ratios, ...result });
  if (!isGood) {
    console.log('The database does not agree with the responses, so this run has no results.');
    return 1;
  }
  console.log([...tables(samples), ...openLoopLines(open), ...timed].join('\n'));
  console.log(['Ratios of medians', ...ratioLines(ratios), ...disagreement(ratios)].join('\n'));
  return plan.asserts && ratios.some((ratio) => ratio.failed) ? 1 : 0;
}

async function proofOfBets({ world: { db, env }, generator }: Bench, before: Rows) {
  const acknowledged = await generator.acknowledged();
  const proof = await prove(db, acknowledged, { seedSecret: env.SEED_SECRET, say });
  const rows = { before, after: await countRows(db) };
  console.log(['', 'Proof', ...proofLines(proof, rows), ''].join('\n'));
  return { result: { rows, proof }, isGood: isProven(proof) };
}

async function proofOfReads(
  { world: { db } }: Bench,
  { before, samples }: { before: Rows; samples: readonly Sample[] },
) {
  const rows = { before, after: await countRows(db) };
  const problems = readProblems(samples, rows);
  const lines =
    problems.length > 0 ? problems : ['nothing was written, and all responses are as long as ours'];
  console.log(['', 'Proof', rowsLine(rows), ...lines.map((line) => `  ${line}`), ''].join('\n'));
  return { result: { rows, problems }, isGood: problems.length === 0 };
}

function tables(samples: readonly Sample[]): string[] {
  return plan.workloads.flatMap(({ name, what }) =>
    workloadTable(
      `${name}: ${what}`,
      samples.filter((s) => s.workload === name),
    ),
  );
}

function settingLines(durability: Record<string, string>): string[] {
  const [cpu] = cpus();
  return [
    `  ${cpus().length} × ${cpu?.model ?? 'unknown'}, Node ${process.version}, one API process, generator on the same machine`,
    `  PostgreSQL: ${Object.entries(durability)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
    ...plan.games.map(
      (game) =>
        `  ${game}: ${playOf('ours', game)!
          .steps.map(({ path, body }) => (body ? JSON.stringify(body) : `GET ${path}`))
          .join(' ')}`,
    ),
    `  ${plan.rounds} rounds of ${plan.measureMs / 1000} s, interleaved; ${plan.isReads ? '' : 'VACUUM and '}CHECKPOINT before each measurement`,
  ];
}

function save(file: string, result: Record<string, unknown>): void {
  writeFileSync(file, JSON.stringify(result, textOfBigint, 2));
}

function planOrExit(): Plan {
  try {
    return readPlan(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}
