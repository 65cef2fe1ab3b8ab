import { hash } from 'node:crypto';
import { formatUnits, MAX_UNITS, type Rate, type Units } from '../../../../platform/money.ts';
import type { NewFinding } from '../../../base/findings/service.ts';
import type { Play } from '../../../compliance/gate/rules.ts';
import {
  type BonusBooks,
  copyOf,
  type Funds,
  fund,
  playableOf,
  recordChange,
  recordStake,
  takeOver,
} from '../../../money/bonus/books.ts';
import type { Kind } from '../../../money/ledger/kinds.ts';
import type { NewClaim, OpenClaim } from '../../../money/ledger/queries.ts';
import type { Posting, Wallet } from '../../../money/ledger/rules.ts';
import type { Batch, Books } from '../../betting/request.ts';
import type { Action, DoneAction, Policy, WalletCall, WalletStatus } from './call.ts';
import type { Session, Transaction, TransactionType } from './queries.ts';
import type { Round, RoundBet } from './rules.ts';
import {
  addTransaction,
  type BlockId,
  claimsOf,
  findLatestSession,
  findRound,
  findRoundById,
  findSession,
  findTransactionIn,
  repay,
  setRound,
  undo,
  type WalletState,
} from './state.ts';

/** The properties of a game that a bet needs. */
export type BetGame = { id: number; isPlayable: boolean; edgePpm: number };

/** The data needed to process a call, in addition to the rows that were read. */
export type CallContext = {
  provider: { id: number; slug: string; policy: Policy };
  userId: number;
  call: WalletCall;
  /**
   * The origin of the call. STAFF: staff book a transaction that only the provider's report contains. EXPIRY: an abandoned round is being
   * ended. Undefined: the provider has called.
   */
  origin?: 'STAFF' | 'EXPIRY' | undefined;
  tokenHash: string | undefined;
  /** Finds a game by the provider's game code. */
  findGame: (code: string) => BetGame | undefined;
  getGame: (id: number) => BetGame | undefined;
  /** Throws 409 RATE_STALE. */
  freshRate: (currencyId: string) => Rate;
};

/** The effects of a call so far. They are applied only after all of its actions have been processed. */
export type WalletDraft = {
  context: CallContext;
  batch: Batch;
  state: WalletState;
  wallet: Wallet;
  session: Session | undefined;
  /** The player's cash after the call's actions so far. */
  cash: Units;
  /** The player's bonus money after the actions so far. Undefined if the player has no grant or cannot stake it at this provider. */
  bonus: BonusBooks | undefined;
  /** Number of the block's ids that the call has used so far. */
  idsUsed: number;
  moves: (Pick<Posting, 'kind' | 'debit' | 'credit' | 'amount'> & { entry: bigint })[];
  rounds: Map<bigint, { now: Round; changedBy: BlockId }>;
  added: Transaction[];
  undone: Transaction[];
  usage: ((play: Play) => Play)[];
  /** The stakes of the call so far, in US dollars. */
  stakedUsd: Units;
  claims: NewClaim[];
  /** Payments towards earlier claims. */
  repaid: Map<OpenClaim, Units>;
  findings: NewFinding[];
  done: DoneAction[];
  /** True if the call has settled a bet. */
  settles: boolean;
};

/** Rejects the whole call. `action` is set if the transaction itself is rejected, so that its id always gets the same response. */
export class Refusal extends Error {
  readonly status: WalletStatus;
  readonly action: Action | undefined;
  constructor(status: WalletStatus, action?: Action) {
    super(status);
    this.status = status;
    this.action = action;
  }
}

export const createDraft = (
  context: CallContext,
  batch: Batch,
  state: WalletState,
  wallet: Wallet,
): WalletDraft => ({
  context,
  batch,
  state,
  wallet,
  session: sessionOf(context, state),
  cash: wallet.cash,
  bonus:
    context.provider.policy.isCashAlone || !batch.bonus ? undefined : copyOf(batch.bonus, context.userId),
  idsUsed: 0,
  moves: [],
  rounds: new Map(),
  added: [],
  undone: [],
  usage: [],
  stakedUsd: 0n,
  claims: [],
  repaid: new Map(),
  findings: [],
  done: [],
  settles: false,
});

