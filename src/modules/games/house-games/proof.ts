import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Db } from '../../../platform/db.ts';
import { betErrors } from '../bets/errors.ts';
import { betIdOf } from '../bets/service.ts';
import { hashServerSeed, stream } from '../fairness/hash.ts';
import type { Fairness } from '../fairness/service.ts';
import type { FairnessBet } from './schemas.ts';
import { replayBet } from './verify/rules.ts';

export type Proof = ReturnType<typeof createProof>;

/** Anybody's settled house bet with its commitment, and, once the seed is revealed, whether it comes out the same again. */
export function createProof({ db, fairness }: { db: Db; fairness: Fairness }) {
  return {
    async bet(betId: string): Promise<z.input<typeof FairnessBet>> {
      const row = await db
        .selectFrom('bets')
        .innerJoin('games', 'games.id', 'bets.game_id')
        .select(['games.slug', 'seed_pair_id', 'nonce', 'rtp_bp', 'algorithm_version', 'inputs', 'outcome'])
        .select('round_id')
        .where('bets.id', '=', betIdOf(betId))
        // What was played can be verified also when its money was given back.
        .where((bet) => bet.or([bet('bets.status', '=', 'SETTLED'), bet('reversal_id', 'is not', null)]))
        .where('games.type', '=', 'HOUSE_GAME')
        .executeTakeFirst();
      if (row?.round_id != null) return sharedProof({ ...row, betId }, await roundOf(db, row.round_id));
      if (row?.seed_pair_id == null) throw betErrors.BET_NOT_FOUND();
      const { serverSeed, serverSeedHash, clientSeed } = await fairness.proofOf(row.seed_pair_id);
      const { slug: game, inputs, outcome } = row;
      const [nonce, rtpBp] = [row.nonce!, row.rtp_bp!];
      const replayed = (seed: string) =>
        replayBet({ game, rtpBp, inputs, outcome }, stream(seed, clientSeed, nonce))?.outcome;
      return {
        betId,
        game,
        algorithmVersion: row.algorithm_version!,
        serverSeedHash,
        serverSeed,
        clientSeed,
        nonce,
        rtpBp,
        inputs: inputs as Facts,
        outcome: outcome as Facts,
        round: null,
        verified: serverSeed === null ? null : isDeepStrictEqual(replayed(serverSeed), outcome),
      };
    },
  };
}

type Shared = {
  betId: string;
  slug: string;
  rtp_bp: number | null;
  algorithm_version: string | null;
  inputs: unknown;
  outcome: unknown;
};

const roundOf = (db: Db, id: bigint) =>
  db
    .selectFrom('speed_rounds')
    .innerJoin('speed_chains', 'speed_chains.id', 'chain_id')
    .select(['speed_rounds.id', 'position', 'seed_hash', 'seed', 'public_seed'])
    .where('speed_rounds.id', '=', id)
    .executeTakeFirstOrThrow();

/** A bet in a round that all shared: its seed is one of a chain, and was revealed with the result. */
function sharedProof(bet: Shared, round: Awaited<ReturnType<typeof roundOf>>): z.input<typeof FairnessBet> {
  const { slug: game, inputs, outcome } = bet;
  const { seed, position, public_seed: publicSeed } = round;
  const rtpBp = bet.rtp_bp!;
  const replayed = (of: string) =>
    replayBet({ game, rtpBp, inputs, outcome }, stream(of, publicSeed!, position))?.outcome;
  return {
    betId: bet.betId,
    game,
    algorithmVersion: bet.algorithm_version!,
    rtpBp,
    serverSeedHash: null,
    serverSeed: null,
    clientSeed: null,
    nonce: null,
    inputs: inputs as Facts,
    outcome: outcome as Facts,
    round: {
      roundId: String(round.id),
      seedHash: round.seed_hash,
      seed,
      publicBlockHash: seed === null ? null : publicSeed,
      chainPosition: position,
    },
    verified:
      seed === null
        ? null
        : hashServerSeed(seed) === round.seed_hash && isDeepStrictEqual(replayed(seed), outcome),
  };
}

type Facts = Record<string, unknown>;
