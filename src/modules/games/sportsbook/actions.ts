import type { AppError } from '../../../platform/errors.ts';
import type { Units } from '../../../platform/money.ts';
import { recordUsage, reverseUsage } from '../../compliance/gate/rules.ts';
import { countedUsdOf } from '../betting/rules.ts';
import { countedChange, type Round, withStake } from '../provider-wallets/rules.ts';
import {
  type BetGame,
  changeRound,
  findTransaction,
  leaveToStaff,
  move,
  namedRound,
  nextId,
  record,
  repayClaims,
  roundIn,
  stands,
  takeOrOwe,
  type Work,
} from '../provider-wallets/work.ts';
import { Decline } from './decline.ts';
import type { DeclineCode } from './errors.ts';
import type { ReadTransaction } from './read.ts';
import { keptOf, type Meaning, withoutBet, withoutSettlement, withSettlement } from './rules.ts';

type Take = (work: Work, read: ReadTransaction) => void;
type Transaction = NonNullable<ReturnType<typeof findTransaction>>;

/** Asked in this order: gate, game, bet, money. */
const takeBet: Take = (work, { action, meaning }) => {
  const { known, batch, wallet, session } = work;
  const { userId } = known;
  const before = namedRound(work);
  const units = action.amount;
  const rate = before?.bet?.rate ?? known.freshRate(wallet.currencyId);
  const refusal = batch.refusalOf({ userId, country: session?.country ?? null }, countedUsdOf(units, rate));
  if (refusal) throw new Decline(declineOf(refusal));
  const game = bookOf(work);
  if (!game.isPlayable) throw new Decline('decline.restrictions');
  // One that was settled is no longer staked on, open again or not.
  if (before && (before.status === 'CLOSED' || before.version > 0)) throw new Decline('error.general');
  if (before && before.currencyId !== wallet.currencyId) throw new Decline('error.request.invalid');
  if (work.cash < units) throw new Decline('decline.lowbalance');
  const id = nextId(work);
  const open = before ?? newRound(work, { id: id.id, game, said: action.payload });
  const now = withStake(open, { betId: id.id, units, rate, edgePpm: game.edgePpm, at: batch.at });
  const staked = countedChange(open, now);
  changeRound(work, before, now, id);
  move(work, 'bet.stake', { debit: 'cash', credit: 'house', amount: units, entry: now.bet?.id ?? id.id });
  work.usage.push((play) => recordUsage(play, { at: batch.at, ...staked }));
  const isFree = meaning === 'freebet' && units === 0n;
  record(work, action, { id, type: isFree ? 'FREE_BET' : 'BET', round: now });
};

/** What a refusal of the gate means to the sportsbook. */
function declineOf({ code }: AppError): DeclineCode {
  if (code === 'USER_BANNED') return 'decline.player.blocked';
  return code === 'LIMIT_REACHED' ? 'limit.exceeded' : 'decline.restrictions';
}

/** All bets of the sportsbook are on one game. */
const bookOf = ({ known }: Work): BetGame => known.findGame('')!;

type NewRound = { id: bigint; game: BetGame; said: object };

const newRound = ({ known, wallet }: Work, { id, game, said }: NewRound): Round => ({
  id,
  providerId: known.provider.id,
  userId: known.userId,
  ref: known.call.round!,
  gameId: game.id,
  currencyId: wallet.currencyId,
  status: 'OPEN',
  stakes: 0,
  wins: 0,
  version: 0,
  payload: keptOf(said),
  hasBonus: false,
  bet: undefined,
});

/** Never asked of the gate: a settlement needs its bet, and nothing else. */
const takeSettlement: Take = (work, { action, meaning }) => {
  const { batch, wallet } = work;
  const before = getRound(work, action.reference);
  if (before.currencyId !== wallet.currencyId) throw new Decline('error.request.invalid');
  if (before.stakes === 0) throw new Decline('decline.parent.failed');
  assertKept(work, action, { round: before, amount: action.amount });
  const isFree = meaning === 'free-win' || !before.bet;
  const id = nextId(work);
  const units = isFree ? 0n : action.amount;
  const isCancel = meaning === 'cancel';
  const now = withSettlement(before, { id: String(id.id), units, isCancel, at: batch.at });
  if (!now) throw new Decline('error.request.invalid');
  const { paid } = countedChange(before, now);
  changeRound(work, before, now, id);
  if (!isFree) work.usage.push((play) => recordUsage(play, { at: batch.at, staked: 0n, paid }));
  const claimed = isFree
    ? moveBonus(work, action, id.id, 'provider.freespin')
    : movePayout(work, action, { amount: action.amount, betId: before.bet!.id, id: id.id });
  record(work, action, { id, type: isFree ? 'FREE_WIN' : 'WIN', round: now, claimed });
};

/** The bet that a settlement is for, by its id or by the transaction that it names. */
function getRound(work: Work, reference: string | undefined): Round {
  const parent = reference === undefined ? undefined : findTransaction(work, reference);
  const isOwn = parent?.userId === work.known.userId;
  const round = namedRound(work) ?? (parent && isOwn ? roundIn(work, parent) : undefined);
  if (round) return round;
  throw new Decline(
    isOwn && parent?.status === 'REFUSED' ? 'decline.parent.failed' : 'decline.parent.notfound',
  );
}

