import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Db } from '../../platform/db.ts';
import { betErrors } from '../bets/errors.ts';
import { betIdOf } from '../bets/service.ts';
import { firstNumber } from '../fairness/rules.ts';
import type { Fairness, SeedPair } from '../fairness/service.ts';
import { type DiceInputs, diceOdds, playDice } from './dice/rules.ts';
import type { FairnessBet } from './schemas.ts';

export type Proof = ReturnType<typeof createProof>;

/** A bet as it was stored, with what is needed to play it again. */
export type StoredBet = { game: string; nonce: number; rtpBp: number; inputs: unknown; outcome: unknown };

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
      const bet = {
        game: row.slug,
        nonce: row.nonce!,
        rtpBp: row.rtp_bp!,
        inputs: row.inputs,
        outcome: row.outcome,
      };
      return {
        betId,
        game: row.slug,
        algorithmVersion: row.algorithm_version!,
        serverSeedHash,
        serverSeed,
        clientSeed,
        nonce: bet.nonce,
        inputs: bet.inputs as Facts,
        outcome: bet.outcome as Facts,
        round: null,
        verified:
          serverSeed === null
            ? null
            : isDeepStrictEqual(replayBet(bet, { serverSeed, clientSeed })?.outcome, bet.outcome),
      };
    },
  };
}

type Facts = Record<string, unknown>;
type Replayed = { outcome: object; multiplier: bigint; scale: bigint };

/**
 * Plays a stored bet again from its seeds: the outcome and the multiplier that the stake is paid with (0n: lost).
 * Undefined when its game does not accept the stored inputs: they are not those of the bet.
 */
export function replayBet(bet: StoredBet, seeds: SeedPair): Replayed | undefined {
  const replay = REPLAYS[bet.game];
  if (!replay) throw new Error(`no rules to verify ${bet.game}`);
  return replay(bet, seeds);
}

const REPLAYS: Readonly<Record<string, (bet: StoredBet, seeds: SeedPair) => Replayed | undefined>> = {
  dice: ({ inputs, rtpBp, nonce }, { serverSeed, clientSeed }) => {
    const dice = inputs as DiceInputs;
    const odds = diceOdds(dice, { rtpBp, maxMultiplier: Number.POSITIVE_INFINITY });
    return odds && playDice(dice, odds, firstNumber(serverSeed, clientSeed, nonce));
  },
};
