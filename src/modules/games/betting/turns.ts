import { iso } from '../../../platform/clock.ts';
import type { Units } from '../../../platform/money.ts';
import type { Player } from '../../base/players/service.ts';
import { insufficient } from '../../money/ledger/post.ts';
import type { BetChange } from '../bets/queries.ts';
import { stream } from '../fairness/hash.ts';
import { bettingErrors } from './errors.ts';
import type { RoundRow } from './queries.ts';
import type { ActionRequest, OpenRound, RoundRequest, ShownRound } from './request.ts';
import { countedUsdOf, type Moved, type Turn } from './rules.ts';
import {
  type Block,
  type Effect,
  NO_PAYOUT,
  NO_SEEDS,
  newRow,
  payout,
  type Ready,
  refusedByGate,
  type Table,
} from './table.ts';

const NOTHING: Moved = { units: 0n, countedUsd: 0n };

/** The start of a round; one that ends at once is settled like a bet in one step. */
export function beginRound(request: RoundRequest, ready: Ready): Effect {
  const { player, wallet, staked, table, offset } = ready;
  const { betUsd, stake, rate, maxProfitUsd, rtpBp, currency, side } = request;
  const seeds = request.isForced ? NO_SEEDS : { seedPairId: player.seedPairId, nonce: table.nonce(player) };
  const turn = request.begin(
    { betUsd, stake, rate, decimals: currency.decimals, maxProfitUsd, side },
    streamOf(seeds, table),
  );
  if (turn.end === 'void' || turn.stake) throw new Error(`${request.game.slug} begins with more than a bet`);
  const row = { ...newRow(request, ready), ...seeds };
  const round: RoundRow = {
    userId: request.userId,
    gameId: request.game.id,
    betId: 0n,
    status: 'CREATED',
    betUsd,
    stake,
    state: turn.state,
    actedAt: table.at,
    createdAt: table.at,
    currencyId: currency.id,
    decimals: currency.decimals,
    amount: staked.units,
    usdAmount: staked.countedUsd,
    rate,
    rtpBp,
    maxProfitUsd,
    ...seeds,
  };
  const credit = turn.end ? payout(turn.end.paid, rate) : NO_PAYOUT;
  const base: Effect = {
    wallet,
    staked,
    credit,
    madeBy: player,
    ...(request.isForced ? {} : { nonceOf: player }),
    entry: { offset },
    answer: (block) =>
      request.answer(
        shown({ ...round, betId: block.base + BigInt(offset), createdAt: block.at }, turn, block),
      ),
  };
  if (!turn.end)
    return { ...base, opened: { ...row, inputs: null, roundId: null }, round: { row: round, isOver: false } };
  const { inputs, outcome, paid } = turn.end;
  const settled = {
    ...row,
    payout: paid.payout,
    usdPayout: credit.countedUsd,
    ...written({ inputs, outcome }),
  };
  return { ...base, settled };
}

/** An action on the open round; new money passes the gate like a bet. */
export function decideAction(
  request: ActionRequest,
  player: Player,
  { table, offset }: { table: Table; offset: number },
): Effect {
  const row = table.round(request.userId, request.game.id);
  if (!row) throw bettingErrors.ROUND_NOT_FOUND({ game: request.game.slug });
  const turn = request.act(openRound(row), streamOf(row, table));
  const wallet = table.wallet(request.userId, row.currencyId);
  const needed = turn.needs ?? turn.stake;
  if (needed) {
    const stakeUsd = raised(row, needed.units).countedUsd;
    const refusal = refusedByGate(request, { player, stakeUsd, table });
    if (refusal) throw refusal;
    if (wallet.cash < needed.units) throw insufficient('cash', wallet);
  }
  const staked = turn.stake ? raised(row, turn.stake.units) : NOTHING;
  const next: RoundRow = {
    ...row,
    state: turn.state,
    status: 'CREATED',
    actedAt: table.at,
    amount: row.amount + staked.units,
    usdAmount: row.usdAmount + staked.countedUsd,
  };
  const credit = creditOf(next, turn);
  return {
    wallet,
    staked,
    credit,
    entry: { betId: row.betId },
    // A round that is played on is no error any more.
    ...(turn.stake || turn.end || row.status === 'ERROR'
      ? { changed: changeOf(next, { turn, credit, offset }) }
      : {}),
    round: { row: next, isOver: turn.end !== undefined },
    answer: (block) => request.answer(shown(next, turn, block)),
  };
}

/** What more units on a round count as: with those before them as much as all of them together. */
const raised = ({ amount, rate }: RoundRow, units: Units): Moved => ({
  units,
  countedUsd: countedUsdOf(amount + units, rate) - countedUsdOf(amount, rate),
});

/** The numbers of a round, each time from the first on; undefined where it was dealt from a given deck. */
function streamOf({ seedPairId, nonce }: { seedPairId: bigint | null; nonce: number | null }, table: Table) {
  if (seedPairId === null) return undefined;
  const { serverSeed, clientSeed } = table.pair(seedPairId);
  return stream(serverSeed, clientSeed, nonce!);
}

const written = ({ inputs, outcome }: { inputs: object; outcome: object }) => ({
  inputs: JSON.stringify(inputs),
  outcome: JSON.stringify(outcome),
});

function creditOf({ amount, usdAmount, rate }: RoundRow, { end }: Turn<object>): Effect['credit'] {
  // What was counted is given back, by whatever rule it was.
  if (end === 'void') return { kind: 'bet.stake.rollback', units: amount, countedUsd: usdAmount };
  return end ? payout(end.paid, rate) : NO_PAYOUT;
}

function changeOf(
  { betId: id, amount, usdAmount }: RoundRow,
  { turn: { end }, credit, offset }: { turn: Turn<object>; credit: Effect['credit']; offset: number },
): BetChange {
  const open = { id, amount, usdAmount, payout: 0n, usdPayout: 0n, inputs: null, outcome: null };
  if (!end) return { ...open, status: 'CREATED', settlement: null };
  if (end === 'void') return { ...open, status: 'ROLLBACK', settlement: offset };
  return {
    ...open,
    status: 'SETTLED',
    settlement: offset,
    payout: credit.units,
    usdPayout: credit.countedUsd,
    ...written(end),
  };
}

/** A round as its rules see it. */
export function openRound(row: RoundRow): OpenRound<object> {
  const { betId, betUsd, stake, rate, decimals, maxProfitUsd, currencyId, rtpBp, state, actedAt } = row;
  return {
    betId: String(betId),
    currencyId,
    createdAt: iso(row.createdAt),
    actedAt,
    rtpBp,
    state,
    betUsd,
    stake,
    rate,
    decimals,
    maxProfitUsd,
    total: row.amount,
  };
}

const shown = (row: RoundRow, { end }: Turn<object>, { at }: Block): ShownRound<object> => ({
  ...openRound(row),
  end,
  finishedAt: end ? iso(at) : null,
});
