import type { Statement } from '../../../platform/db.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import { MAX_UNITS, type Units } from '../../../platform/money.ts';
import { refusalOf, replay, type StoredAnswer, storeStatement } from '../../base/idempotency/service.ts';
import { advanceNonces, type Player } from '../../base/players/service.ts';
import { writePlayStatement } from '../../compliance/gate/queries.ts';
import {
  refusalOf as gateRefusalOf,
  type Restrictions,
  recordUsage,
  reverseUsage,
  type World,
} from '../../compliance/gate/rules.ts';
import {
  type BonusBooks,
  statementsOf as bonusStatements,
  dueGrants,
  fund,
  movedGrants,
  recordEnd,
  recordPayout,
  recordStake,
  recordVoid,
} from '../../money/bonus/books.ts';
import type { BetGrant, Parts } from '../../money/bonus/rules.ts';
import { insufficient } from '../../money/ledger/post.ts';
import { IDS_PER_BLOCK, type PlacedPosting, writeStatements } from '../../money/ledger/queries.ts';
import { book, type Wallet } from '../../money/ledger/rules.ts';
import {
  type BetChange,
  changeOpen,
  insertOpen,
  insertSettled,
  type NewBet,
  type OpenBet,
} from '../bets/queries.ts';
import type { SeedPair } from '../fairness/service.ts';
import type { Batch, Block, Books, Credit, Effect, GameRequest, Script, Store } from './request.ts';

/** `isOpen`: the refusal rests on what is remembered, and the request is decided again on what is read. */
type Refused = { refusal: AppError; isOpen?: boolean };
export type Outcome = { answer: object; settles: boolean } | Refused;

/** What was read under the players' locks. */
export type Readings = {
  players: ReadonlyMap<number, Player>;
  wallets: ReadonlyMap<string, Wallet>;
  stored: ReadonlyMap<string, StoredAnswer>;
  pairs: (id: bigint) => SeedPair | undefined;
  /** Of the players whom the gate restricts. */
  restrictions: ReadonlyMap<number, Restrictions>;
  /** The states of the stores that requests name. */
  states: ReadonlyMap<Store, unknown>;
  /** Stores whose state is remembered in part. */
  remembered?: ReadonlySet<Store>;
  /** What holds for a country at this moment. */
  outlook: (country: string | null) => World;
  /** Of the players who have a grant; undefined: none of them has. */
  bonus?: BonusBooks | undefined;
};

export type Plan = {
  statements: Statement[];
  /** How many nonces players take. */
  taken: ReadonlyMap<Player, number>;
  /** Those that they change. */
  wallets: Iterable<Wallet>;
  /** Whether a request was refused: on what was read, which may not be what holds by now. */
  refuses: boolean;
  /** Grants that bets have moved, and that go on. */
  movedGrants: readonly BetGrant[];
  /** Those that may be at their end: decided once the batch is committed. */
  dueGrants: readonly bigint[];
  /** Answers in the order of the requests; they need the ids and the time of the block. */
  outcomes: (block: Block) => Outcome[];
};

/** A bet and the two postings that one request writes at most, unless it says how many. */
export const IDS_PER_REQUEST = 3;
/** Each posting may be one of cash and one of bonus. */
const IDS_WITH_GRANT = 5;

/** How many ids of the block a request may take. */
export const idsOf = ({ ids }: GameRequest, player: Player | undefined): number =>
  ids ?? (player?.hasGrant ? IDS_WITH_GRANT : IDS_PER_REQUEST);

/**
 * Decides every request of a batch in order of arrival, each on the balance, nonce and rows that the ones before it left.
 * One that is refused takes no nonce and moves nothing. Pure: reads its arguments, answers statements and outcomes.
 */
export function planBatch(requests: readonly GameRequest[], readings: Readings, block?: Block): Plan {
  const batch = createBatch(readings, block, IDS_PER_REQUEST);
  const decided = requests.map((request) => decideOnce(request, batch));
  // Ids beyond the block belong to another transaction.
  if (batch.offset > IDS_PER_BLOCK) throw new RangeError(`a batch takes ${batch.offset} ids`);
  const outcomes = (at: Block): Outcome[] =>
    decided.map((d) =>
      'effect' in d ? { answer: d.effect.answer(at), settles: !d.isRepeated && isSettled(d.effect) } : d,
    );
  const isKeyed = requests.some(({ repeat }) => repeat !== undefined);
  const answers = block && isKeyed ? answersToStore(requests, decided, outcomes(block)) : [];
  return {
    statements: statementsOf(batch, answers),
    taken: batch.taken,
    wallets: batch.touched.values(),
    refuses: decided.some((decision) => 'refusal' in decision),
    movedGrants: batch.bonus ? movedGrants(batch.bonus) : [],
    dueGrants: batch.bonus ? dueGrants(batch.bonus) : [],
    outcomes,
  };
}

