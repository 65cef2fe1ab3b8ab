import { readConfig, runOnDb } from '../../app/boot.ts';
import { reconcile } from '../../app/commands/reconcile.ts';
import type { Db } from '../../platform/database/db.ts';
import { type Secret, seedSecret } from '../../platform/secrets/encryption.ts';
import { type CommandFile, createProgress, type Output, print, textOfBigint } from '../command.ts';

export const file: CommandFile = {
  details:
    'Prints the differences. Exits with 1 if it finds any. It only reads, and the platform may be running.',
  examples: ['npx croupier reconcile', 'npx croupier reconcile --json'],
  define: (command) =>
    command.action(async (output: Output) => {
      const config = readConfig();
      const database = { name: 'reconcile', statementTimeoutMs: 3_600_000 };
      process.exit(await runOnDb(config, database, (db) => prove(db, seedSecret(config), output)));
    }),
};

async function prove(db: Db, seedSecret: Secret, output: Output): Promise<number> {
  const started = performance.now();
  const { say, wait, end, isTerminal } = createProgress(output);
  const show = isTerminal ? wait : say;
  const report = await reconcile(db, {
    seedSecret,
    progress: (proves) => show(`checking ${proves}`),
  }).finally(end);
  const ms = Math.round(performance.now() - started);
  print(output, { ...report, ms }, linesOf(report, ms));
  return report.findings.length === 0 ? 0 : 1;
}

function linesOf({ findings, checked }: Awaited<ReturnType<typeof reconcile>>, ms: number): string[] {
  const counts = Object.entries(checked)
    .map(([what, n]) => `${n} ${what}`)
    .join(', ');
  const result = findings.length === 0 ? 'no differences' : `${findings.length} findings`;
  return [
    ...findings.map(
      ({ invariant, problem, facts }) =>
        `BROKEN ${invariant}: ${problem}: ${JSON.stringify(facts, textOfBigint)}`,
    ),
    `${result}: ${counts}, ${ms} ms`,
  ];
}
