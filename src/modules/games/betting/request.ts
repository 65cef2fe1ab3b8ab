import type { CountrySet } from '../../../platform/countries/rules.ts';
import type { Statement } from '../../../platform/database/db.ts';
import type { AppError } from '../../../platform/errors.ts';
import type { Units } from '../../../platform/money.ts';
import type { Player } from '../../base/players/service.ts';
import type { Play, World } from '../../compliance/gate/rules.ts';
import type { BonusBooks, Funds, Stake } from '../../money/bonus/books.ts';
import type { Risk } from '../../money/bonus/rules.ts';
import type { Posting, Wallet } from '../../money/ledger/rules.ts';
import type { BetChange, NewBet, OpenBet } from '../bets/queries.ts';
import type { SeedPair } from '../fairness/service.ts';
import type { Moved } from './rules.ts';

/**
 * A request to the settlement, which contains the function that decides it. The settlement does not distinguish kinds of requests. They are
 * built by `play.ts` (bets in one step), `rounds.ts`, the shared rounds and the seamless wallets.
 */
export type GameRequest<Answer extends object = object, State = unknown> = {
  userId: number;
  /** The countries whose rules apply to the request. */
  country: CountrySet;
  game: { id: number; slug: string };
  repeat: { key: string; inputHash: Buffer } | undefined;
  /** Rows that the request needs in addition to player and wallets. A batch that needs no such rows may be settled in one round trip. */
  store?: Store<State> | undefined;
  /** Maximum number of the block's ids that the request takes. Default: IDS_PER_REQUEST. */
  ids?: number;
  /** Set if the request was refused before it was queued. It may still get the response stored under its key. Its refusal is not stored. */
  isRefused?: true;
  /** Pure. Returns the effect of the request in the current state. Throws its refusal. */
  decide(batch: Batch, state: State): Effect<Answer> | Script<Answer>;
};

/**
 * The effect of a request that is more than a stake and a credit (a wallet call). Everything that can fail happens before this function is
 * called.
 */
export type Script<Answer extends object = object> = {
  carryOut(books: Books): void;
  /** True if the request ends a bet. Used for the metrics. */
  settles: boolean;
  /** True for a refusal. A refusal based on cached rows is decided again on rows read from the database. */
  refuses?: boolean;
  answer(block: Block): Answer;
};

/** The functions with which a script moves the player's money and records play. */
export type Books = {
  post(wallet: Wallet, posting: Pick<Posting, 'kind' | 'debit' | 'credit' | 'amount'>, at: Placed): void;
  /** Changes the recorded usage of a player with limits. */
  play(change: (play: Play) => Play): void;
};

/** The distance of a posting's id from `base`, and the id of the entry that it belongs to. */
export type Placed = { offset: number; entry: bigint };

/**
 * The rows that one kind of request needs. They are read once for all requests of a batch that refer to the store, while the players are
 * locked. Requests change the state, and later requests of the batch see the change.
 */
export type Store<State = unknown, Cache = unknown> = {
  /**
   * Returns the statements that read the rows for these requests, all of which name this store. With a cache, they read only the rows that
   * it lacks.
   */
  read(requests: readonly GameRequest[], cache?: Cache): Statement[];
  /** Builds the state from the rows of these statements and the cache. */
  stateOf(
    rows: readonly Record<string, unknown>[][],
    cache?: Cache,
    statements?: readonly Statement[],
  ): State;
  /** Returns ended bets whose bonus money may still move, so that their bonus part is also read. */
  bonusBets?(state: State): bigint[];
  /** Returns the statements that write the changes. After a read with a cache they fail if the cache was outdated. */
  write?(state: State): Statement[];
  /** Rows that a lane keeps from one batch to the next. */
  cache?: {
    create(): Cache;
    /** Called after the commit. */
    update(cache: Cache, state: State, requests: readonly GameRequest[]): void;
    /** Called when another process may have changed the rows of these requests. */
    evict(cache: Cache, requests: readonly GameRequest[]): void;
  };
};

/** The data of the locked players, after the earlier requests of the batch. */
export type Batch = {
  /** The time of the transaction, and the first of its reserved ids. Both are unknown in an optimistic batch. */
  readonly at: Date;
  readonly base: bigint;
  /** The first id of the current request, as its distance from `base`. */
  readonly offset: number;
  player(userId: number): Player;
  findPlayer(userId: number): Player | undefined;
  nonce(player: Player): number;
  /** Returns the time of the player's last bet, if it is stored. */
  lastBetAt(player: Player): Date | null;
  pair(id: bigint): SeedPair;
  wallet(userId: number, currencyId: string): Wallet;
  /** Undefined if the player has never had this currency. */
  findWallet(userId: number, currencyId: string): Wallet | undefined;
  outlook(countries: CountrySet): World;
  /** The bonus money of players with a grant; undefined if there are none. */
  readonly bonus: BonusBooks | undefined;
  /** Splits a stake into cash and bonus money. Throws 400 INSUFFICIENT_BALANCE, 403 PROMO_MAX_BET. */
  fund(stake: Stake): Funds;
  /** Returns the gate's refusal of a stake. */
  refusalOf(request: Pick<GameRequest, 'userId' | 'country'>, stakeUsd: Units): AppError | undefined;
};

/** The reserved ids of one transaction, which start at `base`, and its time. */
export type Block = { base: bigint; at: Date };

/** The effect of a request: a stake and a credit. Ids are distances from the start of the block. */
export type Effect<Answer extends object = object> = {
  wallet: Wallet;
  staked: Moved;
  /** The cash and bonus parts of the stake. */
  funds?: Funds | undefined;
  credit: Credit;
  /** The player of a new bet. */
  madeBy?: Player;
  /** True if the request takes the next nonce of the player's seeds. */
  takesNonce?: boolean;
  /** The ledger entry of the request's postings, which is the bet. */
  entry: { offset: number } | { betId: bigint };
  settled?: NewBet;
  opened?: OpenBet;
  changed?: BetChange;
  /** Returns the risk of the bet that ends here; called only for bets with a grant. */
  risk?: (() => Risk) | undefined;
  /** Changes the state of the request's store. */
  changeState?: () => void;
  answer(block: Block): Answer;
};

/** The amount that the house pays. A returned stake is removed from the usage of limits in the periods in which it was made. */
export type Credit = Moved & ({ kind: 'bet.payout' } | { kind: 'bet.stake.rollback'; madeAt: Date });
