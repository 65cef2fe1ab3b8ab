import { hash } from 'node:crypto';
import type { Next } from '../../src/modules/games/betting/rules.ts';
import { hashServerSeed, stream } from '../../src/modules/games/fairness/hash.ts';
import type { ReturningGame } from '../games.ts';
import type { Stream } from './case.ts';

/** The seeds of one bet. */
export type Seeds = { serverSeed: string; clientSeed: string; nonce: number };

/**
 * A unit of work for a thread: a case on streams whose seeds depend on the run's seed. `perStream` is 1 as on the server. With 8, every
 * number of a block is used for a round of a game with one number per round, which tests more draws with the same number of hashes.
 */
export type Task = {
  run: string;
  game: ReturningGame;
  caseName: string;
  part: number;
  streams: number;
  perStream: 1 | 8;
};

/**
 * Yields the seeds of a task's streams in order. Normally all streams use one pair with nonces from 0, as for a player. Speed-roulette uses
 * a seed chain backwards. Every seed is the hash of the seed after it, the nonce is its position, and the client seed belongs to the chain.
 */
export function* seedsOf({ run, game, caseName, part, streams }: Task): Generator<Seeds> {
  const name = `${run}:${game}:${caseName}:${part}`;
  const clientSeed = hash('sha256', `${name}:client`).slice(0, 16);
  const serverSeed = hash('sha256', `${name}:server`);
  if (game !== 'speed-roulette') {
    for (let nonce = 0; nonce < streams; nonce++) yield { serverSeed, clientSeed, nonce };
    return;
  }
  const chain = [serverSeed];
  for (let link = 1; link < streams; link++) chain.push(hashServerSeed(chain[link - 1]!));
  for (let place = 1; place <= streams; place++)
    yield { serverSeed: chain[streams - place]!, clientSeed, nonce: place };
}

/** Returns the random numbers that these seeds produce. */
export const numbersFrom = ({ serverSeed, clientSeed, nonce }: Seeds): Next =>
  stream(serverSeed, clientSeed, nonce);

/** Returns a stream that can restart. Each number is computed and counted once, even if the round reads it several times. */
export function countedStream(further: Next, count: (u: number) => number): Stream {
  const words: number[] = [];
  const fromStart = () => {
    let at = 0;
    return () => {
      if (at === words.length) words.push(count(further()));
      return words[at++]!;
    };
  };
  return { next: fromStart(), again: fromStart };
}
