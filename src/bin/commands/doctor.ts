import { examine } from '../../app/commands/doctor/doctor.ts';
import type { Finding } from '../../app/commands/doctor/finding.ts';
import { type CommandFile, createProgress, type Output, print } from '../command.ts';

export const file: CommandFile = {
  details:
    'Checks Node, settings, secrets, ports, database, clock, disk, the folder of the brand and the configured external services. Prints one ' +
    'line for each check: ok, warning or problem, with the remedy. Changes nothing, and the platform may be running. Exits with 1 if there ' +
    'is a problem.',
  examples: ['npx croupier doctor', 'npx croupier doctor --json'],
  define: (command) => command.action(async (output: Output) => process.exit(await run(output))),
};

async function run(output: Output): Promise<number> {
  const { wait, end } = createProgress(output);
  const findings = await examine(process.env, wait).finally(end);
  const width = Math.max(...findings.map(({ check }) => check.length));
  print(
    output,
    { findings },
    findings.map((finding) => lineOf(finding, width)),
  );
  return findings.some(({ status }) => status === 'problem') ? 1 : 0;
}

const lineOf = ({ check, status, message, remedy }: Finding, width: number): string =>
  `${status.padEnd(7)}  ${check.padEnd(width)}  ${message}${remedy === undefined ? '' : ` → ${remedy}`}`;
