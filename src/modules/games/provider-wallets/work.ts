import { hash } from 'node:crypto';
import { formatUnits, MAX_UNITS, type Rate, type Units } from '../../../platform/money.ts';
import type { Play } from '../../compliance/gate/rules.ts';
import {
  type BonusBooks,
  copyOf,
  type Funds,
  fund,
  playableOf,
  recordChange,
  recordStake,
  takeOver,
} from '../../money/bonus/books.ts';
import type { NewClaim, OpenClaim } from '../../money/ledger/queries.ts';
import type { Kind, Posting, Wallet } from '../../money/ledger/rules.ts';
import type { Batch, Books } from '../betting/request.ts';
import type { Action, DoneAction, Policy, WalletCall, WalletStatus } from './call.ts';
import type { NewFinding, Session, Transaction, TransactionType } from './queries.ts';
import type { Round, RoundBet } from './rules.ts';
import {
  addTransaction,
  type BlockId,
  findRound,
  latestSession,
  owedBy,
  repay,
  roundOf,
  sessionIn,
  setRound,
  transactionIn,
  undo,
  type WalletState,
} from './state.ts';

/** A game as bets need it. */
export type BetGame = { id: number; isPlayable: boolean; edgePpm: number };

/** What a call is decided on beside what was read for it. */
export type Known = {
  provider: { id: number; slug: string; policy: Policy };
  userId: number;
  call: WalletCall;
  /** STAFF: books what the provider's report has and we have not. EXPIRY: nobody has ended the round. Else the provider. */
  asks?: 'STAFF' | 'EXPIRY' | undefined;
  tokenHash: string | undefined;
  /** By the provider's name of it. */
  findGame: (code: string) => BetGame | undefined;
  getGame: (id: number) => BetGame | undefined;
  /** Throws 409 RATE_STALE. */
  freshRate: (currencyId: string) => Rate;
};

/** What a call has come to so far; nothing of it is written before all of it is decided. */
export type Work = {
  known: Known;
  batch: Batch;
  state: WalletState;
  wallet: Wallet;
  session: Session | undefined;
  /** What the actions so far leave. */
  cash: Units;
  /** The player's bonus money, as the actions so far leave it; undefined: they have no grant, or may not stake it here. */
  bonus: BonusBooks | undefined;
  /** How many ids of the block were used. */
  idsUsed: number;
  moves: (Pick<Posting, 'kind' | 'debit' | 'credit' | 'amount'> & { entry: bigint })[];
  rounds: Map<bigint, { now: Round; changedBy: BlockId }>;
  added: Transaction[];
  undone: Transaction[];
  usage: ((play: Play) => Play)[];
  /** What its bets have staked so far, in US dollars. */
  stakedUsd: Units;
  claims: NewClaim[];
  /** What it pays of earlier claims. */
  repaid: Map<OpenClaim, Units>;
  findings: NewFinding[];
  done: DoneAction[];
  /** It has settled a bet. */
  settles: boolean;
};

/** A call that carries nothing out. `action`: what it was refused for, where the refusal is one of the transaction itself. */
export class Refusal extends Error {
  readonly status: WalletStatus;
  readonly action: Action | undefined;
  constructor(status: WalletStatus, action?: Action) {
    super(status);
    this.status = status;
    this.action = action;
  }
}

