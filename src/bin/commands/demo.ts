import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type CommandFile, misused } from '../command.ts';

/** Fills the platform. An image does not contain this script. */
const DEMO = fileURLToPath(new URL('../../../demo/run.ts', import.meta.url));
/** Smallest and largest value. */
const NUMBERS = { players: [1, 5000], days: [1, 90], seed: [0, 2 ** 31] } as const;
type Name = keyof typeof NUMBERS;
type Options = Partial<Record<Name, string>> & { url?: string; refusals?: boolean };

export const file: CommandFile = {
  details:
    'Simulates a month of activity through the operations of the platform, and prints logins. Only for development. The same seed creates ' +
    'the same players. A second run adds nothing.',
  examples: ['npx croupier demo', 'npx croupier demo --players 100 --days 10 --seed 7'],
  define: (command) =>
    command
      .option('--players <number>', 'number of players', '500')
      .option('--days <number>', 'number of days', '30')
      .option('--seed <number>', 'seed of the random numbers', '1')
      .option('--url <address>', 'address of the main API (default: PUBLIC_API_URL)')
      .option('--refusals', 'also print the requests that the platform rejected')
      .action(async (options: Options) => {
        const wrong = (Object.keys(NUMBERS) as Name[]).find((name) => !isWithin(name, options[name]));
        if (wrong)
          misused(
            command,
            `--${wrong} must be a whole number from ${NUMBERS[wrong][0]} to ${NUMBERS[wrong][1]}.`,
          );
        if (!existsSync(DEMO)) {
          console.error('failed: the demo is not available in an image. Run it in a checkout.');
          process.exit(1);
        }
        const { runDemo } = await import(DEMO);
        const [players, days, seed] = [options.players, options.days, options.seed].map(Number);
        process.exit(await runDemo({ ...options, players, days, seed }));
      }),
};

function isWithin(name: Name, text = ''): boolean {
  const [least, most] = NUMBERS[name];
  return /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
}
