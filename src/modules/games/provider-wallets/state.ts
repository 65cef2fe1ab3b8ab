import type { Statement } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import { createRecent, type Recent } from '../../../platform/recent.ts';
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
  insertRounds,
  insertTransactions,
  type NewFinding,
  type RoundKey,
  type RoundRow,
  readDeadSessions,
  readRounds,
  readSessions,
  readTransactions,
  type Session,
  type Transaction,
  type TransactionKey,
  undoTransactions,
  updateRounds,
} from './queries.ts';
import type { Round, RoundBet } from './rules.ts';

/** A request of a provider: the rows that its call needs are read by it. */
export type ProviderRequest<Answer extends object = object> = GameRequest<Answer, WalletState> & {
  wants: Wanted;
};

/** What is read for a call under its player's lock. */
export type Wanted = {
  /** Its own ids, then `references`. */
  transactions: readonly TransactionKey[];
  references: readonly TransactionKey[];
  rounds: readonly RoundKey[];
  tokenHash: string | undefined;
  /** The player's newest launch at the provider is asked for: no token says which it is, or what its currency is. */
  needsLatest?: boolean;
  providerId: number;
  /** Its credits pay what the player owes. */
  repaysClaims?: true;
  /** It may be decided on what is remembered of its round and session. `asksSession`: it does so whatever the round says. */
  trusts?: { asksSession: boolean } | undefined;
};

/** An id of the block, and its distance from the block's base. */
export type BlockId = { id: bigint; offset: number };

/**
 * A round as it was read, and as the batch has left it. `changedBy`: the id of its last change, where its bet counts from. `changes`: how
 * often it had been changed when it was read.
 */
type Kept = {
  read: Round | undefined;
  firstSettled: bigint | null;
  now: Round;
  changedBy: BlockId;
  changes: number;
};

/** An open round as its last batch left it, with the bets that it was made of. */
type RememberedRound = { kept: Kept; bets: ReadonlyMap<string, Transaction> };

/**
 * What a lane remembers. Rounds are proven as they are written, for every call that is carried out changes its round; sessions are asked
 * for again, but only whether they live.
 */
export type WalletMemory = {
  rounds: Recent<RememberedRound>;
  sessions: Recent<Session>;
  /** Ids that were written here: what is repeated soon is read, and disturbs nobody. */
  ids: Recent<true>;
};

const MOST_REMEMBERED = 20_000;

/** What providers' calls know beside player and wallets, after the earlier calls of the batch. */
export type WalletState = {
  transactions: Map<string, Transaction>;
  rounds: Map<string, Kept>;
  sessions: ReadonlyMap<string, Session>;
  /** Rounds and sessions that were not read. */
  memory: WalletMemory | undefined;
  /** Of the remembered sessions those that do not live any more. */
  dead: ReadonlySet<string>;
  latest: ReadonlyMap<string, Session>;
  added: Transaction[];
  undone: Set<Transaction>;
  claims: NewClaim[];
  /** What players owed before the batch, of those whose credits pay it; and which of it the batch has paid from. */
  owed: OpenClaim[];
  repaid: Set<OpenClaim>;
  findings: NewFinding[];
};

const transactionName = ({ providerId, transactionId }: TransactionKey) => `${providerId}:${transactionId}`;
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
    trusts: { asksSession: !isFreeOfSessions },
  } satisfies Wanted;
}

