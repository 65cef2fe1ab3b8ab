import type { Statement } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import {
  insertClaims,
  type NewClaim,
  type OpenClaim,
  payClaims,
  readOpenClaims,
} from '../../money/ledger/queries.ts';
import {
  type BetChange,
  type BetCorrection,
  type BetVersion,
  changeOpen,
  holdMonths,
  insertProvided,
  type ProvidedBet,
  writeCorrections,
} from '../bets/queries.ts';
import type { GameRequest, Store } from '../betting/request.ts';
import type { WalletCall } from './call.ts';
import {
  insertFindings,
  insertTransactions,
  type NewFinding,
  type RoundKey,
  type RoundRow,
  readRounds,
  readSessions,
  readTransactions,
  type Session,
  type Transaction,
  type TransactionKey,
  undoTransactions,
  writeRounds,
} from './queries.ts';
import type { Round, RoundBet } from './rules.ts';

/** A request of a provider: the rows that its call needs are read by it. */
export type ProviderRequest<Answer extends object = object> = GameRequest<Answer, WalletState> & {
  wants: Wanted;
};

/** What is read for a call under its player's lock. */
export type Wanted = {
  transactions: readonly TransactionKey[];
  references: readonly TransactionKey[];
  rounds: readonly RoundKey[];
  tokenHash: string | undefined;
  /** The player's newest launch at the provider is asked for: no token says which it is, or what its currency is. */
  needsLatest?: boolean;
  providerId: number;
  /** Its credits pay what the player owes. */
  repaysClaims?: true;
};

/** An id of the block, and its distance from the block's base. */
export type BlockId = { id: bigint; offset: number };

/** A round as it was read, and as the batch has left it. `changedBy`: the id of its last change, where its bet counts from. */
type Kept = { read: Round | undefined; firstSettled: bigint | null; now: Round; changedBy: BlockId };

/** What providers' calls know beside player and wallets, after the earlier calls of the batch. */
export type WalletState = {
  transactions: Map<string, Transaction>;
  rounds: Map<string, Kept>;
  sessions: ReadonlyMap<string, Session>;
  latest: ReadonlyMap<string, Session>;
  added: Transaction[];
  undone: Set<Transaction>;
  claims: NewClaim[];
  /** What players owed before the batch, of those whose credits pay it; and which of it the batch has paid from. */
  owed: OpenClaim[];
  repaid: Set<OpenClaim>;
  findings: NewFinding[];
};

export const transactionName = ({ providerId, transactionId }: TransactionKey) =>
  `${providerId}:${transactionId}`;
const roundName = ({ userId, providerId, ref }: RoundKey) => `${userId}:${providerId}:${ref}`;
const latestName = ({ userId, providerId }: { userId: number; providerId: number }) =>
  `${userId}:${providerId}`;

/** What a call wants to know. */
export function wantedOf(
  call: WalletCall,
  key: { userId: number; providerId: number; tokenHash: string | undefined },
) {
  const { userId, providerId } = key;
  const named = (transactionId: string): TransactionKey => ({ providerId, transactionId });
  const references = call.actions.flatMap(({ reference }) => (reference === undefined ? [] : [reference]));
  // Wins and rollbacks ask for no session; it may say the currency all the same.
  const isFreeOfSessions = call.actions.every(({ type }) => type === 'WIN' || type === 'ROLLBACK');
  const asksSession = call.currencyId === undefined || !isFreeOfSessions;
  return {
    transactions: [...call.actions.map(({ id }) => id), ...references].map(named),
    references: references.map(named),
    rounds: call.round === undefined ? [] : [{ userId, providerId, ref: call.round }],
    tokenHash: asksSession ? key.tokenHash : undefined,
    needsLatest: asksSession && (key.tokenHash === undefined || call.currencyId === undefined),
    providerId,
  } satisfies Wanted;
}

