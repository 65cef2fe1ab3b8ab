import { AppError } from '../../../../platform/errors.ts';
import { formatUnits, type Rate, type Units } from '../../../../platform/money.ts';
import { recordUsage, reverseUsage } from '../../../compliance/gate/rules.ts';
import {
  type BonusBooks,
  type Funds,
  recordPayout,
  recordReturn,
  recordTakenBack,
} from '../../../money/bonus/books.ts';
import type { Kind } from '../../../money/ledger/kinds.ts';
import { countedUsdOf } from '../../betting/rules.ts';
import type { Action, WalletStatus } from '../engine/call.ts';
import {
  applyFunds,
  type BetGame,
  callRound,
  changeRound,
  debitOrClaim,
  findFunds,
  findTransaction,
  gameOf,
  isInEffect,
  move,
  nextId,
  Refusal,
  record,
  reportArchivedBet,
  roundOf,
  tombstoneOf,
  type WalletDraft,
} from '../engine/draft.ts';
import type { Session, Transaction, TransactionType } from '../engine/queries.ts';
import { countedChange, type Round, withoutStake, withoutWin, withStake, withWin } from '../engine/rules.ts';
import type { BlockId } from '../engine/state.ts';

/**
 * Places a stake. Checks in this order: session, gate, game, round, money. The gate is checked before the session's expiry, so that for a
 * banned player the provider receives the actual reason. A stake booked by staff skips session and gate, because the player placed it in
 * the past.
 */
export function placeBet(draft: WalletDraft, action: Action): void {
  const { context, batch, wallet } = draft;
  const { currencyId } = wallet;
  const session = context.origin === 'STAFF' ? undefined : getSession(draft);
  if (session && session.currencyId !== currencyId) throw new Refusal('INVALID_CURRENCY');
  const before = callRound(draft);
  const units = action.isFree ? 0n : action.amount;
  const rate = before?.bet?.rate ?? context.freshRate(currencyId);
  const stakedUsd = draft.stakedUsd + countedUsdOf(units, rate);
  const refusal = session && batch.refusalOf({ userId: context.userId, country: session.country }, stakedUsd);
  if (refusal) throw new Refusal(gateStatus(refusal), action);
  if (session && !session.isLive) throw new Refusal('TOKEN_EXPIRED');
  const game = gameOf(draft);
  if (!game || (session && !game.isPlayable)) throw new Refusal('GAME_UNAVAILABLE', action);
  if (before && before.status !== 'OPEN') throw new Refusal('ROUND_CLOSED', action);
  if (before && before.currencyId !== currencyId) throw new Refusal('INVALID_CURRENCY');
  const funds = payStake(draft, action, { units, rate, gameId: game.id, betId: before?.bet?.id });
  const id = nextId(draft);
  const open = before ?? newRound(draft, id, game);
  const stake = { betId: id.id, units, rate, edgePpm: game.edgePpm, at: batch.at };
  const now = applyFunds(draft, withStake(open, stake), funds);
  const staked = countedChange(open, now);
  changeRound(draft, before, now, id);
  const entry = now.bet?.id ?? id.id;
  move(draft, 'bet.stake', { debit: 'cash', credit: 'house', amount: funds.cash, entry });
  move(draft, 'bet.stake', { debit: 'bonus', credit: 'house', amount: funds.bonus, entry });
  draft.stakedUsd = stakedUsd;
  draft.usage.push((play) => recordUsage(play, { at: batch.at, ...staked }));
  const type = action.isFree ? 'FREE_BET' : 'BET';
  record(draft, action, { id, type, round: now, bonus: funds.bonus });
}

/** Translates the gate's refusal to a status for the provider. */
function gateStatus({ code }: AppError): WalletStatus {
  if (code === 'LIMIT_REACHED' || code === 'PROMO_MAX_BET') return 'LIMIT_EXCEEDED';
  return code === 'PLAY_STOPPED' ? 'GAME_UNAVAILABLE' : 'PLAYER_BLOCKED';
}

type Stake = { units: Units; rate: Rate; gameId: number; betId: bigint | undefined };

/** Splits a stake into cash and bonus money. */
function payStake(draft: WalletDraft, action: Action, { rate, ...stake }: Stake): Funds {
  try {
    const funds = findFunds(draft, { ...stake, usd: countedUsdOf(stake.units, rate) });
    if (funds) return funds;
  } catch (error) {
    if (error instanceof AppError) throw new Refusal(gateStatus(error), action);
    throw error;
  }
  throw new Refusal('INSUFFICIENT_FUNDS', action);
}

function getSession({ session, context }: WalletDraft): Session {
  if (!session || session.userId !== context.userId || session.providerId !== context.provider.id)
    throw new Refusal('INVALID_TOKEN');
  return session;
}

