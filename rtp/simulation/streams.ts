import { hash } from 'node:crypto';
import type { Next } from '../../src/modules/games/betting/rules.ts';
import { hashServerSeed, stream } from '../../src/modules/games/fairness/hash.ts';
import type { ReturningGame } from '../games.ts';
import type { Stream } from './case.ts';

/** The seeds of one bet. */
export type Seeds = { serverSeed: string; clientSeed: string; nonce: number };

/**
 * What a thread plays at a time: a case on streams whose seeds follow from the run's seed. `perStream`: 1 as the server plays; 8
 * plays a game that takes one number on every number of a block, which tests more of the draw for the same hashes.
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
 * The seeds of the streams of a task, in order. One pair with nonces from 0 on, as a player has it; speed-roulette plays a chain
 * backwards: every seed is the hash of the one that comes after it, the nonce is its place and the client seed belongs to the chain.
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

/** The numbers of these seeds. */
export const numbersFrom = ({ serverSeed, clientSeed, nonce }: Seeds): Next =>
  stream(serverSeed, clientSeed, nonce);

/** What a round sees of the numbers that come next; each is computed and counted once, however often the round looks at it. */
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