const isSettled = (effect: Effect | Script): boolean =>
  'carryOut' in effect
    ? effect.settles
    : effect.settled !== undefined || effect.changed?.status === 'SETTLED';

/** `isRepeated`: another request with the same key was decided, this one is only answered. */
type Decision = ({ effect: Effect | Script } | Outcome) & { isRepeated?: true };

/** A batch with what its requests have changed so far. */
export type OpenBatch = { -readonly [K in keyof Batch]: Batch[K] } & {
  readings: Readings;
  idsPerRequest: number;
  /** Nonces taken by player. Where the times of bets are stored, a player whose bets took none is here with 0. */
  taken: Map<Player, number>;
  /** The restrictions of players whose usage this batch has changed. */
  played: Map<number, Restrictions>;
  touched: Map<string, Wallet>;
  settled: NewBet[];
  opened: OpenBet[];
  changed: Map<bigint, BetChange>;
  postings: PlacedPosting[];
  /** What was decided for requests with a key: the batch may hold their duplicates too. */
  keyed: Map<string, { inputHash: Buffer; decision: Decision }>;
};

const NEVER = new Date(Number.NaN);

export function createBatch(readings: Readings, block: Block | undefined, idsPerRequest: number): OpenBatch {
  const { players, wallets, pairs } = readings;
  const outlook = oncePerCountry(readings.outlook);
  const batch: OpenBatch = {
    readings,
    idsPerRequest,
    at: block?.at ?? NEVER,
    base: block?.base ?? 0n,
    offset: 0,
    taken: new Map(),
    played: new Map(),
    touched: new Map(),
    settled: [],
    opened: [],
    changed: new Map(),
    postings: [],
    keyed: new Map(),
    outlook,
    bonus: readings.bonus,
    player: (userId) => required(players.get(userId), `user ${userId} is no player`),
    findPlayer: (userId) => players.get(userId),
    nonce: (player) => player.nonce + (batch.taken.get(player) ?? 0),
    // A player with an earlier bet in this batch made it at the batch's time.
    lastBetAt: (player) => (batch.taken.has(player) ? batch.at : player.lastBetAt),
    pair: (id) => required(pairs(id), `pair ${id} was not read`),
    findWallet(userId, currencyId) {
      const name = `${userId}:${currencyId}`;
      return batch.touched.get(name) ?? wallets.get(name);
    },
    wallet: (userId, currencyId) => batch.findWallet(userId, currencyId) ?? { ...EMPTY, userId, currencyId },
    fund(stake) {
      const { wallet, units } = stake;
      const funds = readings.bonus
        ? fund(readings.bonus, stake)
        : wallet.cash >= units && { cash: units, bonus: 0n, contributionBp: 0 };
      if (!funds) throw insufficient('cash', wallet);
      return funds;
    },
    refusalOf({ userId, country }, stakeUsd) {
      const { isBanned, isRestricted } = batch.player(userId);
      const restrictions = isRestricted
        ? required(restrictionsOf(batch, userId), `the restrictions of user ${userId} were not read`)
        : undefined;
      return gateRefusalOf('bet', { ...outlook(country), at: batch.at, isBanned, stakeUsd, restrictions });
    },
  };
  return batch;
}

/** A batch is decided at one moment: what holds for a country is asked once. */
function oncePerCountry(outlook: Readings['outlook']): Readings['outlook'] {
  const worlds = new Map<string | null, World>();
  return (country) => {
    const known = worlds.get(country) ?? outlook(country);
    worlds.set(country, known);
    return known;
  };
}

function required<T>(value: T | undefined, otherwise: string): T {
  if (value === undefined) throw new Error(otherwise);
  return value;
}

const EMPTY = { version: 0n, cash: 0n, vault: 0n, bonus: 0n, hold: 0n };

const restrictionsOf = ({ played, readings }: OpenBatch, userId: number): Restrictions | undefined =>
  played.get(userId) ?? readings.restrictions.get(userId);

