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

type Shown = z.input<typeof FairnessBet>;
type Facts = Record<string, unknown>;

/** Where the numbers of a bet come from: its player's seeds, or the round that it shares. `serverSeed` null: not revealed yet. */
type Source = {
  serverSeed: string | null;
  clientSeed: string;
  nonce: number;
  isCommitted: boolean;
  shown: Pick<Shown, 'serverSeed' | 'serverSeedHash' | 'clientSeed' | 'nonce' | 'round'>;
};

/** Anybody's settled house bet with its commitment, and, once the seed is revealed, whether it comes out the same again. */
export function createProof({ db, fairness }: { db: Db; fairness: Pick<Fairness, 'proofOf'> }) {
  const sourceOf = async (bet: Awaited<ReturnType<typeof findBet>>): Promise<Source> => {
    if (bet?.round_id != null) return sourceOfRound(db, bet.round_id);
    if (bet?.seed_pair_id == null) throw betErrors.BET_NOT_FOUND();
    const pair = await fairness.proofOf(bet.seed_pair_id);
    const seeds = { ...pair, nonce: bet.nonce! };
    return { ...seeds, isCommitted: true, shown: { ...seeds, round: null } };
  };
  return {
    async bet(betId: string): Promise<Shown> {
      const row = await findBet(db, betIdOf(betId));
      const { serverSeed, clientSeed, nonce, isCommitted, shown } = await sourceOf(row);
      const { slug: game, inputs, outcome } = row!;
      const rtpBp = row!.rtp_bp!;
      const isSame = (seed: string) => {
        const replayed = replayBet({ game, rtpBp, inputs, outcome }, stream(seed, clientSeed, nonce));
        return isDeepStrictEqual(replayed?.outcome, outcome);
      };
      return {
        betId,
        game,
        algorithmVersion: row!.algorithm_version!,
        ...shown,
        rtpBp,
        inputs: inputs as Facts,
        outcome: outcome as Facts,
        verified: serverSeed === null ? null : isCommitted && isSame(serverSeed),
      };
    },
  };
}

const findBet = (db: Db, id: bigint) =>
  db
    .selectFrom('bets')
    .innerJoin('games', 'games.id', 'bets.game_id')
    .select(['games.slug', 'seed_pair_id', 'nonce', 'rtp_bp', 'algorithm_version', 'inputs', 'outcome'])
    .select('round_id')
    .where('bets.id', '=', id)
    // What was played can be verified also when its money was given back.
    .where((bet) => bet.or([bet('bets.status', '=', 'SETTLED'), bet('reversal_id', 'is not', null)]))
    .where('games.type', '=', 'HOUSE_GAME')
    .executeTakeFirst();

/** The seed of a round is one of a chain, and was revealed with the result. */
async function sourceOfRound(db: Db, id: bigint): Promise<Source> {
  const round = await db
    .selectFrom('speed_rounds')
    .innerJoin('speed_chains', 'speed_chains.id', 'chain_id')
    .select(['position', 'seed_hash', 'seed', 'public_seed'])
    .where('speed_rounds.id', '=', id)
    .executeTakeFirstOrThrow();
  const { seed, seed_hash: seedHash, public_seed: publicSeed, position } = round;
  return {
    serverSeed: seed,
    clientSeed: publicSeed!,
    nonce: position,
    isCommitted: seed !== null && hashServerSeed(seed) === seedHash,
    shown: {
      serverSeed: null,
      serverSeedHash: null,
      clientSeed: null,
      nonce: null,
      round: {
        roundId: String(id),
        seedHash,
        seed,
        publicBlockHash: seed === null ? null : publicSeed,
        chainPosition: position,
      },
    },
  };
}