/** Returns the token's session or, without a token, the player's newest session at the provider. */
export const sessionOf = (
  { tokenHash, userId, provider }: CallContext,
  state: WalletState,
): Session | undefined =>
  tokenHash === undefined
    ? findLatestSession(state, { userId, providerId: provider.id })
    : findSession(state, tokenHash);

export function nextId(draft: WalletDraft): BlockId {
  const offset = draft.batch.offset + draft.idsUsed++;
  return { offset, id: draft.batch.base + BigInt(offset) };
}

/** Finds a transaction by the provider's id, including transactions of this call. */
export function findTransaction(
  { context, state, added }: Pick<WalletDraft, 'context' | 'state' | 'added'>,
  transactionId: string,
): Transaction | undefined {
  const { provider, userId, call } = context;
  const providerId = provider.id;
  const round = call.round === undefined ? undefined : { userId, providerId, ref: call.round };
  return (
    added.find((t) => t.transactionId === transactionId) ??
    findTransactionIn(state, { providerId, transactionId }, round)
  );
}

/** Returns true if a transaction was booked and not rolled back. */
export const isInEffect = ({ undone }: WalletDraft, transaction: Transaction): boolean =>
  transaction.status === 'DONE' && !undone.includes(transaction);

/** Returns the round of the call, including the call's actions so far. */
export function callRound({ context, state, rounds }: WalletDraft): Round | undefined {
  const { call, userId, provider } = context;
  if (call.round === undefined) return undefined;
  for (const { now } of rounds.values()) if (now.ref === call.round) return now;
  return findRound(state, { userId, providerId: provider.id, ref: call.round });
}

/** Returns the round of a transaction, including the call's actions so far. */
export function roundOf(draft: WalletDraft, { roundId }: Transaction): Round | undefined {
  if (roundId === null) return undefined;
  const named = callRound(draft);
  return named?.id === roundId
    ? named
    : (draft.rounds.get(roundId)?.now ?? findRoundById(draft.state, roundId));
}

/** Returns the game whose code the call contains or, without a code, the launched game. */
export function gameOf({ context, session }: WalletDraft): BetGame | undefined {
  const { gameCode } = context.call;
  if (gameCode !== undefined) return context.findGame(gameCode);
  return session && context.getGame(session.gameId);
}

/** Returns the amount that the player can stake: cash, plus bonus money if the game contributes to wagering. */
export function balanceOf(draft: WalletDraft): Units {
  const { bonus, cash, wallet } = draft;
  const gameId = bonus && (callRound(draft)?.gameId ?? gameOf(draft)?.id);
  return gameId === undefined ? cash : cash + playableOf(bonus!, wallet, gameId);
}

type Staked = { units: Units; usd: Units; gameId: number; betId: bigint | undefined };

/** Splits a stake into cash and bonus money. Returns undefined if the balance is too low. Throws 403 PROMO_MAX_BET. */
export function findFunds(
  { bonus, wallet, cash, context }: WalletDraft,
  { units, ...stake }: Staked,
): Funds | undefined {
  if (bonus && units > 0n && context.origin !== 'STAFF')
    return fund(bonus, { wallet: { ...wallet, cash }, units, ...stake });
  return cash >= units ? { cash: units, bonus: 0n, contributionBp: 0 } : undefined;
}

/** Records the cash and bonus parts of a stake. Returns the round, which is marked if the stake contains bonus money. */
export function applyFunds({ bonus }: WalletDraft, round: Round, funds: Funds): Round {
  if (!bonus || !round.bet || !funds.grant) return round;
  recordStake(bonus, round.bet.id, funds);
  return { ...round, hasBonus: true };
}

