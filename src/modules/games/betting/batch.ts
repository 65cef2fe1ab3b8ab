import type { Statement } from '../../../platform/db.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import { MAX_UNITS, type Units } from '../../../platform/money.ts';
import { refusalOf, replay, type StoredAnswer, storeStatement } from '../../base/idempotency/service.ts';
import { advanceNonces, type Player } from '../../base/players/service.ts';
import { writePlayStatement } from '../../compliance/gate/queries.ts';
import { type Restrictions, recordUsage, reverseUsage, type World } from '../../compliance/gate/rules.ts';
import { type PlacedPosting, writeStatements } from '../../money/ledger/queries.ts';
import { book, type Posting, type Wallet } from '../../money/ledger/rules.ts';
import {
  type BetChange,
  changeOpen,
  insertOpen,
  insertSettled,
  type NewBet,
  type OpenBet,
} from '../bets/queries.ts';
import type { SeedPair } from '../fairness/service.ts';
import { decide } from './decide.ts';
import { type RoundRow, removeRounds, writeRounds } from './queries.ts';
import type { GameRequest } from './request.ts';
import type { Block, Effect, SharedRound, Table } from './table.ts';

export type Outcome = { answer: object; settles: boolean } | { refusal: AppError };

/** What the batch read under the players' locks. */
export type Readings = {
  players: ReadonlyMap<number, Player>;
  wallets: ReadonlyMap<string, Wallet>;
  stored: ReadonlyMap<string, StoredAnswer>;
  pairs: (id: bigint) => SeedPair | undefined;
  /** Open rounds by user and game, of those players whose requests ask for them. */
  rounds: ReadonlyMap<string, RoundRow>;
  /** The shared round, while it takes bets, and what its players have placed in it so far (US dollars). */
  shared: { round: SharedRound; placed: ReadonlyMap<number, Units> } | undefined;
  /** Of those players of whom the gate knows more. */
  restrictions: ReadonlyMap<number, Restrictions>;
  /** What the world looks like from a country at this moment. */
  outlook: (country: string | null) => World;
};

export type Plan = {
  statements: Statement[];
  /** How many nonces they take. */
  nonces: number;
  /** Answers in the order of the requests; they need the ids and the time of the block. */
  outcomes: (block: Block) => Outcome[];
};

/** A bet and the two postings that one request writes at most. */
const IDS_PER_REQUEST = 3;

/**
 * Decides every request of a batch in order of arrival, each on the balance, nonce and round that the ones before it left.
 * One that is refused takes no nonce and moves nothing. Pure: reads its arguments, answers statements and outcomes.
 */
export function planBatch(requests: readonly GameRequest[], readings: Readings, block?: Block): Plan {
  const work = createWork(readings, block);
  const decided = requests.map((request) => decideOnce(request, work));
  const outcomes = (at: Block): Outcome[] =>
    decided.map((d) =>
      'effect' in d ? { answer: d.effect.answer(at), settles: !d.replayed && isSettled(d.effect) } : d,
    );
  const isKeyed = requests.some(({ repeat }) => repeat !== undefined);
  const answers = block && isKeyed ? storedAnswers(requests, decided, outcomes(block)) : [];
  return { statements: statementsOf(work, answers), nonces: sumOf(work.taken), outcomes };
}

const isSettled = ({ settled, changed }: Effect): boolean =>
  settled !== undefined || changed?.status === 'SETTLED';

type Decision = ({ effect: Effect } | Outcome) & { replayed?: true };
type Work = Readings & {
  base: bigint;
  table: Table;
  /** Places in the block that are taken. */
  ids: number;
  /** What those of this batch have played whom the gate knows more of. */
  played: Map<number, Restrictions>;
  /** Nonces taken; where times of bets are kept, none of some who have bet. */
  taken: Map<Player, number>;
  /** What this batch decided for requests with a key: their twins may be in it too. */
  keyed: Map<string, { inputHash: Buffer; decision: Decision }>;
  touched: Map<string, Wallet>;
  current: Map<string, { row: RoundRow; isOver: boolean }>;
  /** US dollars placed in the shared round. */
  placed: Map<number, Units>;
  settled: NewBet[];
  opened: OpenBet[];
  changed: Map<bigint, BetChange>;
  postings: PlacedPosting[];
};

const NEVER = new Date(Number.NaN);

