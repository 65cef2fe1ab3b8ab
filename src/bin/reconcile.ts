/** npm run reconcile: proves the books of the database and prints what does not agree. Exits 1 when anything does not. */
import { readConfig, runOnDatabase } from '../boot.ts';
import { reconcile } from '../modules/reconcile/service.ts';
import { createDb, createPool } from '../platform/db.ts';
import { silentLog } from '../platform/log.ts';

const config = readConfig();
process.exit(await runOnDatabase(config, prove));

async function prove(connectionString: string): Promise<number> {
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 3_600_000 };
  const pool = createPool(
    { connectionString, poolSize: 1, ...timeouts, name: 'croupier reconcile' },
    silentLog,
  );
  const started = performance.now();
  try {
    const report = await reconcile(createDb(pool), {
      seedSecret: config.SEED_SECRET,
      progress: (check) => console.log(`checking ${check}`),
    });
    tell(report, Math.round(performance.now() - started));
    return report.findings.length === 0 ? 0 : 1;
  } finally {
    await pool.end();
  }
}

function tell({ findings, checked }: Awaited<ReturnType<typeof reconcile>>, ms: number): void {
  const written = (facts: unknown) =>
    JSON.stringify(facts, (_, v) => (typeof v === 'bigint' ? String(v) : v));
  for (const { invariant, problem, facts } of findings)
    console.log(`BROKEN ${invariant}: ${problem}: ${written(facts)}`);
  const counts = Object.entries(checked)
    .map(([what, n]) => `${n} ${what}`)
    .join(', ');
  const result = findings.length === 0 ? 'everything agrees' : `${findings.length} findings`;
  console.log(`${result}: ${counts}, ${ms} ms`);
}
