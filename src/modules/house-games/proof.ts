import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Db } from '../../platform/db.ts';
import { betErrors } from '../bets/errors.ts';
import { betIdOf } from '../bets/service.ts';
import { stream } from '../fairness/hash.ts';
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
        .where('bets.id', '=', betIdOf(betId))
        .where('bets.status', '=', 'SETTLED')
        .where('games.type', '=', 'HOUSE_GAME')
        .executeTakeFirst();
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

type Facts = Record<string, unknown>;