function createWork(readings: Readings, block: Block | undefined): Work {
  const touched = new Map<string, Wallet>();
  const taken = new Map<Player, number>();
  const played = new Map<number, Restrictions>();
  const current: Work['current'] = new Map();
  const placed = new Map(readings.shared?.placed);
  const table: Table = {
    at: block?.at ?? NEVER,
    player: (userId) => required(readings.players.get(userId), `user ${userId} is no player`),
    nonce: (player) => player.nonce + (taken.get(player) ?? 0),
    // Who has bet in this batch has done it now.
    lastBetAt: (player) => (taken.has(player) ? table.at : player.lastBetAt),
    pair: (id) => required(readings.pairs(id), `pair ${id} was not read`),
    wallet(userId, currencyId) {
      const name = `${userId}:${currencyId}`;
      return touched.get(name) ?? readings.wallets.get(name) ?? emptyWallet(userId, currencyId);
    },
    round(userId, gameId) {
      const name = `${userId}:${gameId}`;
      const now = current.get(name);
      if (now) return now.isOver ? undefined : now.row;
      return readings.rounds.get(name);
    },
    restrictions: ({ userId }) =>
      required(
        played.get(userId) ?? readings.restrictions.get(userId),
        `what restricts user ${userId} was not read`,
      ),
    shared: readings.shared?.round,
    placed: (userId) => placed.get(userId) ?? 0n,
    outlook: readings.outlook,
  };
  const lists = { settled: [], opened: [], changed: new Map(), postings: [], keyed: new Map() };
  return {
    ...readings,
    ...lists,
    base: block?.base ?? 0n,
    ids: 0,
    table,
    touched,
    taken,
    played,
    current,
    placed,
  };
}

function required<T>(value: T | undefined, otherwise: string): T {
  if (value === undefined) throw new Error(otherwise);
  return value;
}

function decideOnce(request: GameRequest, work: Work): Decision {
  const { userId, repeat } = request;
  if (!repeat) return decideAlone(request, work);
  const name = `${userId}:${repeat.key}`;
  const stored = work.stored.get(name);
  if (stored) {
    const again = replay<object>(stored, repeat.inputHash);
    return 'value' in again
      ? { answer: again.value, settles: false, replayed: true }
      : { refusal: again.refusal, replayed: true };
  }
  const twin = work.keyed.get(name);
  if (twin?.inputHash.equals(repeat.inputHash)) return { ...twin.decision, replayed: true };
  if (twin) return { refusal: commonErrors.IDEMPOTENCY_KEY_REUSED(), replayed: true };
  const decision = decideAlone(request, work);
  // Refused before the queue: the next one with this key is asked anew.
  if ('refused' in request) return { ...decision, replayed: true };
  if ('effect' in decision || isKept(decision))
    work.keyed.set(name, { inputHash: repeat.inputHash, decision });
  return decision;
}

/** What a corrected request, a game that is on again, or a moment later makes good (decision 9). */
const NEVER_KEPT = ['VALIDATION_FAILED', 'GAME_DISABLED', 'BET_TOO_SOON', 'SERIES_CLOSED'];

/** Refusals of the request are kept under its key, failures that say nothing about it are not. */
function isKept(outcome: Outcome): outcome is { refusal: AppError } {
  if (!('refusal' in outcome && outcome.refusal instanceof AppError)) return false;
  const { status, code } = outcome.refusal;
  return status < 500 && !NEVER_KEPT.includes(code);
}

function decideAlone(request: GameRequest, work: Work): Decision {
  try {
    const effect = decide(request, work.table, work.ids);
    assertPayable(request, effect);
    // Everything that can fail comes before the first change: a request is carried out as a whole or not at all.
    carryOut(effect, request.userId, work);
    return { effect };
  } catch (error) {
    return { refusal: error as AppError };
  }
}

/** Whether payouts are some and fit their columns together with what is there already. */
function assertPayable({ game }: GameRequest, { wallet, staked, credit, changed }: Effect): void {
  const fits = (amount: Units, present: Units) => amount >= 0n && present + amount <= MAX_UNITS;
  if (!fits(credit.units, wallet.cash - staked.units) || !fits(credit.countedUsd, changed?.usdAmount ?? 0n))
    throw new RangeError(`${game.slug} pays ${credit.units}`);
}

function emptyWallet(userId: number, currencyId: string): Wallet {
  return { userId, currencyId, version: 0n, cash: 0n, vault: 0n, bonus: 0n, hold: 0n };
}