export const WALLET: Store<WalletState> = {
  read(requests) {
    const wanted = (requests as readonly ProviderRequest[]).map(({ userId, wants }) => ({
      userId,
      ...wants,
    }));
    const transactions = wanted.flatMap((w) => w.transactions);
    const hashes = wanted.flatMap(({ tokenHash }) => (tokenHash === undefined ? [] : [tokenHash]));
    const latestOf = wanted.filter(({ needsLatest }) => needsLatest);
    const payers = wanted.flatMap(({ userId, repaysClaims }) => (repaysClaims ? [userId] : []));
    return [
      readTransactions(distinct(transactions, transactionName)),
      readRounds(
        distinct(
          wanted.flatMap((w) => w.rounds),
          roundName,
        ),
        wanted.flatMap((w) => w.references),
      ),
      readSessions([...new Set(hashes)], distinct(latestOf, latestName)),
      ...(payers.length > 0 ? [readOpenClaims([...new Set(payers)])] : []),
    ];
  },
  stateOf([transactions = [], rounds = [], sessions = [], owed = []]) {
    const read = sessions as (Session & { isLatest: boolean })[];
    return {
      transactions: new Map((transactions as Transaction[]).map((t) => [transactionName(t), t])),
      rounds: new Map((rounds as RoundRow[]).map((row) => [roundName(row), keptOf(row)])),
      sessions: new Map(read.filter((s) => !s.isLatest).map((s) => [s.hash, s])),
      latest: new Map(read.filter((s) => s.isLatest).map((s) => [latestName(s), s])),
      added: [],
      undone: new Set(),
      claims: [],
      owed: owed as OpenClaim[],
      repaid: new Set(),
      findings: [],
    };
  },
  write({ rounds, added, undone, claims, repaid, findings }) {
    const changed = [...rounds.values()].filter(({ read, now }) => now !== read);
    const undo = [...undone].filter((t) => !added.includes(t));
    return [
      ...betStatements(changed),
      ...(changed.length > 0 ? [writeRounds(changed.map(({ now }) => now))] : []),
      ...(added.length > 0 ? [insertTransactions(added)] : []),
      ...(undo.length > 0 ? [undoTransactions(undo.map(({ id }) => id))] : []),
      ...(claims.length > 0 ? [insertClaims(claims)] : []),
      ...(repaid.size > 0 ? [payClaims([...repaid])] : []),
      ...(findings.length > 0 ? [insertFindings(findings)] : []),
    ];
  },
};

const distinct = <T>(items: readonly T[], name: (item: T) => string): T[] => [
  ...new Map(items.map((item) => [name(item), item])).values(),
];

export const latestSession = (state: WalletState, of: { userId: number; providerId: number }) =>
  state.latest.get(latestName(of));

/** What a player owes in a currency, oldest first: from before the batch, and of it. */
export const owedBy = (
  { owed, claims }: WalletState,
  { userId, currencyId }: { userId: number; currencyId: string },
): OpenClaim[] =>
  [...owed, ...claims].filter((claim) => claim.userId === userId && claim.currencyId === currencyId);

/** Takes over that a claim was paid from. One of this batch is written with what is left of it. */
export function repay(state: WalletState, claim: OpenClaim, paid: Units): void {
  claim.remaining -= paid;
  if (claim.id !== undefined) state.repaid.add(claim);
}

/** A round by its name, as the batch has left it. */
export const findRound = (state: WalletState, key: RoundKey): Round | undefined =>
  state.rounds.get(roundName(key))?.now;

/** A round by its id, as the batch has left it. */
export function roundOf(state: WalletState, roundId: bigint): Round | undefined {
  for (const { now } of state.rounds.values()) if (now.id === roundId) return now;
  return undefined;
}

/** Takes a changed round over. */
export function setRound(state: WalletState, now: Round, changedBy: BlockId): void {
  const name = roundName(now);
  const kept = state.rounds.get(name) ?? { read: undefined, firstSettled: null };
  state.rounds.set(name, { ...kept, now, changedBy });
}

