import { iso } from '../../platform/clock.ts';
import type { Statement } from '../../platform/db.ts';
import { AppError, commonErrors } from '../../platform/errors.ts';
import { MAX_UNITS, type Rate, type Units } from '../../platform/money.ts';
import { insertSettled, type NewBet } from '../bets/queries.ts';
import { ALGORITHM_VERSION } from '../fairness/rules.ts';
import type { SeedPair } from '../fairness/service.ts';
import { writePlayStatement } from '../gate/queries.ts';
import {
  count,
  type GateFacts,
  refusalOf as gateRefusal,
  type Restrictions,
  type World,
} from '../gate/rules.ts';
import { refusalOf, replay, type StoredAnswer, storeStatement } from '../idempotency/service.ts';
import { insufficient } from '../ledger/post.ts';
import { type PlacedLine, writeStatements } from '../ledger/queries.ts';
import { book, type Line, type Wallet } from '../ledger/rules.ts';
import { advanceNonces, type Player } from '../players/service.ts';
import { houseGameErrors } from './errors.ts';
import { payoutsOf } from './rules.ts';

/** A bet as it enters the queue: everything that can be known of it without the player's lock. */
export type BetRequest = {
  userId: number;
  /** Where the request comes from; null: unknown. */
  country: string | null;
  game: { id: number; slug: string };
  /** Whether the game is still on when the bet's turn comes: it may have waited. */
  isOpen?: () => boolean;
  currency: { id: string; decimals: number };
  betUsd: Units;
  stake: Units;
  rate: Rate;
  rtpBp: number;
  maxProfitUsd: Units;
  windowId: string | null;
  inputs: object;
  /** A refusal known before the lock (amount out of range): it comes after the gate's and is stored like any other. */
  refusal: AppError | undefined;
  repeat: { key: string; inputHash: Buffer } | undefined;
  /** Pure: the game's rules on these seeds. The multiplier is over `scale`, 0n for a loss. */
  play: (seeds: SeedPair, nonce: number) => { outcome: object; multiplier: bigint; scale: bigint };
  /** Pure: the body of the answer. */
  answer: (bet: PlayedBet) => object;
};

export type PlayedBet = {
  betUsd: Units;
  betId: string;
  createdAt: string;
  payoutUsd: Units;
  // biome-ignore lint/suspicious/noExplicitAny: each game knows its own outcome
  outcome: any;
};

export type Outcome = { answer: object } | { refusal: AppError };

/** What the batch read under the players' locks. */
export type Readings = {
  players: ReadonlyMap<number, Player>;
  wallets: ReadonlyMap<string, Wallet>;
  stored: ReadonlyMap<string, StoredAnswer>;
  pairs: (id: bigint) => SeedPair | undefined;
  /** Of those players of whom the gate knows more. */
  restrictions: ReadonlyMap<number, Restrictions>;
  /** What the world looks like from a country at this moment. */
  outlook: (country: string | null) => World;
};

export type Plan = {
  statements: Statement[];
  /** How many bets they write. */
  bets: number;
  /** Answers in the order of the requests; bets need the ids and the time of the block. */
  outcomes: (block: { base: bigint; at: Date }) => Outcome[];
};

const IDS_PER_BET = 3;

/**
 * Decides every bet of a batch in order of arrival, each on the balance and nonce that the ones before it left. A bet
 * that is refused takes no nonce and moves nothing. Pure: reads its arguments, answers statements and outcomes.
 */
export function planBatch(
  requests: readonly BetRequest[],
  readings: Readings,
  block?: { base: bigint; at: Date },
): Plan {
  const work = createWork(readings, block?.at);
  const decided = requests.map((request) => decide(request, work));
  const outcomes = (at: { base: bigint; at: Date }): Outcome[] => {
    const createdAt = iso(at.at);
    return decided.map((d, i) =>
      'played' in d ? { answer: answerOf(requests[i]!, d, at.base, createdAt) } : d,
    );
  };
  const answers = block ? storedAnswers(requests, decided, outcomes(block)) : [];
  return { statements: statementsOf(work, answers), bets: work.bets.length, outcomes };
}

type Played = { played: { outcome: object; payoutUsd: Units }; offset: number; replayed?: true };
type Decision = Played | ({ replayed?: true } & Outcome);

