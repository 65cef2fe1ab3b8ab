import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object } from '../../../http/schemas.ts';
import type { Db } from '../../../platform/database/db.ts';
import { BetPath, betErrors } from '../bets/schemas.ts';
import { betIdOf } from '../bets/service.ts';
import { hashServerSeed, stream } from '../fairness/hash.ts';
import { ClientSeedOrigin, type Fairness } from '../fairness/service.ts';
import { replayBet } from './verify/rules.ts';

const FairnessRound = object('FairnessRound', {
  roundId: z.string(),
  seedHash: z.string(),
  seed: z.string().nullable(),
  publicBlockHash: z.string().nullable(),
  chainPosition: z.number().int(),
});

const FairnessBet = object('FairnessBet', {
  betId: z.string(),
  game: z.string(),
  algorithmVersion: z.string(),
  serverSeedHash: z.string().nullable(),
  serverSeed: z.string().nullable(),
  clientSeed: z.string().nullable(),
  clientSeedOrigin: ClientSeedOrigin.nullable(),
  nonce: z.number().int().nullable(),
  /** The RTP at the time of the bet, in basis points. Multipliers depend on it. */
  rtpBp: z.number().int(),
  inputs: z.record(z.string(), z.unknown()),
  outcome: z.record(z.string(), z.unknown()),
  round: FairnessRound.nullable(),
  verified: z.boolean().nullable(),
});
type Proof = z.input<typeof FairnessBet>;
type Facts = Record<string, unknown>;
type Deps = { db: Db; fairness: Pick<Fairness, 'proofOf'> };

/** The seeds of a bet. They belong to its player or to its shared round. `serverSeed` is null until it is revealed. */
type Source = {
  serverSeed: string | null;
  clientSeed: string;
  nonce: number;
  isCommitted: boolean;
  shown: Pick<Proof, 'serverSeed' | 'serverSeedHash' | 'clientSeed' | 'clientSeedOrigin' | 'nonce' | 'round'>;
};

/** Anyone can verify any settled house bet. */
export const getProof = operation({
  method: 'GET',
  path: '/fairness/bets/{betId}',
  tag: 'Fairness',
  access: 'anonymous',
  isHistory: true,
  summary: 'Get the data to verify a bet',
  description: 'The server seed and `verified` are null until the player rotates their seeds.',
  params: BetPath,
  response: FairnessBet,
  errors: [betErrors.BET_NOT_FOUND],
  handler: async (deps: Deps, { params: { betId } }) => {
    const bet = await findBet(deps.db, betIdOf(betId));
    const { serverSeed, clientSeed, nonce, isCommitted, shown } = await sourceOf(deps, bet);
    const { slug: game, inputs, outcome } = bet!;
    const rtpBp = bet!.rtp_bp!;
    const isSame = (seed: string) => {
      const replayed = replayBet({ game, rtpBp, inputs, outcome }, stream(seed, clientSeed, nonce));
      return isDeepStrictEqual(replayed?.outcome, outcome);
    };
    return {
      betId,
      game,
      algorithmVersion: bet!.algorithm_version!,
      ...shown,
      rtpBp,
      inputs: inputs as Facts,
      outcome: outcome as Facts,
      verified: serverSeed === null ? null : isCommitted && isSame(serverSeed),
    };
  },
});

async function sourceOf({ db, fairness }: Deps, bet: Awaited<ReturnType<typeof findBet>>): Promise<Source> {
  if (bet?.round_id != null) return sourceOfRound(db, bet.round_id);
  if (bet?.seed_pair_id == null) throw betErrors.BET_NOT_FOUND();
  const pair = await fairness.proofOf(bet.seed_pair_id);
  const seeds = { ...pair, nonce: bet.nonce! };
  return { ...seeds, isCommitted: true, shown: { ...seeds, round: null } };
}

const findBet = (db: Db, id: bigint) =>
  db
    .selectFrom('bets')
    .innerJoin('games', 'games.id', 'bets.game_id')
    .select(['games.slug', 'seed_pair_id', 'nonce', 'rtp_bp', 'algorithm_version', 'inputs', 'outcome'])
    .select('round_id')
    .where('bets.id', '=', id)
    // Rolled-back bets can be verified as well.
    .where((bet) => bet.or([bet('bets.status', '=', 'SETTLED'), bet('reversal_id', 'is not', null)]))
    .where('games.type', '=', 'HOUSE_GAME')
    .executeTakeFirst();

/** A shared round's seed is part of a chain and is revealed with the result. */
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
      clientSeedOrigin: null,
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