export function addTransaction(state: WalletState, transaction: Transaction): void {
  state.transactions.set(transactionName(transaction), transaction);
  state.added.push(transaction);
}

export function undo(state: WalletState, transaction: Transaction): void {
  transaction.status = 'UNDONE';
  state.undone.add(transaction);
}

function keptOf(row: RoundRow): Kept {
  const { betId, betStatus, rate, edgePpm, betCreatedAt, amount, usdAmount, payout, usdPayout, ...round } =
    row;
  const { countsAt, position, ...plain } = round;
  const bet: RoundBet | undefined =
    betId === null
      ? undefined
      : {
          id: betId,
          rate,
          edgePpm,
          createdAt: betCreatedAt,
          status: betStatus === 'ERROR' || betStatus === null ? 'CREATED' : betStatus,
          amount,
          usdAmount,
          payout,
          usdPayout,
          countsAt,
          shown: { amount, usdAmount },
        };
  const isArchived = betId !== null && betStatus === null;
  const read: Round = { ...plain, bet, ...(isArchived && { isArchived }) };
  return { read, firstSettled: position, now: read, changedBy: { id: 0n, offset: 0 } };
}

/** What becomes of the bets of changed rounds: new ones, open ones that change or end, settled ones that are corrected. */
function betStatements(changed: readonly Kept[]): Statement[] {
  const made: ProvidedBet[] = [];
  const open: BetChange[] = [];
  const corrected: BetCorrection[] = [];
  for (const kept of changed) {
    const { read, now, firstSettled } = kept;
    if (!now.bet || now.bet === read?.bet) continue;
    if (!read?.bet) made.push(newBetOf(now, now.bet, kept.changedBy));
    else if (firstSettled === null) open.push(changeOf(now.bet, kept.changedBy));
    else corrected.push(correctionOf(kept, read.bet, now.bet));
  }
  return [
    ...(made.length > 0 ? [insertProvided(made)] : []),
    ...(open.length > 0 ? [changeOpen(open)] : []),
    ...(corrected.length > 0 ? [holdMonths(), writeCorrections(corrected)] : []),
  ];
}

/** What is shown of a bet that was taken back whole is what was staked before. */
const shownAmounts = ({ status, amount, usdAmount, shown }: RoundBet) =>
  status === 'ROLLBACK' ? shown : { amount, usdAmount };

function newBetOf({ userId, gameId, currencyId }: Round, bet: RoundBet, changedBy: BlockId): ProvidedBet {
  const { id, status, payout, usdPayout, rate: usdRate, edgePpm } = bet;
  return {
    id,
    userId,
    gameId,
    currencyId,
    status,
    ...shownAmounts(bet),
    payout,
    usdPayout,
    usdRate,
    edgePpm,
    settlementId: status === 'ROLLBACK' ? changedBy.id : null,
  };
}

function changeOf(bet: RoundBet, { offset }: BlockId): BetChange {
  const { id, status, payout, usdPayout } = bet;
  const settlement = status === 'CREATED' ? null : offset;
  return {
    id,
    status,
    ...shownAmounts(bet),
    payout,
    usdPayout,
    settlement,
    inputs: null,
    outcome: null,
  };
}

function correctionOf(
  { now, changedBy, firstSettled }: Kept,
  before: RoundBet,
  after: RoundBet,
): BetCorrection {
  return {
    id: changedBy.id,
    betId: after.id,
    position: firstSettled!,
    userId: now.userId,
    gameId: now.gameId,
    currencyId: now.currencyId,
    status: after.status,
    before: versionOf(before),
    after: versionOf(after),
  };
}

const versionOf = ({ amount, payout, usdAmount, usdPayout, countsAt }: RoundBet): BetVersion | null =>
  countsAt && { amount, payout, usdAmount, usdPayout, at: countsAt };