export function changeRound(
  draft: WalletDraft,
  before: Round | undefined,
  now: Round,
  changedBy: BlockId,
): void {
  const { amount = 0n, usdAmount = 0n, payout = 0n, usdPayout = 0n } = now.bet ?? {};
  assertFit(amount, usdAmount, payout, usdPayout);
  draft.rounds.set(now.id, { now, changedBy });
  if (now.hasBonus && now.bet && now.status !== 'OPEN') countBet(draft, now.bet);
  if (now.bet?.status === 'SETTLED' && before?.bet?.status !== 'SETTLED') draft.settles = true;
}

/** Counts the stake of an ended bet, or a later change of the stake, towards the grant's wagering requirement. */
function countBet({ bonus }: WalletDraft, { id, amount: staked, rate }: RoundBet): void {
  if (!bonus) throw new Error(`the bonus money of bet ${id} was not read`);
  recordChange(bonus, id, { staked, rate });
}

/** Rejects an amount that exceeds its column, because a retry could never succeed. */
function assertFit(...sums: readonly Units[]): void {
  if (sums.some((sum) => sum > MAX_UNITS)) throw new Refusal('INVALID_REQUEST');
}

/**
 * Moves the player's money. Returns false if the amount would overflow the cash balance and therefore goes to suspense. Zero moves nothing.
 * Throws for a negative amount, which occurs if a cached round is outdated and does not match the bonus money that was read.
 */
export function move(
  draft: WalletDraft,
  kind: Kind,
  { debit, credit, amount, entry }: Pick<Posting, 'debit' | 'credit' | 'amount'> & { entry: bigint },
): boolean {
  if (amount === 0n) return true;
  if (amount < 0n) throw new RangeError(`${kind} of ${amount}`);
  assertFit(amount);
  if (debit === 'cash') draft.cash -= amount;
  // `book`, which writes the posting later, does the same check.
  const arrives = credit !== 'cash' || draft.cash <= MAX_UNITS - amount;
  if (credit === 'cash' && arrives) draft.cash += amount;
  draft.moves.push({ kind, debit, credit, amount, entry });
  return arrives;
}

type Debit = Pick<Posting, 'credit' | 'amount'> & { entry: bigint };

/** Debits cash, and records any missing amount as a claim, so that no balance becomes negative. Returns the claim. */
export function debitOrClaim(
  draft: WalletDraft,
  action: Action,
  kind: Kind,
  { credit, amount, entry }: Debit,
): Units {
  const { context, wallet } = draft;
  const debited = draft.cash < amount ? draft.cash : amount;
  const claimed = amount - debited;
  move(draft, kind, { debit: 'cash', credit, amount: debited, entry });
  move(draft, kind, { debit: 'claims', credit, amount: claimed, entry });
  if (claimed > 0n) {
    const key = `provider:${context.provider.slug}:${action.id}`;
    const { userId, currencyId } = wallet;
    draft.claims.push({ userId, currencyId, amount: claimed, remaining: claimed, key });
  }
  return claimed;
}

/**
 * Pays the player's claims from an amount that was just credited, oldest first. Debits no more than the cash balance, because a credit that
 * would have overflowed the balance is in suspense. `entry`: the ledger entry of the transaction.
 */
export function repayClaims(draft: WalletDraft, amount: Units, entry: bigint): void {
  const most = amount < draft.cash ? amount : draft.cash;
  let left = most;
  for (const claim of claimsOf(draft.state, draft.wallet)) {
    const before = draft.repaid.get(claim) ?? 0n;
    const remaining = claim.remaining - before;
    const paid = remaining < left ? remaining : left;
    if (paid === 0n) continue;
    left -= paid;
    draft.repaid.set(claim, before + paid);
  }
  move(draft, 'claim.recovery', { debit: 'cash', credit: 'claims', amount: most - left, entry });
}

type Recorded = {
  id: BlockId;
  type: TransactionType;
  round?: Round | undefined;
  gameId?: number | null;
  claimed?: Units;
  bonus?: Units;
};

/** Adds the transaction of a booked action, with the balance after it. */
export function record(
  draft: WalletDraft,
  action: Action,
  { id, type, round, gameId, claimed = 0n, bonus = 0n }: Recorded,
): void {
  const { batch } = draft;
  draft.added.push({
    ...transactionOf(draft, action, id.id),
    roundId: round?.id ?? null,
    gameId: gameId ?? round?.gameId ?? null,
    type,
    bonus,
    balance: balanceOf(draft),
    claimed,
  });
  draft.done.push({ id: action.id, transactionId: String(id.id), at: batch.at, isRepeated: false });
}

