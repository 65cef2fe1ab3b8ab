/**
 * Fills a locally running platform with a month of realistic data, through its own operations (`croupier demo`). See
 * docs/decisions/085-demo.md. The same seed gives the same players. A second run adds nothing.
 */

import { readConfig } from '../src/app/boot.ts';
import { reasonOf } from '../src/app/reasons.ts';
import { fill, NotHere, type Wanted } from './fill.ts';

/** In a log file, progress is shown as a new line every few seconds. In a terminal, it is a single line that is updated. */
const LOG_EVERY_MS = 5000;

type Options = Wanted & { url?: string; refusals?: boolean; json?: boolean };

/**
 * Returns the exit code. With `refusals` it also prints the requests that the platform rejected. With `json` it prints only one JSON
 * document.
 */
export async function runDemo({ players, days, seed, url, refusals, json }: Options): Promise<number> {
  const config = readConfig();
  const isScreen = process.stdout.isTTY === true && !json;
  let saidAt = Number.NEGATIVE_INFINITY;
  const say = (progress: string) => {
    if (isScreen) process.stdout.write(`\r\x1b[2Kdemo  ${progress}`);
    else if (!json && performance.now() - saidAt > LOG_EVERY_MS) {
      saidAt = performance.now();
      console.log(`demo  ${progress}`);
    }
  };
  const began = performance.now();
  try {
    if (!config.isDevelopment)
      throw new NotHere(`APP_ENV is ${config.APP_ENV}: demo players are not allowed there`);
    if (!json)
      console.log(
        'demo  filling the platform. Until the log-ins are printed, its time is set back: do not use it yet.',
      );
    const filled = await fill(config, url ?? config.PUBLIC_API_URL, { players, days, seed }, say);
    if (isScreen) process.stdout.write('\r\x1b[2K');
    if (json) console.log(JSON.stringify(filled ? { players: filled.players, logIns: filled.logIns } : null));
    else if (filled) {
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      console.log(`demo  ${filled.players} players, ${days} days, seed ${seed}, in ${seconds} s`);
      console.log('log-ins of this demo, shown only once; they work only on this machine:');
      for (const { who, email, password } of filled.logIns)
        console.log(`  ${who.padEnd(17)} ${email.padEnd(34)} ${password}`);
      if (refusals) for (const [what, count] of filled.refusals) console.log(`  refused ${count}  ${what}`);
    } else
      console.log(
        'demo  the sample data already exists, so nothing was added; a new demo needs an empty database',
      );
    return 0;
  } catch (error) {
    if (isScreen) process.stdout.write('\n');
    console.error(error instanceof NotHere ? `failed: ${error.message}` : `failed: ${reasonOf(error)}`);
    if (refusals) console.error(error, JSON.stringify((error as { details?: unknown }).details));
    return 1;
  }
}