function carryOut(effect: Effect, userId: number, work: Work): void {
  const { staked, credit, madeBy, nonceOf, settled, opened, changed, round } = effect;
  if (staked.units > 0n)
    bookPosting(effect, work, { kind: 'bet.stake', amount: staked.units, debit: 'cash', credit: 'house' });
  if (credit.units > 0n)
    bookPosting(effect, work, { kind: credit.kind, amount: credit.units, debit: 'house', credit: 'cash' });
  countPlay(effect, userId, work);
  if (nonceOf || (madeBy && keepsTimes(work)))
    work.taken.set(madeBy!, (work.taken.get(madeBy!) ?? 0) + (nonceOf ? 1 : 0));
  if (settled) work.settled.push(settled);
  if (opened) work.opened.push(opened);
  if (opened?.roundId) work.placed.set(userId, work.table.placed(userId) + opened.betUsd);
  if (changed) work.changed.set(changed.id, changed);
  if (round) {
    // What was begun in this batch has its id only now.
    const betId = opened ? work.base + BigInt(work.ids) : round.row.betId;
    work.current.set(`${userId}:${round.row.gameId}`, { ...round, row: { ...round.row, betId } });
  }
  work.ids += IDS_PER_REQUEST;
}

const keepsTimes = ({ outlook }: Readings): boolean => outlook(null).keepsBetTimes;

/** What the gate keeps of those whom it limits. */
function countPlay({ staked, credit, round }: Effect, userId: number, work: Work): void {
  const restrictions = work.played.get(userId) ?? work.restrictions.get(userId);
  // Whoever acts on a round plays, whether or not money moves.
  if (!restrictions?.play || (staked.units === 0n && credit.units === 0n && !round)) return;
  const play =
    credit.kind === 'bet.stake.rollback'
      ? reverseUsage(restrictions.play, { madeAt: round!.row.createdAt, staked: credit.countedUsd })
      : recordUsage(restrictions.play, {
          at: work.table.at,
          staked: staked.countedUsd,
          paid: credit.countedUsd,
        });
  work.played.set(userId, { ...restrictions, play });
}

type Move = Pick<Posting, 'kind' | 'amount' | 'debit' | 'credit'>;

function bookPosting({ wallet, entry }: Effect, work: Work, move: Move): void {
  const { userId, currencyId } = wallet;
  work.postings.push({
    posting: book(wallet, { userId, currencyId, ...move })!,
    id: work.ids + (move.kind === 'bet.stake' ? 1 : 2),
    entry: 'offset' in entry ? entry.offset : entry.betId - work.base,
  });
  work.touched.set(`${userId}:${currencyId}`, wallet);
}

/** What is kept for requests with an Idempotency-Key: answers and refusals alike, but nothing that was only repeated. */
function storedAnswers(
  requests: readonly GameRequest[],
  decided: readonly Decision[],
  outcomes: readonly Outcome[],
): StoredAnswer[] {
  const answers: StoredAnswer[] = [];
  requests.forEach(({ userId, repeat }, i) => {
    const outcome = outcomes[i]!;
    if (!repeat || decided[i]!.replayed) return;
    if ('answer' in outcome)
      answers.push({ userId, ...repeat, status: 200, body: JSON.stringify(outcome.answer) });
    else if (isKept(outcome)) answers.push({ userId, ...repeat, ...refusalOf(outcome.refusal) });
  });
  return answers;
}

function statementsOf(work: Work, answers: readonly StoredAnswer[]): Statement[] {
  const { settled, opened, changed, postings, taken, played } = work;
  const statements: Statement[] = [];
  if (taken.size > 0) {
    const keepsTime = keepsTimes(work);
    statements.push(advanceNonces([...taken.keys()], [...taken.values()], { keepsTime }));
  }
  if (postings.length > 0) statements.push(...writeStatements([...work.touched.values()], postings));
  if (settled.length > 0) statements.push(insertSettled(settled));
  if (opened.length > 0) statements.push(insertOpen(opened));
  if (changed.size > 0) statements.push(changeOpen([...changed.values()]));
  if (work.current.size > 0) statements.push(...roundStatements(work));
  if (played.size > 0) statements.push(writePlayStatement([...played.values()]));
  if (answers.length > 0) statements.push(storeStatement(answers));
  return statements;
}

function roundStatements({ current, rounds }: Work): Statement[] {
  const over = [...current].filter(([name, now]) => now.isOver && rounds.has(name)).map(([, now]) => now.row);
  const open = [...current.values()].filter((now) => !now.isOver).map((now) => now.row);
  return [...(over.length > 0 ? [removeRounds(over)] : []), ...(open.length > 0 ? [writeRounds(open)] : [])];
}

const sumOf = (counts: ReadonlyMap<unknown, number>): number =>
  [...counts.values()].reduce((sum, n) => sum + n, 0);
