import type { Statement } from '../../../platform/database/db.ts';
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
import type { Outlook } from '../../compliance/gate/service.ts';
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
import { IDS_PER_BLOCK, writeStatements } from '../../money/ledger/queries.ts';
import { book, type PlacedPosting, type Wallet } from '../../money/ledger/rules.ts';
import { insufficient } from '../../money/ledger/write.ts';
import {
  type BetChange,
  changeOpen,
  insertOpen,
  insertSettled,
  markNewUndecided,
  markUndecided,
  type NewBet,
  type OpenBet,
} from '../bets/queries.ts';
import type { SeedPair } from '../fairness/service.ts';
import { bettingErrors } from './errors.ts';
import type { Batch, Block, Books, Credit, Effect, GameRequest, Script, Store } from './request.ts';

/** Number of nonces in a seed pair. The next one would exceed the int4 column. */
const NONCES = 2_147_483_647;

/** `isOpen`: the refusal is based on cached rows, so the request must be decided again on rows that are read. */
type Refused = { refusal: AppError; isOpen?: boolean };
export type Outcome = { answer: object; settles: boolean } | Refused;

/** Rows read while the players are locked. */
export type Readings = {
  players: ReadonlyMap<number, Player>;
  wallets: ReadonlyMap<string, Wallet>;
  stored: ReadonlyMap<string, StoredAnswer>;
  pairs: (id: bigint) => SeedPair | undefined;
  /** The restrictions of players who have any. */
  restrictions: ReadonlyMap<number, Restrictions>;
  /** The states of the requests' stores. */
  states: ReadonlyMap<Store, unknown>;
  /** Stores whose state is partly cached. */
  cached?: ReadonlySet<Store>;
  /** Returns the current rules for a player with these countries. */
  outlook: Outlook;
  /** The bonus money of players with a grant; undefined if there are none. */
  bonus?: BonusBooks | undefined;
};

export type Plan = {
  statements: Statement[];
  /** Number of nonces that each player takes. */
  taken: ReadonlyMap<Player, number>;
  /** The wallets that the batch changes. */
  wallets: Iterable<Wallet>;
  /** True if a request was refused because of rows that may be outdated. */
  refuses: boolean;
  /** Active grants whose progress has changed. */
  movedGrants: readonly BetGrant[];
  /** Grants that may have ended. They are settled after the commit. */
  dueGrants: readonly bigint[];
  /** Returns the outcomes in the order of the requests, given the ids and the time of the block. */
  outcomes: (block: Block) => Outcome[];
};

/** A bet and two postings: the maximum for a request that does not declare a maximum. */
export const IDS_PER_REQUEST = 3;
/** With a grant each posting may be split into cash and bonus money. */
const IDS_WITH_GRANT = 5;

/** Returns the maximum number of the block's ids that a request takes. */
export const idsOf = ({ ids }: GameRequest, player: Player | undefined): number =>
  ids ?? (player?.hasGrant ? IDS_WITH_GRANT : IDS_PER_REQUEST);

/**
 * Decides every request of a batch in order of arrival. Each request sees the balance, nonce and rows after the earlier ones. A refused
 * request takes no nonce and moves no money. Pure: returns statements and outcomes.
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

/** `isRepeated`: another request with the same key was decided, and this one gets its response. */
type Decision = ({ effect: Effect | Script } | Outcome) & { isRepeated?: true };

/** A batch with the changes of its requests so far. */
export type OpenBatch = { -readonly [K in keyof Batch]: Batch[K] } & {
  readings: Readings;
  idsPerRequest: number;
  /** The number of nonces that each player's bets took. While bet times are stored, it includes players whose bets took none. */
  taken: Map<Player, number>;
  /** The restrictions of the players whose recorded usage this batch has changed. */
  played: Map<number, Restrictions>;
  touched: Map<string, Wallet>;
  settled: NewBet[];
  opened: OpenBet[];
  changed: Map<bigint, BetChange>;
  postings: PlacedPosting[];
  /** Decisions about requests with a key, because the batch may contain duplicates. */
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
    nonce(player) {
      const nonce = player.nonce + (batch.taken.get(player) ?? 0);
      if (nonce >= NONCES) throw bettingErrors.SEEDS_USED_UP();
      return nonce;
    },
    // A player's earlier bet in this batch has the time of the batch.
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

/** Caches the rules of each country, because all requests of a batch are decided at the same time. */
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

/** Decides a request, unless its key already has a response, stored or in this batch. */
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
  // The next request with this key is decided separately.
  if (request.isRefused) return { ...decision, isRepeated: true };
  if ('effect' in decision || isStorable(decision.refusal))
    batch.keyed.set(name, { inputHash: repeat.inputHash, decision });
  return decision;
}

/** Refusals that may not apply to a retry, so they are not stored. */
const NEVER_STORED = ['VALIDATION_FAILED', 'GAME_DISABLED', 'BET_TOO_SOON', 'SERIES_CLOSED'];

/** Returns true for refusals of the request itself. Other failures are not stored. */
const isStorable = (refusal: AppError): boolean =>
  refusal instanceof AppError && refusal.status < 500 && !NEVER_STORED.includes(refusal.code);

