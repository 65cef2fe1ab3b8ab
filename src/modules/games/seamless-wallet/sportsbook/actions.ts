import type { AppError } from '../../../../platform/errors.ts';
import type { Units } from '../../../../platform/money.ts';
import { recordUsage, reverseUsage } from '../../../compliance/gate/rules.ts';
import { countedUsdOf } from '../../betting/rules.ts';
import {
  type BetGame,
  callRound,
  changeRound,
  debitOrClaim,
  findTransaction,
  isInEffect,
  move,
  nextId,
  record,
  repayClaims,
  reportArchivedBet,
  roundOf,
  type WalletDraft,
} from '../engine/draft.ts';
import { countedChange, type Round, withStake } from '../engine/rules.ts';
import type { ReadTransaction } from './read.ts';
import { type Meaning, payloadOf, withoutBet, withoutSettlement, withSettlement } from './rules.ts';
import { Decline, type DeclineCode } from './schemas.ts';

type Handler = (draft: WalletDraft, read: ReadTransaction) => void;
type Transaction = NonNullable<ReturnType<typeof findTransaction>>;

/** Places a stake. Checks in this order: gate, game, bet, money. */
const placeBet: Handler = (draft, { action, meaning }) => {
  const { context, batch, wallet, session } = draft;
  const { userId } = context;
  const before = callRound(draft);
  const units = action.amount;
  const rate = before?.bet?.rate ?? context.freshRate(wallet.currencyId);
  const refusal = batch.refusalOf({ userId, country: session?.country ?? null }, countedUsdOf(units, rate));
  if (refusal) throw new Decline(declineOf(refusal));
  const game = gameOf(draft);
  if (!game.isPlayable) throw new Decline('decline.restrictions');
  // A bet that has ever been settled accepts no more stakes, even if it is open again.
  if (before && (before.status === 'CLOSED' || before.version > 0)) throw new Decline('error.general');
  if (before && before.currencyId !== wallet.currencyId) throw new Decline('error.request.invalid');
  if (draft.cash < units) throw new Decline('decline.lowbalance');
  const id = nextId(draft);
  const open = before ?? newRound(draft, { id: id.id, game, said: action.payload });
  const now = withStake(open, { betId: id.id, units, rate, edgePpm: game.edgePpm, at: batch.at });
  const staked = countedChange(open, now);
  changeRound(draft, before, now, id);
  move(draft, 'bet.stake', { debit: 'cash', credit: 'house', amount: units, entry: now.bet?.id ?? id.id });
  draft.usage.push((play) => recordUsage(play, { at: batch.at, ...staked }));
  const isFree = meaning === 'freebet' && units === 0n;
  record(draft, action, { id, type: isFree ? 'FREE_BET' : 'BET', round: now });
};

/** Translates the gate's refusal to an error code of the sportsbook. */
function declineOf({ code }: AppError): DeclineCode {
  if (code === 'USER_BANNED') return 'decline.player.blocked';
  return code === 'LIMIT_REACHED' ? 'limit.exceeded' : 'decline.restrictions';
}

const gameOf = ({ context }: WalletDraft): BetGame => context.findGame('')!;

type NewRound = { id: bigint; game: BetGame; said: object };

const newRound = ({ context, wallet }: WalletDraft, { id, game, said }: NewRound): Round => ({
  id,
  providerId: context.provider.id,
  userId: context.userId,
  ref: context.call.round!,
  gameId: game.id,
  currencyId: wallet.currencyId,
  status: 'OPEN',
  stakes: 0,
  wins: 0,
  version: 0,
  payload: payloadOf(said),
  hasBonus: false,
  bet: undefined,
});

/** Settles a bet, or corrects its settlement. The gate is not checked. */
const settleBet: Handler = (draft, { action, meaning, decides }) => {
  const { batch, wallet } = draft;
  const before = getRound(draft, action.reference);
  if (before.currencyId !== wallet.currencyId) throw new Decline('error.request.invalid');
  if (before.stakes === 0) throw new Decline('decline.parent.failed');
  assertNotArchived(draft, action, { round: before, amount: action.amount });
  const isFree = meaning === 'free-win' || !before.bet;
  const id = nextId(draft);
  const units = isFree ? 0n : action.amount;
  const isCancel = meaning === 'cancel';
  const now = withSettlement(before, { id: String(id.id), units, isCancel, decides, at: batch.at });
  if (!now) throw new Decline('error.request.invalid');
  const { paid } = countedChange(before, now);
  changeRound(draft, before, now, id);
  if (!isFree) draft.usage.push((play) => recordUsage(play, { at: batch.at, staked: 0n, paid }));
  const claimed = isFree
    ? moveBonus(draft, action, id.id, 'provider.freespin')
    : movePayout(draft, action, { amount: action.amount, betId: before.bet!.id, id: id.id });
  record(draft, action, { id, type: isFree ? 'FREE_WIN' : 'WIN', round: now, claimed });
};

/** Finds the round of a settlement by its bet id or its parent transaction. */
function getRound(draft: WalletDraft, reference: string | undefined): Round {
  const parent = reference === undefined ? undefined : findTransaction(draft, reference);
  const isOwn = parent?.userId === draft.context.userId;
  const round = callRound(draft) ?? (parent && isOwn ? roundOf(draft, parent) : undefined);
  if (round) return round;
  throw new Decline(
    isOwn && parent?.status === 'REFUSED' ? 'decline.parent.failed' : 'decline.parent.notfound',
  );
}