/** Decides a request unless its key has an answer already, stored or of this batch. */
function decideOnce(request: GameRequest, batch: OpenBatch): Decision {
  const { userId, repeat } = request;
  if (!repeat) return decide(request, batch);
  const name = `${userId}:${repeat.key}`;
  const stored = batch.readings.stored.get(name);
  if (stored) {
    const again = replay<object>(stored, repeat.inputHash);
    return 'value' in again
      ? { answer: again.value, settles: false, isRepeated: true }
      : { refusal: again.refusal, isRepeated: true };
  }
  const duplicate = batch.keyed.get(name);
  if (duplicate?.inputHash.equals(repeat.inputHash)) return { ...duplicate.decision, isRepeated: true };
  if (duplicate) return { refusal: commonErrors.IDEMPOTENCY_KEY_REUSED(), isRepeated: true };
  const decision = decide(request, batch);
  // The next request with this key is decided by itself.
  if (request.isRefused) return { ...decision, isRepeated: true };
  if ('effect' in decision || isStorable(decision.refusal))
    batch.keyed.set(name, { inputHash: repeat.inputHash, decision });
  return decision;
}

/** Refusals that a corrected request, a game that is on again or a moment later may turn into a bet. */
const NEVER_STORED = ['VALIDATION_FAILED', 'GAME_DISABLED', 'BET_TOO_SOON', 'SERIES_CLOSED'];

/** Refusals of the request are stored under its key, failures that say nothing about it are not. */
const isStorable = (refusal: AppError): boolean =>
  refusal instanceof AppError && refusal.status < 500 && !NEVER_STORED.includes(refusal.code);

function decide(request: GameRequest, batch: OpenBatch): { effect: Effect | Script } | Refused {
  try {
    const effect = request.decide(batch, request.store && batch.readings.states.get(request.store));
    // Everything that can fail comes before the first change: a request is carried out as a whole or not at all.
    if ('carryOut' in effect) {
      if (effect.refuses && restsOnMemory(request, batch)) return UNDECIDED;
      effect.carryOut(booksOf(batch, request.userId));
      batch.offset += request.ids ?? batch.idsPerRequest;
    } else {
      assertPayable(request, effect);
      apply(effect, request.userId, batch);
    }
    return { effect };
  } catch (error) {
    return restsOnMemory(request, batch) ? UNDECIDED : { refusal: error as AppError };
  }
}

/** Never answered. */
const UNDECIDED: Refused = { refusal: commonErrors.SERVICE_UNAVAILABLE(), isOpen: true };

const restsOnMemory = ({ store }: GameRequest, { readings }: OpenBatch): boolean | undefined =>
  store && readings.remembered?.has(store);

/** Throws unless the payout is a positive amount or zero, and the sums that it is added to fit their columns. */
function assertPayable({ game }: GameRequest, { wallet, staked, credit, changed }: Effect): void {
  const fits = (amount: Units, present: Units) => amount >= 0n && present + amount <= MAX_UNITS;
  if (!fits(credit.units, wallet.cash - staked.units) || !fits(credit.countedUsd, changed?.usdAmount ?? 0n))
    throw new RangeError(`${game.slug} pays ${credit.units}`);
}

/** Carries out what nothing speaks against any more. */
export function apply(effect: Effect, userId: number, batch: OpenBatch): void {
  const { madeBy, takesNonce, settled, opened, changed } = effect;
  const lines = postParts(effect, batch);
  recordPlay(effect, userId, batch);
  if (madeBy && (takesNonce || keepsTimes(batch)))
    batch.taken.set(madeBy, (batch.taken.get(madeBy) ?? 0) + (takesNonce ? 1 : 0));
  if (settled) batch.settled.push(settled);
  if (opened) batch.opened.push(opened);
  if (changed) batch.changed.set(changed.id, changed);
  effect.changeState?.();
  batch.offset += Math.max(batch.idsPerRequest, 1 + lines);
}

const booksOf = (batch: OpenBatch, userId: number): Books => ({
  post(wallet, posting, { offset, entry }) {
    const { currencyId } = wallet;
    const booked = book(wallet, { userId, currencyId, ...posting });
    if (!booked) throw new Error(`${posting.kind} takes more than ${posting.debit} holds`);
    batch.postings.push({ posting: booked, id: offset, entry: entry - batch.base });
    batch.touched.set(`${userId}:${currencyId}`, wallet);
  },
  play(change) {
    const restrictions = restrictionsOf(batch, userId);
    if (restrictions?.play) batch.played.set(userId, { ...restrictions, play: change(restrictions.play) });
  },
});

const keepsTimes = ({ outlook }: OpenBatch): boolean => outlook(null).keepsBetTimes;

