/** npm run verify: recomputes a bet from its seeds, without trusting the platform. See docs/fairness.md. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { reasonOf } from '../app/reasons.ts';
import { verifyBet } from '../modules/games/house-games/verify/command.ts';

process.exitCode = await verifyBet(process.argv.slice(2), {
  print: (line) => console.log(line),
  progress(done) {
    if (process.stderr.isTTY)
      process.stderr.write(`\rverifying the chain: ${Math.floor(done * 100)} %${done === 1 ? '\n' : ''}`);
  },
  load: (file) =>
    file === '-'
      ? text(process.stdin)
      : readFile(file, 'utf8').catch((error: unknown) => {
          throw new Error(reasonOf(error));
        }),
  async get(url) {
    const answer = await fetch(url, { headers: { accept: 'application/json' } }).catch((error: Error) => {
      throw new Error(
        `${url} does not respond (${reasonOf(error.cause)}): is the platform running there? Set another address with --api.`,
      );
    });
    return { status: answer.status, text: await answer.text() };
  },
});
