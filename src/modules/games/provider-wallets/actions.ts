import { AppError } from '../../../platform/errors.ts';
import { formatUnits, type Rate, type Units } from '../../../platform/money.ts';
import { recordUsage, reverseUsage } from '../../compliance/gate/rules.ts';
import {
  type BonusBooks,
  type Funds,
  recordPayout,
  recordReturn,
  recordTakenBack,
} from '../../money/bonus/books.ts';
import type { Kind } from '../../money/ledger/rules.ts';
import { countedUsdOf } from '../betting/rules.ts';
import type { Action } from './call.ts';
import { gateStatus } from './gate.ts';
import type { Session, Transaction, TransactionType } from './queries.ts';
import { countedChange, type Round, withoutStake, withoutWin, withStake, withWin } from './rules.ts';
import type { BlockId } from './state.ts';
import {
  type BetGame,
  changeRound,
  findTransaction,
  fundsOf,
  gameOf,
  leaveToStaff,
  move,
  namedRound,
  nextId,
  Refusal,
  record,
  roundIn,
  stakeFrom,
  stands,
  takeOrOwe,
  tombstoneOf,
  type Work,
} from './work.ts';

/**
 * Asked in this order: session, gate, game, round, money. Who may not play hears that, and not that their session has ended with it. What
 * staff books needs neither session nor gate: it was played long ago.
 */
export function takeBet(work: Work, action: Action): void {
  const { known, batch, wallet } = work;
  const { currencyId } = wallet;
  const session = known.asks === 'STAFF' ? undefined : getSession(work);
  if (session && session.currencyId !== currencyId) throw new Refusal('INVALID_CURRENCY');
  const before = namedRound(work);
  const units = action.isFree ? 0n : action.amount;
  const rate = before?.bet?.rate ?? known.freshRate(currencyId);
  const stakedUsd = work.stakedUsd + countedUsdOf(units, rate);
  const refusal = session && batch.refusalOf({ userId: known.userId, country: session.country }, stakedUsd);
  if (refusal) throw new Refusal(gateStatus(refusal), action);
  if (session && !session.isLive) throw new Refusal('TOKEN_EXPIRED');
  const game = gameOf(work);
  if (!game || (session && !game.isPlayable)) throw new Refusal('GAME_UNAVAILABLE', action);
  if (before && before.status !== 'OPEN') throw new Refusal('ROUND_CLOSED', action);
  if (before && before.currencyId !== currencyId) throw new Refusal('INVALID_CURRENCY');
  const funds = payStake(work, action, { units, rate, gameId: game.id, betId: before?.bet?.id });
  const id = nextId(work);
  const open = before ?? newRound(work, id, game);
  const stake = { betId: id.id, units, rate, edgePpm: game.edgePpm, at: batch.at };
  const now = stakeFrom(work, withStake(open, stake), funds);
  const staked = countedChange(open, now);
  changeRound(work, before, now, id);
  const entry = now.bet?.id ?? id.id;
  move(work, 'bet.stake', { debit: 'cash', credit: 'house', amount: funds.cash, entry });
  move(work, 'bet.stake', { debit: 'bonus', credit: 'house', amount: funds.bonus, entry });
  work.stakedUsd = stakedUsd;
  work.usage.push((play) => recordUsage(play, { at: batch.at, ...staked }));
  const type = action.isFree ? 'FREE_BET' : 'BET';
  record(work, action, { id, type, round: now, bonus: funds.bonus });
}

type Stake = { units: Units; rate: Rate; gameId: number; betId: bigint | undefined };

/** What a stake is paid from. */
function payStake(work: Work, action: Action, { rate, ...stake }: Stake): Funds {
  try {
    const funds = fundsOf(work, { ...stake, usd: countedUsdOf(stake.units, rate) });
    if (funds) return funds;
  } catch (error) {
    if (error instanceof AppError) throw new Refusal(gateStatus(error), action);
    throw error;
  }
  throw new Refusal('INSUFFICIENT_FUNDS', action);
}

function getSession({ session, known }: Work): Session {
  if (!session || session.userId !== known.userId || session.providerId !== known.provider.id)
    throw new Refusal('INVALID_TOKEN');
  return session;
}

const newRound = ({ known, wallet }: Work, { id }: BlockId, game: BetGame): Round => ({
  id,
  providerId: known.provider.id,
  userId: known.userId,
  // A bet without a round is one of its own.
  ref: known.call.round ?? `#${id}`,
  gameId: game.id,
  currencyId: wallet.currencyId,
  status: 'OPEN',
  stakes: 0,
  wins: 0,
  version: 0,
  payload: null,
  hasBonus: false,
  bet: undefined,
});

