/** npm run reconcile: checks that ledger, balances and bets are consistent, and prints differences. Exits with 1 if it finds any. */

import { readConfig, runOnDb } from '../app/boot.ts';
import { readArguments } from '../app/commands/arguments.ts';
import { reconcile } from '../app/commands/reconcile.ts';
import type { Db } from '../platform/database/db.ts';
import { seedSecret } from '../platform/secrets/encryption.ts';

readArguments('npm run reconcile', { options: {} });
const config = readConfig();
process.exit(await runOnDb(config, { name: 'reconcile', statementTimeoutMs: 3_600_000 }, prove));

async function prove(db: Db): Promise<number> {
  const started = performance.now();
  const report = await reconcile(db, {
    seedSecret: seedSecret(config),
    progress: (proves) => console.log(`checking ${proves}`),
  });
  tell(report, Math.round(performance.now() - started));
  return report.findings.length === 0 ? 0 : 1;
}

function tell({ findings, checked }: Awaited<ReturnType<typeof reconcile>>, ms: number): void {
  const written = (facts: unknown) =>
    JSON.stringify(facts, (_, v) => (typeof v === 'bigint' ? String(v) : v));
  for (const { invariant, problem, facts } of findings)
    console.log(`BROKEN ${invariant}: ${problem}: ${written(facts)}`);
  const counts = Object.entries(checked)
    .map(([what, n]) => `${n} ${what}`)
    .join(', ');
  const result = findings.length === 0 ? 'no differences' : `${findings.length} findings`;
  console.log(`${result}: ${counts}, ${ms} ms`);
}