/** Builds a transaction that has not moved money yet. */
function transactionOf(draft: WalletDraft, action: Action, id: bigint): Transaction {
  const { context, batch, wallet } = draft;
  return {
    id,
    providerId: context.provider.id,
    transactionId: action.id,
    userId: context.userId,
    roundId: null,
    gameId: null,
    type: action.type,
    currencyId: wallet.currencyId,
    amount: action.amount,
    bonus: 0n,
    content: contentOf(draft, action),
    status: 'DONE',
    refusal: null,
    reference: action.reference ?? null,
    balance: wallet.cash,
    claimed: 0n,
    payload: action.said === undefined ? (action.payload ?? null) : { ...action.payload, said: action.said },
    freeRounds: action.freeRounds ?? null,
    createdAt: batch.at,
  };
}

/** Hashes the content that must be the same whenever an id is repeated: player, type, round, amount, currency, reference and game. */
export function contentOf(
  { context, wallet }: WalletDraft,
  { type, amount, isFree, reference, named }: Action,
): string {
  const { userId, call } = context;
  const { round = null, gameCode = null } = call;
  const said = [userId, type, round, String(amount), wallet.currencyId, reference ?? null, gameCode];
  const text = JSON.stringify([...said, isFree ?? false, ...(named === undefined ? [] : [named])]);
  return hash('sha256', text, 'hex');
}

/** Adds a finding for staff, because a bet whose month is detached cannot be changed. `amount`: the amount that would have moved. */
export function reportArchivedBet(
  { context, wallet, findings }: WalletDraft,
  { id, type, reference }: Action,
  { round, amount }: { round: Round; amount: Units },
): void {
  const { provider, userId } = context;
  const facts = {
    transactionId: id,
    type,
    amount: formatUnits(amount),
    currencyId: wallet.currencyId,
    reference: reference ?? null,
    round: round.ref,
    betId: String(round.bet!.id),
  };
  findings.push({ providerId: provider.id, kind: 'BET_ARCHIVED', subject: id, userId, facts });
}

/** Applies a draft to the batch's state and ledger. */
export function applyDraft(draft: WalletDraft, books: Books): void {
  const { state, wallet, batch, bonus } = draft;
  for (const { entry, ...posting } of draft.moves)
    books.post(wallet, posting, { id: nextId(draft).offset, entry: entry - batch.base });
  if (bonus) takeOver(batch.bonus!, bonus);
  for (const { now, changedBy } of draft.rounds.values()) setRound(state, now, changedBy);
  for (const transaction of draft.added) addTransaction(state, transaction);
  for (const transaction of draft.undone) undo(state, transaction);
  for (const change of draft.usage) books.play(wallet.userId, change);
  for (const [claim, paid] of draft.repaid) repay(state, claim, paid);
  state.claims.push(...draft.claims);
  state.findings.push(...draft.findings);
}

/** Stores a rejected transaction with the reason. A rejected transaction never moves money. */
export function storeRefusal(draft: WalletDraft, action: Action, refusal: string): void {
  const id = draft.batch.base + BigInt(draft.batch.offset);
  addTransaction(draft.state, { ...transactionOf(draft, action, id), status: 'REFUSED', refusal });
}

/** Stores the tombstone of the referenced transaction when the call itself is rejected. */
export const storeTombstone = (draft: WalletDraft, action: Action): void =>
  addTransaction(draft.state, tombstoneOf(draft, action));

/** Builds the tombstone of a transaction whose rollback arrived first. The transaction is rejected when it arrives. */
export const tombstoneOf = (draft: WalletDraft, action: Action): Transaction => ({
  ...transactionOf(draft, { type: 'BET', id: action.reference!, amount: 0n }, nextId(draft).id),
  status: 'TOMBSTONE',
  balance: balanceOf(draft),
});