/** Never asked of the gate: it needs a bet in its round and nothing else. */
export function takeWin(work: Work, action: Action): void {
  const { batch, known, wallet } = work;
  const bet = known.provider.policy.winsName ? namedBet(work, action) : undefined;
  const before = bet ? roundIn(work, bet) : namedRound(work);
  if (!before) throw new Refusal('TRANSACTION_NOT_FOUND');
  if (before.status === 'CLOSED') throw new Refusal('ROUND_CLOSED', action);
  if (before.currencyId !== wallet.currencyId) throw new Refusal('INVALID_CURRENCY');
  if (before.isArchived) {
    leaveToStaff(work, action, { round: before, amount: action.amount });
    throw new Refusal('ROUND_CLOSED', action);
  }
  const id = nextId(work);
  // Without a stake there is no bet that it could be the payout of.
  if (action.isFree || bet?.type === 'FREE_BET' || !before.bet) {
    changeRound(work, before, withWin(before, 0n, batch.at), id);
    move(work, 'provider.freespin', {
      debit: 'promo',
      credit: 'cash',
      amount: action.amount,
      entry: id.id,
    });
    record(work, action, { id, type: 'FREE_WIN', round: before });
    return;
  }
  const now = withWin(before, action.amount, batch.at);
  const paid = countedChange(before, now);
  const { id: entry, amount: staked } = before.bet;
  const parts = work.bonus
    ? recordPayout(work.bonus, entry, { staked, payout: action.amount })
    : { cash: action.amount, bonus: 0n };
  changeRound(work, before, now, id);
  move(work, 'bet.payout', { debit: 'house', credit: 'cash', amount: parts.cash, entry });
  move(work, 'bet.payout', { debit: 'house', credit: 'bonus', amount: parts.bonus, entry });
  work.usage.push((play) => recordUsage(play, { at: batch.at, ...paid }));
  record(work, action, { id, type: 'WIN', round: before, bonus: parts.bonus });
}

/** The bet that a win belongs to. One that never came, or was taken back, does not exist. */
function namedBet(work: Work, action: Action): Transaction {
  const bet = action.reference === undefined ? undefined : findTransaction(work, action.reference);
  if (!bet || !stands(work, bet)) throw new Refusal('TRANSACTION_NOT_FOUND');
  assertRefersTo(work, action, bet);
  if (bet.type !== 'BET' && bet.type !== 'FREE_BET') throw new Refusal('TRANSACTION_CONFLICT', action);
  return bet;
}

/** A reference leads to the same player, currency and round. */
function assertRefersTo(work: Work, action: Action, to: Transaction): void {
  const { userId, call } = work.known;
  const round = roundIn(work, to);
  const isSame =
    to.userId === userId &&
    to.currencyId === work.wallet.currencyId &&
    (call.round === undefined || !round || round.ref === call.round);
  if (!isSame) throw new Refusal('TRANSACTION_CONFLICT', action);
}

/** Takes back what it refers to, once, whatever amount it says. What has not come yet is refused when it comes. */
export function takeRollback(work: Work, action: Action): void {
  const id = nextId(work);
  const target = findTransaction(work, action.reference!);
  if (!target) {
    work.added.push(tombstoneOf(work, action));
    record(work, action, { id, type: 'ROLLBACK' });
    return;
  }
  assertRefersTo(work, action, target);
  const round = roundIn(work, target);
  const claimed = stands(work, target) ? takeBack(work, action, { target, round, id }) : 0n;
  record(work, action, { id, type: 'ROLLBACK', round, claimed });
}

type TakenBack = { target: Transaction; round: Round | undefined; id: BlockId };

/** Answers what has become a claim. */
function takeBack(work: Work, action: Action, of: TakenBack): bigint {
  const { policy } = work.known.provider;
  const { target, round } = of;
  const isBet = target.type === 'BET' || target.type === 'FREE_BET';
  const isFinal = target.type === 'ROLLBACK' || target.type === 'ADJUSTMENT';
  if (isFinal || (!isBet && !policy.rollsBackWins)) throw new Refusal('TRANSACTION_CONFLICT', action);
  if (isBet && round && round.wins > 0 && !policy.rollsBackWon) throw afterResult(work, action, target);
  if (round && round.status !== 'OPEN' && !policy.rollsBackEnded) throw new Refusal('ROUND_CLOSED', action);
  if (round?.isArchived) {
    if (work.known.asks === 'STAFF') throw new Refusal('ROUND_CLOSED', action);
    // It would be sent again until it is taken.
    leaveToStaff(work, action, { round, amount: target.amount });
    return 0n;
  }
  work.undone.push(target);
  return isBet ? takeBackBet(work, of) : takeBackWin(work, action, of);
}