export const WALLET: Store<WalletState, WalletMemory> = {
  read(requests, memory) {
    const wanted = (requests as readonly ProviderRequest[]).map((request) => missingOf(request, memory));
    const transactions = wanted.flatMap((w) => w.transactions);
    const rounds = wanted.flatMap((w) => w.rounds);
    const references = wanted.flatMap((w) => w.references);
    const hashes = wanted.flatMap(({ tokenHash }) => tokenHash ?? []);
    const known = wanted.flatMap(({ knownHash }) => knownHash ?? []);
    const latestOf = wanted.filter(({ needsLatest }) => needsLatest);
    const payers = wanted.flatMap(({ userId, repaysClaims }) => (repaysClaims ? [userId] : []));
    return [
      ...(transactions.length > 0 ? [readTransactions(distinct(transactions, transactionName))] : []),
      ...(rounds.length + references.length > 0 ? [readRounds(distinct(rounds, roundName), references)] : []),
      ...(hashes.length + latestOf.length > 0
        ? [readSessions([...new Set(hashes)], distinct(latestOf, latestName))]
        : []),
      ...(known.length > 0 ? [readDeadSessions([...new Set(known)])] : []),
      ...(payers.length > 0 ? [readOpenClaims([...new Set(payers)])] : []),
    ];
  },
  stateOf(rows, memory, statements = []) {
    const of = <Row>(name: string) =>
      (rows[statements.findIndex((statement) => statement.name === name)] ?? []) as Row[];
    const sessions = of<Session & { isLatest: boolean }>('provider.sessions');
    return {
      transactions: new Map(of<Transaction>('provider.transactions').map((t) => [transactionName(t), t])),
      rounds: new Map(of<RoundRow>('provider.rounds').map((row) => [roundName(row), keptOf(row)])),
      sessions: new Map(sessions.filter((s) => !s.isLatest).map((s) => [s.hash, s])),
      memory,
      dead: new Set(of<{ hash: string }>('provider.dead-sessions').map(({ hash }) => hash)),
      latest: new Map(sessions.filter((s) => s.isLatest).map((s) => [latestName(s), s])),
      added: [],
      undone: new Set(),
      claims: [],
      owed: of<OpenClaim>('ledger.open-claims'),
      repaid: new Set(),
      findings: [],
    };
  },
  bonusBets: ({ rounds }) =>
    [...rounds.values()].flatMap(({ read }) =>
      read?.bet && read.hasBonus && read.status !== 'OPEN' ? [read.bet.id] : [],
    ),
  write({ rounds, added, undone, claims, repaid, findings }) {
    const changed = [...rounds.values()].filter(({ read, now }) => now !== read);
    const made = changed.filter(({ read }) => !read);
    const updated = changed.filter(({ read }) => read);
    const undo = [...undone].filter((t) => !added.includes(t));
    return [
      ...betStatements(changed),
      ...(made.length > 0 ? [insertRounds(made.map(({ now }) => now))] : []),
      ...(updated.length > 0 ? [updateRounds(updated.map(({ now, changes }) => ({ ...now, changes })))] : []),
      ...(added.length > 0 ? [insertTransactions(added)] : []),
      ...(undo.length > 0 ? [undoTransactions(undo.map(({ id }) => id))] : []),
      ...(claims.length > 0 ? [insertClaims(claims)] : []),
      ...(repaid.size > 0 ? [payClaims([...repaid])] : []),
      ...(findings.length > 0 ? [insertFindings(findings)] : []),
    ];
  },
  memory: {
    create: () => ({
      rounds: createRecent(MOST_REMEMBERED),
      sessions: createRecent(MOST_REMEMBERED),
      ids: createRecent(MOST_REMEMBERED),
    }),
    keep(memory, state, requests) {
      const added = Map.groupBy(state.added, ({ roundId }) => roundId);
      const seen = new Set<string>();
      for (const { userId, wants } of requests as readonly ProviderRequest[]) {
        for (const round of wants.rounds) {
          const name = roundName(round);
          if (!seen.has(name)) keepRound(memory, { state, added, name, trusts: wants.trusts !== undefined });
          seen.add(name);
        }
        const session = wants.tokenHash === undefined ? undefined : state.sessions.get(wants.tokenHash);
        if (session?.isLive && session.userId === userId) memory.sessions.set(session.hash, session);
        else if (session) memory.sessions.delete(session.hash);
      }
      for (const hash of state.dead) memory.sessions.delete(hash);
      for (const transaction of state.added) memory.ids.set(transactionName(transaction), true);
    },
    forget(memory, requests) {
      for (const { wants } of requests as readonly ProviderRequest[]) {
        for (const round of wants.rounds) memory.rounds.delete(roundName(round));
        if (wants.tokenHash !== undefined) memory.sessions.delete(wants.tokenHash);
      }
    },
  },
};

/**
 * What has to be read for a call. Its own ids are not, where memory is trusted: writing them proves that they are new. `knownHash`: of a
 * session that is remembered.
 */
