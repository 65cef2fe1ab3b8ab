import { iso } from '../../../platform/clock.ts';
import { type AppError, commonErrors } from '../../../platform/errors.ts';
import type { Player } from '../../base/players/service.ts';
import { insufficient } from '../../money/ledger/post.ts';
import { bettingErrors } from './errors.ts';
import type { BetRequest, FreshBet, GameRequest, PlacedRequest, RoundRequest } from './request.ts';
import { countedUsdOf, isInRange, type Moved, payoutsOf, shownRange } from './rules.ts';
import {
  type Effect,
  type NewBetRequest,
  NO_PAYOUT,
  NO_SEEDS,
  newRow,
  payout,
  type Ready,
  refusedByGate,
  type Table,
} from './table.ts';
import { beginRound, decideAction } from './turns.ts';

/** Decides a request; pure. Throws what it is refused with. */
export function decide(request: GameRequest, table: Table, offset: number): Effect {
  if ('refused' in request) throw request.refused;
  const player = table.player(request.userId);
  if ('act' in request) return decideAction(request, player, { table, offset });
  const staked = stakesOf(request);
  const refusal =
    closed(request) ??
    refusedByGate(request, { player, stakeUsd: staked.countedUsd, table }) ??
    tooSoon(request, player, table) ??
    ('isShared' in request ? late(request, table) : (request.refusal ?? occupied(request, table)));
  if (refusal) throw refusal;
  const wallet = table.wallet(request.userId, request.currency.id);
  if (wallet.cash < staked.units) throw insufficient('cash', wallet);
  const ready = { player, wallet, staked, table, offset };
  if ('play' in request) return playBet(request, ready);
  return 'begin' in request ? beginRound(request, ready) : placeBet(request, ready);
}

function stakesOf(request: NewBetRequest): Moved {
  const side = 'begin' in request ? request.side : undefined;
  const units = request.stake + (side?.units ?? 0n);
  return { units, countedUsd: countedUsdOf(units, request.rate) };
}

/** Bets follow each other no sooner than the country wants; what goes on with a round is no new one. */
function tooSoon({ country }: NewBetRequest, player: Player, table: Table): AppError | undefined {
  const { minBetIntervalMs } = table.outlook(country);
  const last = minBetIntervalMs > 0 ? table.lastBetAt(player) : null;
  if (!last) return undefined;
  const retryAfterMs = minBetIntervalMs - (table.at.getTime() - last.getTime());
  if (retryAfterMs <= 0) return undefined;
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1000);
  return bettingErrors.BET_TOO_SOON({ minBetIntervalMs, retryAfterMs, retryAfterSeconds });
}

const closed = ({ game, isOpen }: FreshBet): AppError | undefined =>
  isOpen?.() === false ? bettingErrors.GAME_DISABLED({ game: game.slug }) : undefined;

const occupied = (request: BetRequest | RoundRequest, table: Table): AppError | undefined =>
  ('begin' in request || request.isAlone) && table.round(request.userId, request.game.id)
    ? bettingErrors.ROUND_OPEN({ game: request.game.slug })
    : undefined;

/** What a bet counts against in the shared round: the player's bets in it together stay within its limit. */
function late(request: PlacedRequest, table: Table): AppError | undefined {
  const { shared } = table;
  if (!shared) return request.refusal ?? bettingErrors.BETTING_CLOSED({ game: request.game.slug });
  const { currency, minStake, rate, betUsd: usd, stake: units } = request;
  const range = { ...shared, currencyId: currency.id, decimals: currency.decimals, rate, minStake };
  const isTooMuch = table.placed(request.userId) + usd > shared.maxBet;
  if (isInRange({ usd, units }, range) && !isTooMuch) return undefined;
  return commonErrors.AMOUNT_OUT_OF_RANGE(shownRange(range));
}

function playBet(request: BetRequest, ready: Ready): Effect {
  const { player, wallet, staked, table, offset } = ready;
  const { betUsd, stake, rate, maxProfitUsd } = request;
  const { decimals } = request.currency;
  const nonce = table.nonce(player);
  const terms = { betUsd, stake, rate, decimals, maxProfitUsd };
  const { outcome, multiplier, scale } = request.play(table.pair(player.seedPairId), nonce, terms);
  const paid = payoutsOf({ ...terms, multiplier, scale });
  const credit = payout(paid, rate);
  return {
    wallet,
    staked,
    credit,
    madeBy: player,
    nonceOf: player,
    entry: { offset },
    settled: {
      ...newRow(request, ready),
      payout: paid.payout,
      usdPayout: credit.countedUsd,
      seedPairId: player.seedPairId,
      nonce,
      inputs: JSON.stringify(request.inputs),
      outcome: JSON.stringify(outcome),
    },
    answer: ({ base, at }) =>
      request.answer({
        betId: String(base + BigInt(offset)),
        createdAt: iso(at),
        betUsd,
        payoutUsd: paid.payoutUsd,
        outcome,
      }),
  };
}

function placeBet(request: PlacedRequest, ready: Ready): Effect {
  const { player, wallet, staked, table, offset } = ready;
  const { id, maxProfit } = table.shared!;
  const { betUsd } = request;
  return {
    wallet,
    staked,
    credit: NO_PAYOUT,
    madeBy: player,
    entry: { offset },
    opened: {
      ...newRow(request, ready),
      ...NO_SEEDS,
      maxProfitUsd: maxProfit,
      inputs: JSON.stringify(request.inputs),
      roundId: id,
    },
    answer: ({ base, at }) =>
      request.answer({ betId: String(base + BigInt(offset)), createdAt: iso(at), betUsd }),
  };
}