type Action = ReadTransaction['action'];

/** A bet whose month is detached does not change any more. */
function assertKept(work: Work, action: Action, of: { round: Round; amount: Units }): void {
  if (!of.round.isArchived) return;
  leaveToStaff(work, action, of);
  throw new Decline('error.general');
}

/** Between the house and cash; below zero it is taken. Answers what the player owes of it. */
function movePayout(
  work: Work,
  action: Action,
  { amount, betId, id }: { amount: Units; betId: bigint; id: bigint },
): Units {
  if (amount < 0n)
    return takeOrOwe(work, action, 'bet.payout.rollback', { credit: 'house', amount: -amount, entry: betId });
  move(work, 'bet.payout', { debit: 'house', credit: 'cash', amount, entry: betId });
  repayClaims(work, amount, id);
  return 0n;
}

/** Between promo and cash, as `movePayout`. */
function moveBonus(
  work: Work,
  action: Action,
  entry: bigint,
  kind: 'provider.freespin' | 'provider.promo',
  amount: Units = action.amount,
): Units {
  if (amount < 0n) return takeOrOwe(work, action, kind, { credit: 'promo', amount: -amount, entry });
  move(work, kind, { debit: 'promo', credit: 'cash', amount, entry });
  repayClaims(work, amount, entry);
  return 0n;
}

/** Needs no bet. What is retracted has to be there. */
const takeBonus: Take = (work, { action }) => {
  if (work.cash + action.amount < 0n) throw new Decline('decline.lowbalance');
  const id = nextId(work);
  moveBonus(work, action, id.id, 'provider.promo');
  record(work, action, { id, type: 'PROMO_WIN', gameId: bookOf(work).id });
};

/** Takes its parent back, once: the exact inverse. What has not come yet is refused when it comes. */
const takeRollback: Take = (work, { action }) => {
  const { known } = work;
  const parent = findTransaction(work, action.reference!);
  if (!parent || parent.status === 'TOMBSTONE')
    throw new Decline('decline.parent.notfound', { keepsOut: parent === undefined });
  const round = roundIn(work, parent);
  const isOther = known.call.round !== undefined && round !== undefined && round.ref !== known.call.round;
  if (parent.userId !== known.userId || isOther) throw new Decline('error.retry.incorrect');
  if (parent.currencyId !== work.wallet.currencyId) throw new Decline('error.request.invalid');
  if (parent.status === 'REFUSED') throw new Decline('decline.parent.failed');
  if (parent.type === 'ROLLBACK') throw new Decline('error.request.invalid');
  const id = nextId(work);
  const claimed = stands(work, parent) ? takeBack(work, action, { parent, round, id }) : 0n;
  record(work, action, { id, type: 'ROLLBACK', round, claimed });
};

type TakenBack = { parent: Transaction; round: Round | undefined; id: ReturnType<typeof nextId> };

function takeBack(work: Work, action: Action, { parent, round, id }: TakenBack): Units {
  const { type, amount } = parent;
  if (round) assertKept(work, action, { round, amount });
  work.undone.push(parent);
  if (!round) return moveBonus(work, action, id.id, 'provider.promo', -amount);
  if (type === 'BET' || type === 'FREE_BET') return takeBackBet(work, { parent, round, id });
  const isFree = type === 'FREE_WIN';
  const { at } = work.batch;
  const units = isFree ? 0n : amount;
  const now = withoutSettlement(round, { id: String(parent.id), units, at });
  if (!now) throw new Decline('error.request.invalid');
  const { paid } = countedChange(round, now);
  changeRound(work, round, now, id);
  const settled = { at: parent.createdAt, paid: -paid };
  if (!isFree)
    work.usage.push((play) => reverseUsage(play, { madeAt: parent.createdAt, staked: 0n, settled }));
  return isFree
    ? moveBonus(work, action, id.id, 'provider.freespin', -amount)
    : movePayout(work, action, { amount: -amount, betId: round.bet!.id, id: id.id });
}

function takeBackBet(work: Work, { parent, round, id }: TakenBack & { round: Round }): Units {
  const { amount, createdAt: madeAt } = parent;
  const now = withoutBet(round, amount, work.batch.at);
  if (!now) throw new Decline('error.request.invalid');
  const { staked } = countedChange(round, now);
  changeRound(work, round, now, id);
  const entry = now.bet?.id ?? parent.id;
  move(work, 'bet.stake.rollback', { debit: 'house', credit: 'cash', amount, entry });
  work.usage.push((play) => reverseUsage(play, { madeAt, staked: -staked }));
  repayClaims(work, amount, id.id);
  return 0n;
}

export const TAKES: Readonly<Record<Meaning, Take>> = {
  bet: takeBet,
  freebet: takeBet,
  settle: takeSettlement,
  'free-win': takeSettlement,
  resettle: takeSettlement,
  cancel: takeSettlement,
  rollback: takeRollback,
  grant: takeBonus,
  retract: takeBonus,
};
