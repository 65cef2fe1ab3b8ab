import type { PlayRequest } from '../../src/modules/games/betting/play.ts';
import { type Paid, payoutsOf } from '../../src/modules/games/betting/rules.ts';
import { pairsStatement, type SeedPair, type StoredPair } from '../../src/modules/games/fairness/service.ts';
import { iso } from '../../src/platform/clock.ts';
import { run } from '../../src/platform/db.ts';
import type { Services } from '../../src/services.ts';

/** A way to write bets: takes what the project's own settlement takes, of any game in one step, and answers the same. */
export type Settle = (bet: PlayRequest) => Promise<object>;

export type Played = { outcome: object } & Paid;

/** The outcome and what it pays, by the game's own rules: variants differ in nothing but how they write it. */
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

/** The seeds of a pair, from the memory that the project's own bets use. */
export async function seedsOf({ fairness, db }: Services, pairId: bigint): Promise<SeedPair> {
  if (!fairness.peekPair(pairId)) fairness.rememberPairs(await run<StoredPair>(db, pairsStatement([pairId])));
  return fairness.peekPair(pairId)!;
}