type Work = Readings & {
  /** The time of the transaction; restricted players are decided with a block only. */
  at: Date;
  /** What those of this batch have played whom the gate knows more of. */
  played: Map<number, Restrictions>;
  state: Map<number, { player: Player; taken: number }>;
  /** What this batch decided for requests with a key: their twins may be in it too. */
  keyed: Map<string, { inputHash: Buffer; decision: Decision }>;
  touched: Map<string, Wallet>;
  bets: NewBet[];
  lines: PlacedLine[];
};

function createWork(readings: Readings, at = NEVER): Work {
  return {
    ...readings,
    at,
    played: new Map(),
    state: new Map(),
    keyed: new Map(),
    touched: new Map(),
    bets: [],
    lines: [],
  };
}

const NEVER = new Date(Number.NaN);

/** What the gate is asked for a bet. */
function gateFacts({ country, betUsd }: BetRequest, player: Player, work: Work): GateFacts {
  const { userId, isBanned, isRestricted } = player;
  const facts = { ...work.outlook(country), at: work.at, isBanned, stakeUsd: betUsd };
  if (!isRestricted) return facts;
  const restrictions = work.played.get(userId) ?? work.restrictions.get(userId);
  if (!restrictions) throw new Error(`what restricts user ${userId} was not read`);
  return { ...facts, restrictions };
}

function decide(request: BetRequest, work: Work): Decision {
  const { userId, repeat } = request;
  if (!repeat) return decideAlone(request, work);
  const name = `${userId}:${repeat.key}`;
  const stored = work.stored.get(name);
  if (stored) {
    const again = replay<object>(stored, repeat.inputHash);
    return 'value' in again
      ? { answer: again.value, replayed: true }
      : { refusal: again.refusal, replayed: true };
  }
  const twin = work.keyed.get(name);
  if (twin?.inputHash.equals(repeat.inputHash)) return { ...twin.decision, replayed: true };
  if (twin) return { refusal: commonErrors.IDEMPOTENCY_KEY_REUSED(), replayed: true };
  const decision = decideAlone(request, work);
  if ('played' in decision || isKept(decision))
    work.keyed.set(name, { inputHash: repeat.inputHash, decision });
  return decision;
}

/** Refusals of the request are kept under its key, failures that say nothing about it are not. */
function isKept(outcome: Outcome): outcome is { refusal: AppError } {
  return 'refusal' in outcome && outcome.refusal instanceof AppError && outcome.refusal.status < 500;
}

function decideAlone(request: BetRequest, work: Work): Decision {
  try {
    return decideFresh(request, work);
  } catch (error) {
    return { refusal: error as AppError };
  }
}

function decideFresh(request: BetRequest, work: Work): Decision {
  const { userId, currency, stake, betUsd, rate } = request;
  const player = work.players.get(userId);
  if (!player) throw new Error(`user ${userId} is no player`);
  const facts = gateFacts(request, player, work);
  const refusal = gateRefusal('bet', facts) ?? request.refusal ?? closed(request);
  if (refusal) return { refusal };
  const name = `${userId}:${currency.id}`;
  const wallet = work.touched.get(name) ?? work.wallets.get(name) ?? emptyWallet(userId, currency.id);
  if (wallet.cash < stake) return { refusal: insufficient('cash', wallet) };
  const state = work.state.get(userId) ?? { player, taken: 0 };
  const nonce = player.nonce + state.taken;
  const { outcome, multiplier, scale } = request.play(work.pairs(player.seedPairId)!, nonce);
  const { decimals } = currency;
  const maxProfitUsd = request.maxProfitUsd;
  const paid = payoutsOf({ betUsd, stake, multiplier, scale, rate, decimals, maxProfitUsd });
  if (!isPayable(paid.payout, wallet.cash - stake) || !isPayable(paid.payoutUsd, 0n))
    throw new RangeError(`${request.game.slug} pays ${paid.payout}`);
  const offset = work.bets.length * IDS_PER_BET;
  // Everything that can fail comes before the first change: a bet is booked as a whole or not at all.
  const bet = newBet(request, { offset, nonce, outcome, seedPairId: player.seedPairId, ...paid });
  bookBet(work, { request, wallet, offset, payout: paid.payout });
  const { restrictions } = facts;
  if (restrictions?.play) {
    const play = count(restrictions.play, { at: work.at, staked: betUsd, paid: paid.payoutUsd });
    work.played.set(userId, { ...restrictions, play });
  }
  work.touched.set(name, wallet);
  work.state.set(userId, { player, taken: state.taken + 1 });
  work.bets.push(bet);
  return { played: { outcome, payoutUsd: paid.payoutUsd }, offset };
}

