import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { reasonOf } from '../../app/reasons.ts';
import {
  type Options,
  verifyBet,
  verifyHelp,
  verifyOptions,
} from '../../modules/games/house-games/verify/command.ts';
import type { CommandFile } from '../command.ts';

export const file: CommandFile = {
  hasJson: false,
  details: verifyHelp,
  examples: [
    'npx croupier verify 4711 --api https://casino.example/api',
    'curl -s http://127.0.0.1:3000/fairness/bets/4711 | npx croupier verify --json -',
    'npx croupier verify --game dice --server-seed … --client-seed … --nonce 0 --threshold 50 --above true',
  ],
  define(command) {
    command.argument('[bet-id]', 'the bet, which is read from the platform');
    for (const [flags, about] of verifyOptions) command.option(flags, about);
    command.action(async (betId: string | undefined, options: Options) => {
      process.exit(await verifyBet({ ...options, betId }, surroundings));
    });
  },
};

const surroundings = {
  print: (line: string) => console.log(line),
  complain: (line: string) => console.error(line),
  progress(done: number) {
    if (process.stderr.isTTY)
      process.stderr.write(`\rverifying the chain: ${Math.floor(done * 100)} %${done === 1 ? '\n' : ''}`);
  },
  load: (name: string) =>
    name === '-'
      ? text(process.stdin)
      : readFile(name, 'utf8').catch((error: unknown) => {
          throw new Error(reasonOf(error));
        }),
  async get(url: string) {
    const answer = await fetch(url, { headers: { accept: 'application/json' } }).catch((error: Error) => {
      throw new Error(
        `${url} does not respond (${reasonOf(error.cause)}): is the platform running there? Set another address with --api.`,
      );
    });
    return { status: answer.status, text: await answer.text() };
  },
};
