/** npm run reconcile: proves the books of the database and prints what does not agree. Exits 1 when anything does not. */
import { openDatabase, readConfig } from '../boot.ts';
import { reconcile } from '../modules/reconcile/service.ts';
import { createDb, createPool } from '../platform/db.ts';
import { silentLog } from '../platform/log.ts';

const config = readConfig();
const database = await openDatabase(config, () => {});
const pool = createPool(
  {
    connectionString: database.url,
    poolSize: 1,
    connectTimeoutMs: 5000,
    statementTimeoutMs: 3_600_000,
    name: 'croupier reconcile',
  },
  silentLog,
);
const started = performance.now();
const { findings, checked } = await reconcile(createDb(pool), {
  seedSecret: config.SEED_SECRET,
  progress: (check) => console.log(`checking ${check}`),
});
for (const { invariant, problem, facts } of findings) {
  console.log(
    `BROKEN ${invariant}: ${problem}: ${JSON.stringify(facts, (_, v) => (typeof v === 'bigint' ? String(v) : v))}`,
  );
}
const counts = Object.entries(checked)
  .map(([what, n]) => `${n} ${what}`)
  .join(', ');
console.log(
  `${findings.length === 0 ? 'everything agrees' : `${findings.length} findings`}: ${counts}, ${Math.round(performance.now() - started)} ms`,
);
await pool.end();
await database.stop();
process.exit(findings.length === 0 ? 0 : 1);
