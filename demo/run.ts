/**
 * npm run demo: fills a locally running platform with a month of realistic data, through its own operations. See
 * docs/decisions/085-demo.md. Options: `-- --seed 7 --players 500 --days 30`. The same seed gives the same players. A second run adds
 * nothing.
 */

import { readConfig } from '../src/app/boot.ts';
import { readArguments } from '../src/app/commands/arguments.ts';
import { reasonOf } from '../src/app/reasons.ts';
import { fill, NotHere } from './fill.ts';

const usage =
  'npm run demo -- [--players 500] [--days 30] [--seed 1] [--url http://127.0.0.1:3000] [--refusals]';
const numbers = { players: [1, 5000, 500], days: [1, 90, 30], seed: [0, 2 ** 31, 1] } as const;
const { values } = readArguments(usage, {
  options: {
    players: { type: 'string' },
    days: { type: 'string' },
    seed: { type: 'string' },
    url: { type: 'string' },
    refusals: { type: 'boolean' },
  },
  check: ({ values }) => {
    const wrong = Object.entries(numbers).find(([name, [least, most]]) => {
      const given = values[name as keyof typeof numbers];
      return given !== undefined && !(/^\d+$/.test(given) && Number(given) >= least && Number(given) <= most);
    });
    return wrong && `--${wrong[0]} must be a whole number from ${wrong[1][0]} to ${wrong[1][1]}.`;
  },
});
const number = (name: keyof typeof numbers) => Number(values[name] ?? numbers[name][2]);
const wanted = { players: number('players'), days: number('days'), seed: number('seed') };

const config = readConfig();
const isScreen = process.stdout.isTTY === true;
/** In a log file, progress is shown as a new line every few seconds. In a terminal, it is a single line that is updated. */
const LOG_EVERY_MS = 5000;
let saidAt = Number.NEGATIVE_INFINITY;
const say = (progress: string) => {
  if (isScreen) process.stdout.write(`\r\x1b[2Kdemo  ${progress}`);
  else if (performance.now() - saidAt > LOG_EVERY_MS) {
    saidAt = performance.now();
    console.log(`demo  ${progress}`);
  }
};
const began = performance.now();
try {
  if (!config.isDevelopment)
    throw new NotHere(`APP_ENV is ${config.APP_ENV}: demo players are not allowed there`);
  const filled = await fill(config, values.url ?? config.PUBLIC_API_URL, wanted, say);
  if (isScreen) process.stdout.write('\r\x1b[2K');
  if (filled) {
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    console.log(`demo  ${filled.players} players, ${wanted.days} days, seed ${wanted.seed}, in ${seconds} s`);
    console.log('log-ins of this demo, shown only once; they work only on this machine:');
    for (const { who, email, password } of filled.logIns)
      console.log(`  ${who.padEnd(17)} ${email.padEnd(34)} ${password}`);
    if (values.refusals)
      for (const [what, count] of filled.refusals) console.log(`  refused ${count}  ${what}`);
  } else
    console.log(
      'demo  the sample data already exists, so nothing was added; a new demo needs an empty database',
    );
  process.exit(0);
} catch (error) {
  if (isScreen) process.stdout.write('\n');
  console.error(error instanceof NotHere ? `failed: ${error.message}` : `failed: ${reasonOf(error)}`);
  if (values.refusals) console.error(error, JSON.stringify((error as { details?: unknown }).details));
  process.exit(1);
}