/** Staff looks at a refund of what has a result already. */
function afterResult(work: Work, action: Action, { transactionId, amount }: Transaction): Refusal {
  const { provider, userId } = work.known;
  work.findings.push({
    providerId: provider.id,
    kind: 'REFUND_AFTER_RESULT',
    subject: transactionId,
    userId,
    facts: { transactionId, refund: action.id, amount: formatUnits(amount) },
  });
  return new Refusal('ROUND_CLOSED', action);
}

function takeBackBet(work: Work, { target, round, id }: TakenBack): bigint {
  const units = target.type === 'FREE_BET' ? 0n : target.amount;
  const { bonus } = target;
  const now = withoutStake(round!, units, work.batch.at);
  const { staked } = countedChange(round!, now);
  const entry = now.bet?.id ?? target.id;
  if (bonus > 0n) recordReturn(bonusOf(work), entry, bonus);
  changeRound(work, round, now, id);
  const kind = 'bet.stake.rollback';
  move(work, kind, { debit: 'house', credit: 'cash', amount: units - bonus, entry });
  move(work, kind, { debit: 'house', credit: 'bonus', amount: bonus, entry });
  work.usage.push((play) => reverseUsage(play, { madeAt: target.createdAt, staked: -staked }));
  return 0n;
}

/** From cash, and what cash lacks becomes a claim: nothing goes below zero. */
function takeBackWin(work: Work, action: Action, { target, round, id }: TakenBack): bigint {
  const { batch } = work;
  const { type, amount, bonus, createdAt: madeAt } = target;
  const now = round && withoutWin(round, type === 'WIN' ? amount : 0n, batch.at);
  if (round && now) {
    const { paid } = countedChange(round, now);
    changeRound(work, round, now, id);
    const settled = { at: madeAt, paid: -paid };
    work.usage.push((play) => reverseUsage(play, { madeAt, staked: 0n, settled }));
  }
  const kind = type === 'WIN' ? 'bet.payout.rollback' : kindOf(type);
  const credit = type === 'WIN' || type === 'JACKPOT' ? 'house' : 'promo';
  const entry = type === 'WIN' ? round!.bet!.id : id.id;
  if (bonus > 0n) {
    const missing = recordTakenBack(bonusOf(work), entry, bonus);
    move(work, 'promo.write-off', { debit: 'promo', credit: 'bonus', amount: missing, entry });
    move(work, kind, { debit: 'bonus', credit: 'house', amount: bonus, entry });
  }
  return takeOrOwe(work, action, kind, { credit, amount: amount - bonus, entry });
}

function bonusOf({ bonus }: Work): BonusBooks {
  if (!bonus) throw new Error('bonus money is taken back that was not read');
  return bonus;
}

const kindOf = (type: TransactionType): Kind => {
  if (type === 'JACKPOT') return 'provider.jackpot';
  return type === 'PROMO_WIN' ? 'provider.promo' : 'provider.freespin';
};

/** Free spins, promotions and jackpots: they need no round. */
export function takeCredit(work: Work, action: Action): void {
  const { type, amount } = action;
  const id = nextId(work);
  const debit = type === 'JACKPOT' ? 'house' : 'promo';
  move(work, kindOf(type), { debit, credit: 'cash', amount, entry: id.id });
  record(work, action, { id, type, gameId: gameOf(work)?.id ?? null });
}

/** The amount has a sign. */
export function takeAdjustment(work: Work, action: Action): void {
  const { amount } = action;
  if (work.cash + amount < 0n) throw new Refusal('INSUFFICIENT_FUNDS', action);
  const id = nextId(work);
  const entry = id.id;
  if (amount < 0n)
    move(work, 'provider.adjustment', { debit: 'cash', credit: 'house', amount: -amount, entry });
  else move(work, 'provider.adjustment', { debit: 'house', credit: 'cash', amount, entry });
  record(work, action, { id, type: 'ADJUSTMENT' });
}