function decide(request: GameRequest, batch: OpenBatch): { effect: Effect | Script } | Refused {
  try {
    const effect = request.decide(batch, request.store && batch.readings.states.get(request.store));
    // Everything that can fail comes before the first change, so a request is applied completely or not at all.
    if ('carryOut' in effect) {
      if (effect.refuses && isBasedOnCache(request, batch)) return UNDECIDED;
      effect.carryOut(booksOf(batch, request.userId));
      batch.offset += request.ids ?? batch.idsPerRequest;
    } else {
      assertPayable(request, effect);
      apply(effect, request.userId, batch);
    }
    return { effect };
  } catch (error) {
    return isBasedOnCache(request, batch) ? UNDECIDED : { refusal: error as AppError };
  }
}

/** Never sent as a response. */
const UNDECIDED: Refused = { refusal: commonErrors.SERVICE_UNAVAILABLE(), isOpen: true };

const isBasedOnCache = ({ store }: GameRequest, { readings }: OpenBatch): boolean | undefined =>
  store && readings.cached?.has(store);

/** Throws if the payout is negative or exceeds its columns. A payout that exceeds only the wallet goes to suspense. */
function assertPayable({ game }: GameRequest, { credit, changed }: Effect): void {
  const fits = (amount: Units, present: Units) => amount >= 0n && present + amount <= MAX_UNITS;
  if (!fits(credit.units, 0n) || !fits(credit.countedUsd, changed?.usdAmount ?? 0n))
    throw new RangeError(`${game.slug} pays ${credit.units}`);
}

/** Applies the effect of an accepted request. */
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

/** Records the usage of players with limits. An action on a round counts as play even if it moves no money. */
function recordPlay({ staked, credit }: Effect, userId: number, batch: OpenBatch): void {
  const restrictions = restrictionsOf(batch, userId);
  if (!restrictions?.play) return;
  const play =
    credit.kind === 'bet.stake.rollback'
      ? reverseUsage(restrictions.play, { madeAt: credit.madeAt, staked: credit.countedUsd })
      : recordUsage(restrictions.play, { at: batch.at, staked: staked.countedUsd, paid: credit.countedUsd });
  batch.played.set(userId, { ...restrictions, play });
}

/** Posts the stake and the credit, which changes the wallet in place. Returns the number of ledger lines. */
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

/** Splits a credit into cash and bonus money. A bet that ends counts towards the wagering requirement of its grant. */
function creditParts({ credit, settled, changed, risk }: Effect, books: BonusBooks, betId: bigint): Parts {
  if (credit.kind === 'bet.stake.rollback') return recordVoid(books, betId, credit.units);
  const ended = settled ?? (changed?.status === 'SETTLED' ? changed : undefined);
  if (!ended) return { cash: credit.units, bonus: 0n };
  const parts = recordPayout(books, betId, { staked: ended.amount, payout: credit.units });
  recordEnd(books, betId, { staked: ended.amount, undecided: ended.undecided ?? 0n, risk });
  return parts;
}

/** Returns the responses and refusals to store for requests with an Idempotency-Key, except repeated ones. */
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

/** Returns the statements that write the changes of the batch and the responses of its keys. */
export function statementsOf(batch: OpenBatch, answers: readonly StoredAnswer[] = []): Statement[] {
  const { taken, postings, settled, opened, changed, played } = batch;
  const statements: Statement[] = [];
  if (taken.size > 0) {
    // Sorted in the order of locks, because an optimistic batch takes the locks with this statement.
    const players = [...taken.keys()].sort((a, b) => a.userId - b.userId);
    const nonces = players.map((player) => taken.get(player)!);
    statements.push(advanceNonces(players, nonces, { keepsTime: keepsTimes(batch) }));
  }
  if (postings.length > 0) statements.push(...writeStatements([...batch.touched.values()], postings));
  if (settled.length > 0) statements.push(insertSettled(settled));
  if (opened.length > 0) statements.push(insertOpen(opened));
  if (changed.size > 0) statements.push(changeOpen([...changed.values()]));
  statements.push(...undecidedStatements(batch));
  for (const [store, state] of batch.readings.states) statements.push(...(store.write?.(state) ?? []));
  // Written after the stores, because a correction of a bet records its previous bonus part.
  if (batch.bonus) statements.push(...bonusStatements(batch.bonus, { isRelative: batch.base === 0n }));
  if (played.size > 0) statements.push(writePlayStatement([...played.values()]));
  if (answers.length > 0) statements.push(storeStatement(answers));
  return statements;
}

/** Writes the undecided parts of bets. Most bets have none, and nothing is written for them. */
function undecidedStatements({ settled, changed }: OpenBatch): Statement[] {
  const isUndecided = <B extends { undecided?: Units | undefined }>(
    bet: B,
  ): bet is B & { undecided: Units } => bet.undecided !== undefined && bet.undecided > 0n;
  const [made, ended] = [settled.filter(isUndecided), [...changed.values()].filter(isUndecided)];
  return [
    ...(made.length > 0 ? [markNewUndecided(made)] : []),
    ...(ended.length > 0 ? [markUndecided(ended)] : []),
  ];
}