/** Nothing but the session and the wallet is known yet. */
export const createWork = (known: Known, batch: Batch, state: WalletState, wallet: Wallet): Work => ({
  known,
  batch,
  state,
  wallet,
  session: sessionOf(known, state),
  cash: wallet.cash,
  bonus: known.provider.policy.isCashAlone || !batch.bonus ? undefined : copyOf(batch.bonus, known.userId),
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

/** The session of the token; without one the player's newest at the provider. */
export const sessionOf = ({ tokenHash, userId, provider }: Known, state: WalletState): Session | undefined =>
  tokenHash === undefined
    ? latestSession(state, { userId, providerId: provider.id })
    : sessionIn(state, tokenHash);

export function nextId(work: Work): BlockId {
  const offset = work.batch.offset + work.idsUsed++;
  return { offset, id: work.batch.base + BigInt(offset) };
}

/** A transaction of the provider by its id, of this call too. */
export function findTransaction(
  { known, state, added }: Pick<Work, 'known' | 'state' | 'added'>,
  transactionId: string,
): Transaction | undefined {
  const { provider, userId, call } = known;
  const providerId = provider.id;
  const round = call.round === undefined ? undefined : { userId, providerId, ref: call.round };
  return (
    added.find((t) => t.transactionId === transactionId) ??
    transactionIn(state, { providerId, transactionId }, round)
  );
}

/** It stands: it was carried out and not taken back. */
export const stands = ({ undone }: Work, transaction: Transaction): boolean =>
  transaction.status === 'DONE' && !undone.includes(transaction);

/** The round that the call names, as its actions so far have left it. */
export function namedRound({ known, state, rounds }: Work): Round | undefined {
  const { call, userId, provider } = known;
  if (call.round === undefined) return undefined;
  for (const { now } of rounds.values()) if (now.ref === call.round) return now;
  return findRound(state, { userId, providerId: provider.id, ref: call.round });
}

/** The round of a transaction, as the actions so far have left it. */
export function roundIn(work: Work, { roundId }: Transaction): Round | undefined {
  if (roundId === null) return undefined;
  const named = namedRound(work);
  return named?.id === roundId ? named : (work.rounds.get(roundId)?.now ?? roundOf(work.state, roundId));
}

/** The game that the call names; without a name that of the launch. */
export function gameOf({ known, session }: Work): BetGame | undefined {
  const { gameCode } = known.call;
  if (gameCode !== undefined) return known.findGame(gameCode);
  return session && known.getGame(session.gameId);
}

/** What the player can stake: cash, and bonus money where the game counts towards its turnover. */
export function balanceOf(work: Work): Units {
  const { bonus, cash, wallet } = work;
  const gameId = bonus && (namedRound(work)?.gameId ?? gameOf(work)?.id);
  return gameId === undefined ? cash : cash + playableOf(bonus!, wallet, gameId);
}

type Staked = { units: Units; usd: Units; gameId: number; betId: bigint | undefined };

/** What a stake is paid from; undefined: too little is there. Throws 403 PROMO_MAX_BET. */
export function fundsOf(
  { bonus, wallet, cash, known }: Work,
  { units, ...stake }: Staked,
): Funds | undefined {
  if (bonus && units > 0n && known.asks !== 'STAFF')
    return fund(bonus, { wallet: { ...wallet, cash }, units, ...stake });
  return cash >= units ? { cash: units, bonus: 0n, contributionBp: 0 } : undefined;
}

/** Takes over what a stake was paid from; answers the round, which knows of bonus money from then on. */
export function stakeFrom({ bonus }: Work, round: Round, funds: Funds): Round {
  if (!bonus || !round.bet || !funds.grant) return round;
  recordStake(bonus, round.bet.id, funds);
  return { ...round, hasBonus: true };
}

export function changeRound(work: Work, before: Round | undefined, now: Round, changedBy: BlockId): void {
  const { amount = 0n, usdAmount = 0n, payout = 0n, usdPayout = 0n } = now.bet ?? {};
  assertFit(amount, usdAmount, payout, usdPayout);
  work.rounds.set(now.id, { now, changedBy });
  if (now.hasBonus && now.bet && now.status !== 'OPEN') countBet(work, now.bet);
  if (now.bet?.status === 'SETTLED' && before?.bet?.status !== 'SETTLED') work.settles = true;
}

/** What a bet has staked at its end, or stakes since, counts towards the turnover of its grant. */
function countBet({ bonus }: Work, { id, amount: staked, rate }: RoundBet): void {
  if (!bonus) throw new Error(`the bonus money of bet ${id} was not read`);
  recordChange(bonus, id, { staked, rate });
}

/** No sum may be more than its column holds: such an amount is refused, and not tried again and again. */
function assertFit(...sums: readonly Units[]): void {
  if (sums.some((sum) => sum > MAX_UNITS)) throw new Refusal('INVALID_REQUEST');
}

/**
 * Moves money of the player; zero moves nothing. Less than that is an error: what a lane remembers of a round may be old, and then the bonus
 * money that was read does not fit it.
 */
export function move(
  work: Work,
  kind: Kind,
  { debit, credit, amount, entry }: Pick<Posting, 'debit' | 'credit' | 'amount'> & { entry: bigint },
): void {
  if (amount === 0n) return;
  if (amount < 0n) throw new RangeError(`${kind} of ${amount}`);
  if (debit === 'cash') work.cash -= amount;
  if (credit === 'cash') work.cash += amount;
  assertFit(amount, work.cash);
  work.moves.push({ kind, debit, credit, amount, entry });
}

type Taken = Pick<Posting, 'credit' | 'amount'> & { entry: bigint };

/** Takes money back from cash, and what cash lacks becomes a claim: nothing goes below zero. Answers the claim. */
export function takeOrOwe(work: Work, action: Action, kind: Kind, { credit, amount, entry }: Taken): Units {
  const { known, wallet } = work;
  const taken = work.cash < amount ? work.cash : amount;
  const claimed = amount - taken;
  move(work, kind, { debit: 'cash', credit, amount: taken, entry });
  move(work, kind, { debit: 'claims', credit, amount: claimed, entry });
  if (claimed > 0n) {
    const key = `provider:${known.provider.slug}:${action.id}`;
    const { userId, currencyId } = wallet;
    work.claims.push({ userId, currencyId, amount: claimed, remaining: claimed, key });
  }
  return claimed;
}

/** Pays what the player owes from an amount that has just come into cash, oldest first. `entry`: the transaction itself. */
export function repayClaims(work: Work, amount: Units, entry: bigint): void {
  let left = amount;
  for (const claim of owedBy(work.state, work.wallet)) {
    const paid = claim.remaining < left ? claim.remaining : left;
    if (paid === 0n) continue;
    left -= paid;
    work.repaid.set(claim, paid);
  }
  move(work, 'claim.recovery', { debit: 'cash', credit: 'claims', amount: amount - left, entry });
}

type Recorded = {
  id: BlockId;
  type: TransactionType;
  round?: Round | undefined;
  gameId?: number | null;
  claimed?: Units;
  bonus?: Units;
};

/** Keeps an action that is carried out, with the balance that it leaves. */
export function record(
  work: Work,
  action: Action,
  { id, type, round, gameId, claimed = 0n, bonus = 0n }: Recorded,
): void {
  const { batch } = work;
  work.added.push({
    ...transactionOf(work, action, id.id),
    roundId: round?.id ?? null,
    gameId: gameId ?? round?.gameId ?? null,
    type,
    bonus,
    balance: balanceOf(work),
    claimed,
  });
  work.done.push({ id: action.id, transactionId: String(id.id), at: batch.at, isRepeated: false });
}

/** A transaction that has moved nothing yet. */
function transactionOf(work: Work, action: Action, id: bigint): Transaction {
  const { known, batch, wallet } = work;
  return {
    id,
    providerId: known.provider.id,
    transactionId: action.id,
    userId: known.userId,
    roundId: null,
    gameId: null,
    type: action.type,
    currencyId: wallet.currencyId,
    amount: action.amount,
    bonus: 0n,
    content: contentOf(work, action),
    status: 'DONE',
    refusal: null,
    reference: action.reference ?? null,
    balance: wallet.cash,
    claimed: 0n,
    payload: action.payload ?? null,
    freeRounds: action.freeRounds ?? null,
    createdAt: batch.at,
  };
}

/** What the same id has to say each time: player, type, round, amount, currency, reference, game. */
export function contentOf(
  { known, wallet }: Work,
  { type, amount, isFree, reference, named }: Action,
): string {
  const { userId, call } = known;
  const { round = null, gameCode = null } = call;
  const said = [userId, type, round, String(amount), wallet.currencyId, reference ?? null, gameCode];
  const text = JSON.stringify([...said, isFree ?? false, ...(named === undefined ? [] : [named])]);
  return hash('sha256', text, 'hex');
}

/** A change of a bet whose month is detached is not made: staff decides about it. `amount`: what it would move. */
export function leaveToStaff(
  { known, wallet, findings }: Work,
  { id, type, reference }: Action,
  { round, amount }: { round: Round; amount: Units },
): void {
  const { provider, userId } = known;
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

/** Carries out what was decided. */
export function write(work: Work, books: Books): void {
  const { state, wallet, batch, bonus } = work;
  for (const { entry, ...posting } of work.moves)
    books.post(wallet, posting, { offset: nextId(work).offset, entry });
  if (bonus) takeOver(batch.bonus!, bonus);
  for (const { now, changedBy } of work.rounds.values()) setRound(state, now, changedBy);
  for (const transaction of work.added) addTransaction(state, transaction);
  for (const transaction of work.undone) undo(state, transaction);
  for (const change of work.usage) books.play(change);
  for (const [claim, paid] of work.repaid) repay(state, claim, paid);
  state.claims.push(...work.claims);
  state.findings.push(...work.findings);
}

/** Keeps that a transaction was refused, and why. Its amount never moves. */
export function keepRefusal(work: Work, action: Action, refusal: string): void {
  const id = work.batch.base + BigInt(work.batch.offset);
  addTransaction(work.state, { ...transactionOf(work, action, id), status: 'REFUSED', refusal });
}

/** Keeps that what is referred to was taken back before it came, of a call that is refused itself. */
export const keepTombstone = (work: Work, action: Action): void =>
  addTransaction(work.state, tombstoneOf(work, action));

/** What is referred to was taken back before it came: it is refused when it comes. */
export const tombstoneOf = (work: Work, action: Action): Transaction => ({
  ...transactionOf(work, { type: 'BET', id: action.reference!, amount: 0n }, nextId(work).id),
  status: 'TOMBSTONE',
  balance: balanceOf(work),
});