type Action = ReadTransaction['action'];

/** Throws, and adds a finding, if the month of the bet is detached. */
function assertNotArchived(draft: WalletDraft, action: Action, of: { round: Round; amount: Units }): void {
  if (!of.round.isArchived) return;
  reportArchivedBet(draft, action, of);
  throw new Decline('error.general');
}

/**
 * Moves a payout from the house to the player's cash, or in the opposite direction if it is negative. Returns the amount that became a
 * claim.
 */
function movePayout(
  draft: WalletDraft,
  action: Action,
  { amount, betId, id }: { amount: Units; betId: bigint; id: bigint },
): Units {
  if (amount < 0n)
    return debitOrClaim(draft, action, 'bet.payout.rollback', {
      credit: 'house',
      amount: -amount,
      entry: betId,
    });
  move(draft, 'bet.payout', { debit: 'house', credit: 'cash', amount, entry: betId });
  repayClaims(draft, amount, id);
  return 0n;
}

/**
 * Moves a bonus from the promo account to the player's cash, or in the opposite direction if it is negative. Returns the amount that became
 * a claim.
 */
function moveBonus(
  draft: WalletDraft,
  action: Action,
  entry: bigint,
  kind: 'provider.freespin' | 'provider.promo',
  amount: Units = action.amount,
): Units {
  if (amount < 0n) return debitOrClaim(draft, action, kind, { credit: 'promo', amount: -amount, entry });
  move(draft, kind, { debit: 'promo', credit: 'cash', amount, entry });
  repayClaims(draft, amount, entry);
  return 0n;
}

/** Credits or retracts a bonus, which needs no bet. A retraction must be covered by cash. */
const creditBonus: Handler = (draft, { action }) => {
  if (draft.cash + action.amount < 0n) throw new Decline('decline.lowbalance');
  const id = nextId(draft);
  moveBonus(draft, action, id.id, 'provider.promo');
  record(draft, action, { id, type: 'PROMO_WIN', gameId: gameOf(draft).id });
};

/**
 * Reverses the parent transaction of a rollback once. A parent that arrives after the rollback is rejected. A transaction cannot be its own
 * parent.
 */
const rollBack: Handler = (draft, { action }) => {
  const { context } = draft;
  if (action.reference === action.id) throw new Decline('error.request.invalid');
  const parent = findTransaction(draft, action.reference!);
  if (!parent || parent.status === 'TOMBSTONE')
    throw new Decline('decline.parent.notfound', { leavesTombstone: parent === undefined });
  const round = roundOf(draft, parent);
  const isOther = context.call.round !== undefined && round !== undefined && round.ref !== context.call.round;
  if (parent.userId !== context.userId || isOther) throw new Decline('error.retry.incorrect');
  if (parent.currencyId !== draft.wallet.currencyId) throw new Decline('error.request.invalid');
  if (parent.status === 'REFUSED') throw new Decline('decline.parent.failed');
  if (parent.type === 'ROLLBACK') throw new Decline('error.request.invalid');
  const id = nextId(draft);
  const claimed = isInEffect(draft, parent) ? reverse(draft, action, { parent, round, id }) : 0n;
  record(draft, action, { id, type: 'ROLLBACK', round, claimed });
};

type Reversal = { parent: Transaction; round: Round | undefined; id: ReturnType<typeof nextId> };

function reverse(draft: WalletDraft, action: Action, { parent, round, id }: Reversal): Units {
  const { type, amount } = parent;
  if (round) assertNotArchived(draft, action, { round, amount });
  draft.undone.push(parent);
  if (!round) return moveBonus(draft, action, id.id, 'provider.promo', -amount);
  if (type === 'BET' || type === 'FREE_BET') return reverseBet(draft, { parent, round, id });
  const isFree = type === 'FREE_WIN';
  const { at } = draft.batch;
  const units = isFree ? 0n : amount;
  const now = withoutSettlement(round, { id: String(parent.id), units, at });
  if (!now) throw new Decline('error.request.invalid');
  const { paid } = countedChange(round, now);
  changeRound(draft, round, now, id);
  const settled = { at: parent.createdAt, paid: -paid };
  if (!isFree)
    draft.usage.push((play) => reverseUsage(play, { madeAt: parent.createdAt, staked: 0n, settled }));
  return isFree
    ? moveBonus(draft, action, id.id, 'provider.freespin', -amount)
    : movePayout(draft, action, { amount: -amount, betId: round.bet!.id, id: id.id });
}

function reverseBet(draft: WalletDraft, { parent, round, id }: Reversal & { round: Round }): Units {
  const { amount, createdAt: madeAt } = parent;
  const now = withoutBet(round, amount, draft.batch.at);
  if (!now) throw new Decline('error.request.invalid');
  const { staked } = countedChange(round, now);
  changeRound(draft, round, now, id);
  const entry = now.bet?.id ?? parent.id;
  move(draft, 'bet.stake.rollback', { debit: 'house', credit: 'cash', amount, entry });
  draft.usage.push((play) => reverseUsage(play, { madeAt, staked: -staked }));
  repayClaims(draft, amount, id.id);
  return 0n;
}

export const HANDLERS: Readonly<Record<Meaning, Handler>> = {
  bet: placeBet,
  freebet: placeBet,
  settle: settleBet,
  'free-win': settleBet,
  resettle: settleBet,
  cancel: settleBet,
  rollback: rollBack,
  grant: creditBonus,
  retract: creditBonus,
};