/** Adds to what the gate keeps of players with limits. An action on a round is play whether or not money moves. */
function recordPlay({ staked, credit }: Effect, userId: number, batch: OpenBatch): void {
  const restrictions = restrictionsOf(batch, userId);
  if (!restrictions?.play) return;
  const play =
    credit.kind === 'bet.stake.rollback'
      ? reverseUsage(restrictions.play, { madeAt: credit.madeAt, staked: credit.countedUsd })
      : recordUsage(restrictions.play, { at: batch.at, staked: staked.countedUsd, paid: credit.countedUsd });
  batch.played.set(userId, { ...restrictions, play });
}

/** Posts the stake (to the house), then what the house pays, which changes the wallet in place. Answers how many lines it took. */
function postParts(effect: Effect, batch: OpenBatch): number {
  const { wallet, entry, staked, credit, funds } = effect;
  const { userId, currencyId } = wallet;
  let lines = 0;
  const move = (kind: 'bet.stake' | Credit['kind'], account: 'cash' | 'bonus', amount: Units) => {
    if (amount === 0n) return;
    const [debit, to] = kind === 'bet.stake' ? ([account, 'house'] as const) : (['house', account] as const);
    batch.postings.push({
      posting: book(wallet, { userId, currencyId, kind, amount, debit, credit: to })!,
      id: batch.offset + ++lines,
      entry: 'offset' in entry ? entry.offset : entry.betId - batch.base,
    });
    batch.touched.set(`${userId}:${currencyId}`, wallet);
  };
  const betId = 'offset' in entry ? batch.base + BigInt(entry.offset) : entry.betId;
  if (batch.bonus && funds) recordStake(batch.bonus, betId, funds);
  move('bet.stake', 'cash', funds?.cash ?? staked.units);
  move('bet.stake', 'bonus', funds?.bonus ?? 0n);
  const paid = batch.bonus ? creditParts(effect, batch.bonus, betId) : { cash: credit.units, bonus: 0n };
  move(credit.kind, 'cash', paid.cash);
  move(credit.kind, 'bonus', paid.bonus);
  return lines;
}

/** How what the house pays is shared between cash and bonus; a bet that ends counts towards the turnover of its grant. */
function creditParts({ credit, settled, changed }: Effect, books: BonusBooks, betId: bigint): Parts {
  if (credit.kind === 'bet.stake.rollback') return recordVoid(books, betId, credit.units);
  const ended = settled ?? (changed?.status === 'SETTLED' ? changed : undefined);
  if (!ended) return { cash: credit.units, bonus: 0n };
  const parts = recordPayout(books, betId, { staked: ended.amount, payout: credit.units });
  recordEnd(books, betId, ended.amount);
  return parts;
}

/** What is stored for requests with an Idempotency-Key: answers and refusals alike, but nothing that was only repeated. */
function answersToStore(
  requests: readonly GameRequest[],
  decided: readonly Decision[],
  outcomes: readonly Outcome[],
): StoredAnswer[] {
  return requests.flatMap(({ userId, repeat }, i) => {
    const outcome = outcomes[i]!;
    if (!repeat || decided[i]!.isRepeated) return [];
    if ('answer' in outcome) return { userId, ...repeat, status: 200, body: JSON.stringify(outcome.answer) };
    return isStorable(outcome.refusal) ? { userId, ...repeat, ...refusalOf(outcome.refusal) } : [];
  });
}

/** Writes what the batch has changed, and the answers that its keys keep. */
export function statementsOf(batch: OpenBatch, answers: readonly StoredAnswer[] = []): Statement[] {
  const { taken, postings, settled, opened, changed, played } = batch;
  const statements: Statement[] = [];
  if (taken.size > 0) {
    // In the order of their locks, which a batch that has read nothing takes here.
    const players = [...taken.keys()].sort((a, b) => a.userId - b.userId);
    const nonces = players.map((player) => taken.get(player)!);
    statements.push(advanceNonces(players, nonces, { keepsTime: keepsTimes(batch) }));
  }
  if (postings.length > 0) statements.push(...writeStatements([...batch.touched.values()], postings));
  if (settled.length > 0) statements.push(insertSettled(settled));
  if (opened.length > 0) statements.push(insertOpen(opened));
  if (changed.size > 0) statements.push(changeOpen([...changed.values()]));
  for (const [store, state] of batch.readings.states) statements.push(...(store.write?.(state) ?? []));
  // After the stores: a correction of a bet writes down what was bonus money before.
  if (batch.bonus) statements.push(...bonusStatements(batch.bonus, { isRelative: batch.base === 0n }));
  if (played.size > 0) statements.push(writePlayStatement([...played.values()]));
  if (answers.length > 0) statements.push(storeStatement(answers));
  return statements;
}