const newRound = ({ context, wallet }: WalletDraft, { id }: BlockId, game: BetGame): Round => ({
  id,
  providerId: context.provider.id,
  userId: context.userId,
  // A bet without a round gets a round of its own.
  ref: context.call.round ?? `#${id}`,
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

/** Credits a win. The win needs a bet in its round. The gate is not checked. */
export function creditWin(draft: WalletDraft, action: Action): void {
  const { batch, context, wallet } = draft;
  const bet = context.provider.policy.winsName ? namedBet(draft, action) : undefined;
  const before = bet ? roundOf(draft, bet) : callRound(draft);
  if (!before) throw new Refusal('TRANSACTION_NOT_FOUND');
  if (before.status === 'CLOSED') throw new Refusal('ROUND_CLOSED', action);
  if (before.currencyId !== wallet.currencyId) throw new Refusal('INVALID_CURRENCY');
  if (before.isArchived) {
    reportArchivedBet(draft, action, { round: before, amount: action.amount });
    throw new Refusal('ROUND_CLOSED', action);
  }
  const id = nextId(draft);
  // Without a stake, the round has no bet that the payout could belong to.
  if (action.isFree || bet?.type === 'FREE_BET' || !before.bet) {
    changeRound(draft, before, withWin(before, 0n, batch.at), id);
    move(draft, 'provider.freespin', {
      debit: 'promo',
      credit: 'cash',
      amount: action.amount,
      entry: id.id,
    });
    record(draft, action, { id, type: 'FREE_WIN', round: before });
    return;
  }
  const now = withWin(before, action.amount, batch.at);
  const paid = countedChange(before, now);
  const { id: entry, amount: staked } = before.bet;
  const parts = draft.bonus
    ? recordPayout(draft.bonus, entry, { staked, payout: action.amount })
    : { cash: action.amount, bonus: 0n };
  changeRound(draft, before, now, id);
  move(draft, 'bet.payout', { debit: 'house', credit: 'cash', amount: parts.cash, entry });
  move(draft, 'bet.payout', { debit: 'house', credit: 'bonus', amount: parts.bonus, entry });
  draft.usage.push((play) => recordUsage(play, { at: batch.at, ...paid }));
  record(draft, action, { id, type: 'WIN', round: before, bonus: parts.bonus });
}

/** Returns the bet that a win refers to. Rejects the win if the bet was never booked or was rolled back. */
function namedBet(draft: WalletDraft, action: Action): Transaction {
  const bet = action.reference === undefined ? undefined : findTransaction(draft, action.reference);
  if (!bet || !isInEffect(draft, bet)) throw new Refusal('TRANSACTION_NOT_FOUND');
  assertRefersTo(draft, action, bet);
  if (bet.type !== 'BET' && bet.type !== 'FREE_BET') throw new Refusal('TRANSACTION_CONFLICT', action);
  return bet;
}

/** Throws unless the referenced transaction has the same player, currency and round. */
function assertRefersTo(draft: WalletDraft, action: Action, to: Transaction): void {
  const { userId, call } = draft.context;
  const round = roundOf(draft, to);
  const isSame =
    to.userId === userId &&
    to.currencyId === draft.wallet.currencyId &&
    (call.round === undefined || !round || round.ref === call.round);
  if (!isSame) throw new Refusal('TRANSACTION_CONFLICT', action);
}

/**
 * Reverses the referenced transaction once. The rollback's own amount is ignored. If the referenced transaction arrives later, it is
 * rejected. A rollback that references itself is a conflict: its tombstone would use its own id, and every retry would fail again.
 */
export function rollBack(draft: WalletDraft, action: Action): void {
  if (action.reference === action.id) throw new Refusal('TRANSACTION_CONFLICT', action);
  const id = nextId(draft);
  const target = findTransaction(draft, action.reference!);
  if (!target) {
    draft.added.push(tombstoneOf(draft, action));
    record(draft, action, { id, type: 'ROLLBACK' });
    return;
  }
  assertRefersTo(draft, action, target);
  const round = roundOf(draft, target);
  const claimed = isInEffect(draft, target) ? reverse(draft, action, { target, round, id }) : 0n;
  record(draft, action, { id, type: 'ROLLBACK', round, claimed });
}

type Reversal = { target: Transaction; round: Round | undefined; id: BlockId };

/** Reverses a transaction and returns the amount that became a claim. */
function reverse(draft: WalletDraft, action: Action, of: Reversal): bigint {
  const { policy } = draft.context.provider;
  const { target, round } = of;
  const isBet = target.type === 'BET' || target.type === 'FREE_BET';
  const isFinal = target.type === 'ROLLBACK' || target.type === 'ADJUSTMENT';
  if (isFinal || (!isBet && !policy.rollsBackWins)) throw new Refusal('TRANSACTION_CONFLICT', action);
  if (isBet && round && round.wins > 0 && !policy.rollsBackWon) throw afterResult(draft, action, target);
  if (round && round.status !== 'OPEN' && !policy.rollsBackEnded) throw new Refusal('ROUND_CLOSED', action);
  if (round?.isArchived) {
    if (draft.context.origin === 'STAFF') throw new Refusal('ROUND_CLOSED', action);
    // The rollback is accepted, because the provider would otherwise resend it indefinitely.
    reportArchivedBet(draft, action, { round, amount: target.amount });
    return 0n;
  }
  draft.undone.push(target);
  return isBet ? reverseBet(draft, of) : reverseWin(draft, action, of);
}

/** Adds a finding for staff, because the bet to be refunded already has a result. */
function afterResult(draft: WalletDraft, action: Action, { transactionId, amount }: Transaction): Refusal {
  const { provider, userId } = draft.context;
  draft.findings.push({
    providerId: provider.id,
    kind: 'REFUND_AFTER_RESULT',
    subject: transactionId,
    userId,
    facts: { transactionId, refund: action.id, amount: formatUnits(amount) },
  });
  return new Refusal('ROUND_CLOSED', action);
}

function reverseBet(draft: WalletDraft, { target, round, id }: Reversal): bigint {
  const units = target.type === 'FREE_BET' ? 0n : target.amount;
  const { bonus } = target;
  const now = withoutStake(round!, units, draft.batch.at);
  const { staked } = countedChange(round!, now);
  const entry = now.bet?.id ?? target.id;
  if (bonus > 0n) recordReturn(bonusOf(draft), entry, bonus);
  changeRound(draft, round, now, id);
  const kind = 'bet.stake.rollback';
  move(draft, kind, { debit: 'house', credit: 'cash', amount: units - bonus, entry });
  move(draft, kind, { debit: 'house', credit: 'bonus', amount: bonus, entry });
  draft.usage.push((play) => reverseUsage(play, { madeAt: target.createdAt, staked: -staked }));
  return 0n;
}

/** Debits a win. Returns the missing amount, which became a claim. */
function reverseWin(draft: WalletDraft, action: Action, { target, round, id }: Reversal): bigint {
  const { batch } = draft;
  const { type, amount, bonus, createdAt: madeAt } = target;
  const now = round && withoutWin(round, type === 'WIN' ? amount : 0n, batch.at);
  if (round && now) {
    const { paid } = countedChange(round, now);
    changeRound(draft, round, now, id);
    const settled = { at: madeAt, paid: -paid };
    draft.usage.push((play) => reverseUsage(play, { madeAt, staked: 0n, settled }));
  }
  const kind = type === 'WIN' ? 'bet.payout.rollback' : kindOf(type);
  const credit = type === 'WIN' || type === 'JACKPOT' ? 'house' : 'promo';
  const entry = type === 'WIN' ? round!.bet!.id : id.id;
  if (bonus > 0n) {
    const missing = recordTakenBack(bonusOf(draft), entry, bonus);
    move(draft, 'promo.write-off', { debit: 'promo', credit: 'bonus', amount: missing, entry });
    move(draft, kind, { debit: 'bonus', credit: 'house', amount: bonus, entry });
  }
  return debitOrClaim(draft, action, kind, { credit, amount: amount - bonus, entry });
}

function bonusOf({ bonus }: WalletDraft): BonusBooks {
  if (!bonus) throw new Error('the bonus money to reverse was not read');
  return bonus;
}

const kindOf = (type: TransactionType): Kind => {
  if (type === 'JACKPOT') return 'provider.jackpot';
  return type === 'PROMO_WIN' ? 'provider.promo' : 'provider.freespin';
};

/** Credits free spins, promotions and jackpots, which need no round. */
export function creditReward(draft: WalletDraft, action: Action): void {
  const { type, amount } = action;
  const id = nextId(draft);
  const debit = type === 'JACKPOT' ? 'house' : 'promo';
  move(draft, kindOf(type), { debit, credit: 'cash', amount, entry: id.id });
  record(draft, action, { id, type, gameId: gameOf(draft)?.id ?? null });
}

/** Adjusts the balance by a signed amount. */
export function adjust(draft: WalletDraft, action: Action): void {
  const { amount } = action;
  if (draft.cash + amount < 0n) throw new Refusal('INSUFFICIENT_FUNDS', action);
  const id = nextId(draft);
  const entry = id.id;
  if (amount < 0n)
    move(draft, 'provider.adjustment', { debit: 'cash', credit: 'house', amount: -amount, entry });
  else move(draft, 'provider.adjustment', { debit: 'house', credit: 'cash', amount, entry });
  record(draft, action, { id, type: 'ADJUSTMENT' });
}
