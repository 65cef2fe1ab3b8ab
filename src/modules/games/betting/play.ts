import { iso } from '../../../platform/clock.ts';
import type { AppError } from '../../../platform/errors.ts';
import type { Rate, Units } from '../../../platform/money.ts';
import type { Player } from '../../base/players/service.ts';
import type { Risk } from '../../money/bonus/rules.ts';
import { ALGORITHM_VERSION } from '../fairness/rules.ts';
import type { SeedPair } from '../fairness/service.ts';
import { type BetDraft, draftOf } from './bet-draft.ts';
import { bettingErrors } from './errors.ts';
import type { Batch, Call, Draft } from './request.ts';
import { countedUsdOf, type Money, payoutsOf, type Return, type Terms } from './rules.ts';

/** A new bet with all data that is known before the player is locked. */
export type FreshBet = Call &
  Terms & {
    /** Returns true if the game is still enabled when the bet is processed, because the bet may have waited. */
    isOpen?: () => boolean;
    currencyId: string;
    /** The minimum stake in the currency. */
    minStake: Units;
    side?: Money | undefined;
    rtpBp: number;
    windowId: string | null;
    /**
     * A rejection that is known before the player is locked (amount out of range). The gate's refusals take precedence over it. It is
     * stored like any other rejection.
     */
    refusal: AppError | undefined;
  };

/** A game whose bets are placed and settled in one step. */
export type SingleStep<Answer extends object = object, Outcome extends object = object> = {
  inputs: object;
  /** Pure. Returns the bet's risk. Called only for bets with a grant. */
  risk?: (() => Risk) | undefined;
  /** Pure. Plays the game with these seeds and terms. The multiplier is an integer in units of 1/`scale`, 0n for a loss. */
  play(seeds: SeedPair, nonce: number, terms: Terms): { outcome: Outcome } & Return;
  /** Pure. Returns the response body. */
  answer(bet: PlayedBet<Outcome>): Answer;
};

export type PlayedBet<Outcome extends object> = {
  betId: string;
  currencyId: string;
  betUsd: Units;
  createdAt: string;
  payoutUsd: Units;
  outcome: Outcome;
};

/** Plays and settles a bet in one step. Throws if the bet is rejected. */
export function playBet<Answer extends object, Outcome extends object>(
  bet: FreshBet,
  step: SingleStep<Answer, Outcome>,
  batch: Batch,
): Draft<Answer> {
  const { player, stake, row } = admit(bet, batch);
  const nonce = batch.nonce(player);
  const { outcome, multiplier, scale } = step.play(batch.pair(player.seedPairId), nonce, bet);
  const paid = payoutsOf({ ...bet, multiplier, scale });
  const credit = payout(paid.payout, bet.rate);
  return draftOf(batch, {
    ...stake,
    credit,
    takesNonce: true,
    risk: step.risk,
    settled: {
      ...row,
      seedPairId: player.seedPairId,
      nonce,
      payout: paid.payout,
      usdPayout: credit.countedUsd,
      inputs: JSON.stringify(step.inputs),
      outcome: JSON.stringify(outcome),
    },
    answer: ({ base, at }) =>
      step.answer({
        betId: String(base + BigInt(row.id)),
        currencyId: bet.currencyId,
        createdAt: iso(at),
        betUsd: bet.betUsd,
        payoutUsd: paid.payoutUsd,
        outcome,
      }),
  });
}

/**
 * Returns the common part of every new bet: its stake, and the columns that do not depend on the game. Throws the first error, in this
 * order: game, gate, time between bets, the bet's own rejection, money. `sideStake` is an additional stake.
 */
export function admit(bet: FreshBet, batch: Batch, sideStake: Units = 0n) {
  const { userId, currencyId, game, rate } = bet;
  const { offset } = batch;
  const player = batch.player(userId);
  const units = bet.stake + sideStake;
  const staked = { units, countedUsd: countedUsdOf(units, rate) };
  if (bet.isOpen?.() === false) throw bettingErrors.GAME_DISABLED({ game: game.slug });
  const first = batch.refusalOf(bet, staked.countedUsd) ?? tooSoon(bet, player, batch) ?? bet.refusal;
  if (first) throw first;
  const wallet = batch.wallet(userId, currencyId);
  const funds = batch.fund({ wallet, units, usd: staked.countedUsd, gameId: game.id });
  return {
    player,
    stake: { game: game.slug, wallet, staked, funds, madeBy: player, entry: { offset } },
    row: {
      id: offset,
      userId,
      gameId: game.id,
      currencyId,
      amount: units,
      usdAmount: staked.countedUsd,
      betUsd: bet.betUsd,
      usdRate: rate,
      maxProfitUsd: bet.maxProfitUsd,
      rtpBp: bet.rtpBp,
      algorithmVersion: ALGORITHM_VERSION,
      windowId: bet.windowId,
    },
  };
}

/** Enforces the minimum time between bets set by the site or by one of the player's countries. Actions on a round are not new bets. */
function tooSoon({ country }: FreshBet, player: Player, batch: Batch): AppError | undefined {
  const { minBetIntervalMs } = batch.outlook(country);
  const last = minBetIntervalMs > 0 ? batch.lastBetAt(player) : null;
  if (!last) return undefined;
  const retryAfterMs = minBetIntervalMs - (batch.at.getTime() - last.getTime());
  if (retryAfterMs <= 0) return undefined;
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1000);
  return bettingErrors.BET_TOO_SOON({ minBetIntervalMs, retryAfterMs, retryAfterSeconds });
}

export const NO_SEEDS = { seedPairId: null, nonce: null };

export const payout = (units: Units, rate: Rate): BetDraft['credit'] => ({
  kind: 'bet.payout',
  units,
  countedUsd: countedUsdOf(units, rate),
});
