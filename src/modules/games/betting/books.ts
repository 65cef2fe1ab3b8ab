import type { Statement } from '../../../platform/database/db.ts';
import type { AppError } from '../../../platform/errors.ts';
import type { Units } from '../../../platform/money.ts';
import type { StoredAnswer } from '../../base/idempotency/service.ts';
import { advanceNonces, type Player } from '../../base/players/service.ts';
import { writePlayStatement } from '../../compliance/gate/queries.ts';
import {
  refusalOf as gateRefusalOf,
  type Outlook,
  type Restrictions,
  type World,
} from '../../compliance/gate/rules.ts';
import {
  type BonusBooks,
  statementsOf as bonusStatements,
  type Funds,
  fund,
  type Stake,
} from '../../money/bonus/books.ts';
import { writeStatements } from '../../money/ledger/queries.ts';
import { book, insufficient, type PlacedPosting, type Wallet } from '../../money/ledger/rules.ts';
import { changeOpen, insertOpen, insertSettled, markNewUndecided, markUndecided } from '../bets/queries.ts';
import type { SeedPair } from '../fairness/service.ts';
import { bettingErrors } from './errors.ts';
import type { Batch, Block, Books, Draft, GameRequest, Store } from './request.ts';

/** The rows that were read while the players were locked. */
export type Readings = {
  players: ReadonlyMap<number, Player>;
  wallets: ReadonlyMap<string, Wallet>;
  stored: ReadonlyMap<string, StoredAnswer>;
  pairs: (id: bigint) => SeedPair | undefined;
  /** The restrictions of the restricted players. */
  restrictions: ReadonlyMap<number, Restrictions>;
  /** The states of the stores that the requests use. */
  states: ReadonlyMap<Store, unknown>;
  /** Stores whose state is partly cached. */
  cached?: ReadonlySet<Store>;
  /** Returns the current rules for a player with these countries. */
  outlook: Outlook;
  /** The bonus money of players with a grant; undefined if there are none. */
  bonus?: BonusBooks | undefined;
};

/** A batch with the changes made so far by its requests. */
export type OpenBatch = Batch &
  Books & {
    readings: Readings;
    idsPerRequest: number;
    offset: number;
    /** The number of nonces that each player's bets used. If bet times are stored, it includes players whose bets used none. */
    taken: Map<Player, number>;
    /** The restrictions of the players whose recorded usage this batch has changed. */
    played: Map<number, Restrictions>;
    touched: Map<string, Wallet>;
    postings: PlacedPosting[];
  };

const NEVER = new Date(Number.NaN);

/** Number of nonces in a seed pair. After one more, the next nonce would exceed the int4 column. */
const NONCES = 2_147_483_647;

export function createBatch(readings: Readings, block: Block | undefined, idsPerRequest: number): OpenBatch {
  const { players, wallets, pairs } = readings;
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
    bonus: readings.bonus,
    outlook: oncePerCountry(readings.outlook),
    player: (userId) => required(players.get(userId), `user ${userId} is no player`),
    findPlayer: (userId) => players.get(userId),
    nonce: (player) => nextNonce(batch, player),
    // If the player has bet earlier in this batch, the time of that bet is the time of the batch.
    lastBetAt: (player) => (batch.taken.has(player) ? batch.at : player.lastBetAt),
    pair: (id) => required(pairs(id), `pair ${id} was not read`),
    findWallet(userId, currencyId) {
      const name = `${userId}:${currencyId}`;
      return batch.touched.get(name) ?? wallets.get(name);
    },
    wallet: (userId, currencyId) => batch.findWallet(userId, currencyId) ?? { ...EMPTY, userId, currencyId },
    fund: (stake) => fundsOf(batch, stake),
    refusalOf: (request, stakeUsd) => refusalIn(batch, request, stakeUsd),
    post(wallet, { kind, debit, credit, amount }, { id, entry }) {
      const { userId, currencyId } = wallet;
      const posting = book(wallet, { userId, currencyId, kind, amount, debit, credit });
      if (!posting) throw new Error(`${kind} takes more than ${debit} holds`);
      batch.postings.push({ posting, id, entry });
      batch.touched.set(`${userId}:${currencyId}`, wallet);
    },
    play(userId, change) {
      const restrictions = restrictionsOf(batch, userId);
      if (restrictions?.play) batch.played.set(userId, { ...restrictions, play: change(restrictions.play) });
    },
    countBet: (player, takesNonce) => countBet(batch, player, takesNonce),
  };
  return batch;
}

function nextNonce({ taken }: OpenBatch, player: Player): number {
  const nonce = player.nonce + (taken.get(player) ?? 0);
  if (nonce >= NONCES) throw bettingErrors.SEEDS_USED_UP();
  return nonce;
}

function fundsOf({ bonus }: OpenBatch, stake: Stake): Funds {
  const { wallet, units } = stake;
  const funds = bonus
    ? fund(bonus, stake)
    : wallet.cash >= units && { cash: units, bonus: 0n, contributionBp: 0 };
  if (!funds) throw insufficient('cash', wallet);
  return funds;
}

function refusalIn(
  batch: OpenBatch,
  { userId, country }: Pick<GameRequest, 'userId' | 'country'>,
  stakeUsd: Units,
): AppError | undefined {
  const { isBanned, isRestricted } = batch.player(userId);
  const restrictions = isRestricted
    ? required(restrictionsOf(batch, userId), `the restrictions of user ${userId} were not read`)
    : undefined;
  return gateRefusalOf('bet', { ...batch.outlook(country), at: batch.at, isBanned, stakeUsd, restrictions });
}

function countBet(batch: OpenBatch, player: Player, takesNonce: boolean): void {
  if (takesNonce || keepsTimes(batch))
    batch.taken.set(player, (batch.taken.get(player) ?? 0) + (takesNonce ? 1 : 0));
}

const keepsTimes = ({ outlook }: Batch): boolean => outlook(null).keepsBetTimes;

/** Caches the rules of each country, because all requests of a batch are processed at the same point in time. */
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

/** Applies a draft. The next request gets the ids after the `ids` reserved for this request, or after its last posting if it used more. */
export function apply(draft: Draft, batch: OpenBatch, ids: number = batch.idsPerRequest): void {
  draft.apply(batch);
  const last = batch.postings.at(-1)?.id ?? 0;
  batch.offset = Math.max(batch.offset + ids, last + 1);
}

/** Returns the statements that write the batch's changes. */
export function statementsOf(batch: OpenBatch): Statement[] {
  const { taken, postings, settled, opened, changed, played } = batch;
  const statements: Statement[] = [];
  if (taken.size > 0) {
    // The rows are sorted in lock order, because an optimistic batch takes its locks with this statement.
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
  // These rows are written after the stores, because a correction of a bet records its previous bonus part.
  if (batch.bonus) statements.push(...bonusStatements(batch.bonus, { isRelative: batch.base === 0n }));
  if (played.size > 0) statements.push(writePlayStatement([...played.values()]));
  return statements;
}

/** Writes the undecided parts of bets, if there are any. Most bets have none. */
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