const closed = ({ game, isOpen }: BetRequest) =>
  isOpen?.() === false ? houseGameErrors.GAME_DISABLED({ game: game.slug }) : undefined;

/** Whether a payout is one and fits its column together with what is there already. */
function isPayable(payout: Units, present: Units): boolean {
  return payout >= 0n && present + payout <= MAX_UNITS;
}

function emptyWallet(userId: number, currencyId: string): Wallet {
  return { userId, currencyId, version: 0n, cash: 0n, vault: 0n, bonus: 0n, hold: 0n };
}

function bookBet(
  work: Work,
  bet: { request: BetRequest; wallet: Wallet; offset: number; payout: Units },
): void {
  const {
    request: { userId, stake },
    wallet,
    offset,
    payout,
  } = bet;
  const of = (kind: string, amount: Units, sides: Pick<Line, 'debit' | 'credit'>) =>
    book(wallet, { userId, currencyId: wallet.currencyId, kind, amount, ...sides })!;
  work.lines.push({
    line: of('bet.stake', stake, { debit: 'cash', credit: 'house' }),
    id: offset + 1,
    entry: offset,
  });
  if (payout === 0n) return;
  work.lines.push({
    line: of('bet.payout', payout, { debit: 'house', credit: 'cash' }),
    id: offset + 2,
    entry: offset,
  });
}

type Settled = {
  offset: number;
  nonce: number;
  outcome: object;
  seedPairId: bigint;
  payout: Units;
  payoutUsd: Units;
};

function newBet(request: BetRequest, settled: Settled): NewBet {
  const { offset: id, nonce, seedPairId, payout, payoutUsd } = settled;
  return {
    id,
    nonce,
    seedPairId,
    payout,
    userId: request.userId,
    gameId: request.game.id,
    currencyId: request.currency.id,
    amount: request.stake,
    usdAmount: request.betUsd,
    usdPayout: payoutUsd,
    usdRate: request.rate,
    maxProfitUsd: request.maxProfitUsd,
    rtpBp: request.rtpBp,
    algorithmVersion: ALGORITHM_VERSION,
    windowId: request.windowId,
    inputs: JSON.stringify(request.inputs),
    outcome: JSON.stringify(settled.outcome),
  };
}

function answerOf(request: BetRequest, { played, offset }: Played, base: bigint, createdAt: string): object {
  const { outcome, payoutUsd } = played;
  const betId = String(base + BigInt(offset));
  return request.answer({ betId, createdAt, betUsd: request.betUsd, payoutUsd, outcome });
}

/** What is kept for requests with an Idempotency-Key: answers and refusals alike, but nothing that was only repeated. */
function storedAnswers(
  requests: readonly BetRequest[],
  decided: readonly Decision[],
  outcomes: readonly Outcome[],
): StoredAnswer[] {
  const answers = new Map<string, StoredAnswer>();
  requests.forEach(({ userId, repeat }, i) => {
    const outcome = outcomes[i]!;
    if (!repeat || 'replayed' in decided[i]!) return;
    if ('answer' in outcome) {
      answers.set(`${userId}:${repeat.key}`, {
        userId,
        ...repeat,
        status: 200,
        body: JSON.stringify(outcome.answer),
      });
    } else if (isKept(outcome)) {
      answers.set(`${userId}:${repeat.key}`, { userId, ...repeat, ...refusalOf(outcome.refusal) });
    }
  });
  return [...answers.values()];
}

function statementsOf(work: Work, answers: readonly StoredAnswer[]): Statement[] {
  const statements: Statement[] = [];
  if (work.bets.length > 0) {
    const states = [...work.state.values()];
    statements.push(
      advanceNonces(
        states.map((s) => s.player),
        states.map((s) => s.taken),
      ),
    );
    statements.push(...writeStatements([...work.touched.values()], work.lines), insertSettled(work.bets));
  }
  if (work.played.size > 0) statements.push(writePlayStatement([...work.played.values()]));
  if (answers.length > 0) statements.push(storeStatement(answers));
  return statements;
}
