import type { Services } from '../../src/app/services.ts';
import type { FreshBet, GameRequest, SingleStep } from '../../src/modules/games/betting/request.ts';
import { type Paid, payoutsOf } from '../../src/modules/games/betting/rules.ts';
import { pairsStatement, type SeedPair, type StoredPair } from '../../src/modules/games/fairness/service.ts';
import { iso } from '../../src/platform/clock.ts';
import { run } from '../../src/platform/database/db.ts';

/** The request for a bet in a single-step game. */
export type PlayRequest = FreshBet & SingleStep & GameRequest;

/** An implementation of bets with the same input and result as the project's own settlement of single-step games. */
export type Settle = (bet: PlayRequest) => Promise<object>;

export type Played = { outcome: object } & Paid;

/** Computes the outcome and payout by the game's rules. Variants differ only in how they store the bet. */
export function play(bet: PlayRequest, seeds: SeedPair, nonce: number): Played {
  const { outcome, multiplier, scale } = bet.play(seeds, nonce, bet);
  return { outcome, ...payoutsOf({ ...bet, multiplier, scale }) };
}

export function answerOf(bet: PlayRequest, played: Played, row: { id: bigint; at: Date }): object {
  const { outcome, payoutUsd } = played;
  return bet.answer({
    betId: String(row.id),
    currencyId: bet.currencyId,
    createdAt: iso(row.at),
    betUsd: bet.betUsd,
    payoutUsd,
    outcome,
  });
}

/** Returns the seeds of a seed pair, from the cache that the project's own bets also use. */
export async function seedsOf({ fairness, db }: Services, pairId: bigint): Promise<SeedPair> {
  if (!fairness.peekPair(pairId)) fairness.rememberPairs(await run<StoredPair>(db, pairsStatement([pairId])));
  return fairness.peekPair(pairId)!;
}
