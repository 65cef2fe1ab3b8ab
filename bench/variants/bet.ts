import type { z } from 'zod';
import { firstNumber } from '../../src/modules/fairness/hash.ts';
import { pairsStatement, type SeedPair, type StoredPair } from '../../src/modules/fairness/service.ts';
import {
  type DiceOdds,
  type DiceOutcome,
  diceOdds,
  playDice,
} from '../../src/modules/house-games/dice/rules.ts';
import type { DiceBet, DiceResult } from '../../src/modules/house-games/dice/schemas.ts';
import { payoutsOf, stakeOf, usdDecimals } from '../../src/modules/house-games/rules.ts';
import { basisPoints, type GameSettings } from '../../src/modules/house-games/settings.ts';
import { iso } from '../../src/platform/clock.ts';
import { run } from '../../src/platform/db.ts';
import { commonErrors } from '../../src/platform/errors.ts';
import { formatUnits, parseUnits, type Rate, type Units } from '../../src/platform/money.ts';
import type { Services } from '../../src/services.ts';

export type DiceInput = z.output<typeof DiceBet>;
export type DiceAnswer = z.input<typeof DiceResult>;

/** What is known of a bet before its player's row is read. */
export type Terms = {
  body: DiceInput;
  gameId: number;
  settings: GameSettings<'dice'>;
  rtpBp: number;
  decimals: number;
  rate: Rate;
  betUsd: Units;
  stake: Units;
  odds: DiceOdds;
};

export type Played = { outcome: DiceOutcome; payout: Units; payoutUsd: Units };

/** The project's own rules around a bet, so that the variants differ in nothing but how they write it. */
export function createTerms({ games, currencies }: Services) {
  return (body: DiceInput): Terms => {
    const { id: gameId, settings } = games.getEnabled('dice');
    const rtpBp = basisPoints(settings.rtp);
    const { decimals } = currencies.get(body.currencyId);
    const rate = currencies.freshRate(body.currencyId);
    const betUsd = parseUnits(body.betAmount, usdDecimals(decimals)) ?? 0n;
    const stake = stakeOf(betUsd, rate, decimals);
    const odds = diceOdds(body, { rtpBp, maxMultiplier: settings.maxMultiplier });
    if (!odds) throw commonErrors.VALIDATION_FAILED();
    if (stake === 0n || betUsd < settings.minBet || betUsd > settings.maxBet)
      throw commonErrors.AMOUNT_OUT_OF_RANGE();
    return { body, gameId, settings, rtpBp, decimals, rate, betUsd, stake, odds };
  };
}

/** The outcome and what it pays. */
export function play(terms: Terms, { serverSeed, clientSeed }: SeedPair, nonce: number): Played {
  const { body, odds, betUsd, stake, rate, decimals, settings } = terms;
  const { outcome, multiplier, scale } = playDice(body, odds, firstNumber(serverSeed, clientSeed, nonce));
  const paid = payoutsOf({
    betUsd,
    stake,
    multiplier,
    scale,
    rate,
    decimals,
    maxProfitUsd: settings.maxProfit,
  });
  return { outcome, ...paid };
}

export function answerOf({ body, betUsd }: Terms, played: Played, row: { id: bigint; at: Date }): DiceAnswer {
  const { currencyId, above, threshold } = body;
  return {
    currencyId,
    betAmount: formatUnits(betUsd),
    payout: formatUnits(played.payoutUsd),
    createdAt: iso(row.at),
    above,
    threshold,
    betId: String(row.id),
    ...played.outcome,
  };
}

/** The seeds of a pair, from the memory that the project's own bets use. */
export async function seedsOf({ fairness, db }: Services, pairId: bigint): Promise<SeedPair> {
  if (!fairness.peekPair(pairId)) fairness.rememberPairs(await run<StoredPair>(db, pairsStatement([pairId])));
  return fairness.peekPair(pairId)!;
}