function missingOf({ userId, wants }: ProviderRequest, memory: WalletMemory | undefined) {
  const { trusts } = wants;
  const all = { userId, knownHash: undefined as string | undefined, ...wants };
  if (!memory || !trusts) return all;
  const [name] = wants.rounds;
  const round = name && memory.rounds.get(roundName(name));
  const references = wants.references.filter((key) => !round?.bets.has(transactionName(key)));
  const own = wants.transactions.slice(0, wants.transactions.length - wants.references.length);
  const repeated = own.filter((key) => memory.ids.has(transactionName(key)));
  const hash = round && !trusts.asksSession ? undefined : wants.tokenHash;
  const isKnown = hash !== undefined && memory.sessions.has(hash);
  return {
    ...all,
    transactions: [...references, ...repeated],
    references,
    rounds: round ? [] : wants.rounds,
    tokenHash: isKnown ? undefined : hash,
    knownHash: isKnown ? hash : undefined,
    // The currency is that of the round or the session.
    needsLatest: wants.needsLatest === true && !isKnown && !(round && !trusts.asksSession),
  };
}

type KeptRound = {
  state: WalletState;
  added: ReadonlyMap<bigint | null, readonly Transaction[]>;
  name: string;
  trusts: boolean;
};

/** An open round that never ended is remembered as it would be read, with the bets of it. */
function keepRound({ rounds }: WalletMemory, { state, added, name, trusts }: KeptRound): void {
  const kept = state.rounds.get(name);
  if (!kept || kept.now === kept.read) return;
  const { now, read, firstSettled } = kept;
  if (!trusts || now.status !== 'OPEN' || firstSettled !== null || now.isArchived) {
    rounds.delete(name);
    return;
  }
  const before = rounds.get(name);
  const bets = new Map(read && before?.kept.now === read ? before.bets : []);
  for (const t of added.get(now.id) ?? []) if (isBet(t)) bets.set(transactionName(t), t);
  const bet = now.bet && { ...now.bet, shown: { amount: now.bet.amount, usdAmount: now.bet.usdAmount } };
  const same: Round = { ...now, bet };
  rounds.set(name, { kept: { ...kept, read: same, now: same, changes: read ? kept.changes + 1 : 0 }, bets });
}

const isBet = ({ type, status }: Transaction): boolean =>
  (type === 'BET' || type === 'FREE_BET') && status === 'DONE';

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

/** A round as it was read, or else as it is remembered. */
const keptIn = ({ rounds, memory }: WalletState, name: string): Kept | undefined =>
  rounds.get(name) ?? memory?.rounds.get(name)?.kept;

/** A round by its name, as the batch has left it. */
export const findRound = (state: WalletState, key: RoundKey): Round | undefined =>
  keptIn(state, roundName(key))?.now;

/** A round by its id, as the batch has left it. */
export function roundOf(state: WalletState, roundId: bigint): Round | undefined {
  for (const { now } of state.rounds.values()) if (now.id === roundId) return now;
  return undefined;
}

/** A transaction by its id; `round`: of whose remembered bets it may be one. */
export const transactionIn = (
  state: WalletState,
  key: TransactionKey,
  round: RoundKey | undefined,
): Transaction | undefined => {
  const { transactions, memory } = state;
  const name = transactionName(key);
  const remembered = round && memory?.rounds.get(roundName(round));
  // Where the round was read all the same, what is remembered of its bets is proven by nothing.
  const isProven = remembered && keptIn(state, roundName(round))?.read === remembered.kept.now;
  return transactions.get(name) ?? (isProven ? remembered.bets.get(name) : undefined);
};

/** The session of a token. */
export const sessionIn = ({ sessions, memory, dead }: WalletState, hash: string): Session | undefined =>
  sessions.get(hash) ?? (dead.has(hash) ? undefined : memory?.sessions.get(hash));

/** Takes a changed round over. */
export function setRound(state: WalletState, now: Round, changedBy: BlockId): void {
  const name = roundName(now);
  const kept = keptIn(state, name) ?? { read: undefined, firstSettled: null, changes: 0 };
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
  const { countsAt, position, changes, ...plain } = round;
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
  return { read, firstSettled: position, now: read, changedBy: { id: 0n, offset: 0 }, changes };
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
