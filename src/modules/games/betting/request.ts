import type { CountrySet } from '../../../platform/countries/rules.ts';
import type { Statement } from '../../../platform/database/db.ts';
import type { AppError } from '../../../platform/errors.ts';
import type { Units } from '../../../platform/money.ts';
import type { Player } from '../../base/players/service.ts';
import type { Play, World } from '../../compliance/gate/rules.ts';
import type { BonusBooks, Funds, Stake } from '../../money/bonus/books.ts';
import type { Risk } from '../../money/bonus/rules.ts';
import type { PlacedPosting, Posting, Wallet } from '../../money/ledger/rules.ts';
import type { BetChange, NewBet, OpenBet } from '../bets/queries.ts';
import type { SeedPair } from '../fairness/service.ts';
import type { Money, Return, Terms } from './rules.ts';

/** The fields that identify a settlement request. */
export type Call = {
  userId: number;
  /** The countries whose rules apply to the request. */
  country: CountrySet;
  game: { id: number; slug: string };
  repeat: { key: string; inputHash: Buffer } | undefined;
};

/** A new bet with all data that is known before the player is locked. */
export type FreshBet = Call &
  Terms & {
    /** Returns true if the game is still enabled when the bet is processed, because the bet may have waited. */
    isOpen?: () => boolean;
    currencyId: string;
    /** The minimum stake in the currency. */
    minStake: Units;
    side?: Money | undefined;
    rtpBp: number;
    windowId: string | null;
    /**
     * A rejection that is known before the player is locked (amount out of range). The gate's refusals take precedence over it. It is
     * stored like any other rejection.
     */
    refusal: AppError | undefined;
  };

/** A game whose bets are placed and settled in one step. */
export type SingleStep<Answer extends object = object, Outcome extends object = object> = {
  inputs: object;
  /** Pure. Returns the bet's risk. Called only for bets with a grant. */
  risk?: (() => Risk) | undefined;
  /** Pure. Plays the game with these seeds and terms. The multiplier is an integer in units of 1/`scale`, 0n for a loss. */
  play(seeds: SeedPair, nonce: number, terms: Terms): { outcome: Outcome } & Return;
  /** Pure. Returns the response body. */
  answer(bet: PlayedBet<Outcome>): Answer;
};

export type PlayedBet<Outcome extends object> = {
  betId: string;
  currencyId: string;
  betUsd: Units;
  createdAt: string;
  payoutUsd: Units;
  outcome: Outcome;
};

/**
 * A settlement request, with the function that processes it. The settlement does not distinguish kinds of requests. They are built by
 * `place.ts` (bets in one step), `rounds.ts`, the shared rounds and the seamless wallets.
 */
export type GameRequest<Answer extends object = object, State = unknown> = Call & {
  /** The rows that the request needs in addition to player and wallets. A batch without such rows may be settled in one round trip. */
  store?: Store<State> | undefined;
  /** Maximum number of the block's ids that the request takes. Default: IDS_PER_REQUEST. */
  ids?: number;
  /**
   * Set if the request was rejected before it was queued. It may still get the response stored under its key. The rejection is not stored.
   */
  isRefused?: true;
  /** Pure. Returns the draft of the request in the current state. Throws if the request is rejected. */
  decide(batch: Batch, state: State): Draft<Answer>;
};

/** A processed request: its changes, which the settlement applies, and its response, which is sent after the commit. */
export type Draft<Answer extends object = object> = {
  /** Applies all changes. All steps that can fail precede this call. */
  apply(books: Books): void;
  /** True if the request ends a bet. Used for the metrics. */
  settles: boolean;
  /**
   * True if the request is rejected. If the rejection is based on cached rows, the request is processed again with rows read from the
   * database.
   */
  refuses?: boolean;
  answer(block: Block): Answer;
};

/** Returns a draft that changes nothing. */
export const answerOnly = <Answer extends object>(answer: Answer): Draft<Answer> => ({
  apply: () => undefined,
  settles: false,
  answer: () => answer,
});

/** The state of a batch, to which drafts are applied. */
export type Books = {
  /** The bonus money of players with a grant; undefined if there are none. */
  readonly bonus: BonusBooks | undefined;
  readonly settled: NewBet[];
  readonly opened: OpenBet[];
  /** The last change to each open bet. */
  readonly changed: Map<bigint, BetChange>;
  /** Moves a player's money. Throws if the balance of the debited account is less than the amount. */
  post(
    wallet: Wallet,
    posting: Pick<Posting, 'kind' | 'debit' | 'credit' | 'amount'>,
    at: Pick<PlacedPosting, 'id' | 'entry'>,
  ): void;
  /** Changes the recorded usage of a player with limits. */
  play(userId: number, change: (play: Play) => Play): void;
  /** Records a new bet of a player, and the nonce if the bet uses one. */
  countBet(player: Player, takesNonce: boolean): void;
};

/**
 * The rows that one kind of request needs. They are read while the players are locked, once for all requests of a batch that refer to the
 * store. Requests change the state, and later requests of the batch see the changes.
 */
export type Store<State = unknown, Cache = unknown> = {
  /**
   * Returns the statements that read the rows for these requests, all of which refer to this store. With a cache, the statements read only
   * the rows that are not cached.
   */
  read(requests: readonly GameRequest[], cache?: Cache): Statement[];
  /** Builds the state from the cache and the rows that these statements returned. */
  stateOf(
    rows: readonly Record<string, unknown>[][],
    cache?: Cache,
    statements?: readonly Statement[],
  ): State;
  /** Returns the ids of ended bets with bonus money that a request may correct. Their bonus parts are also read. */
  bonusBets?(state: State): bigint[];
  /** Returns the statements that write the changes. If cached rows were used, the statements fail if the cache was outdated. */
  write?(state: State): Statement[];
  /** Rows that a lane caches from one batch to the next. */
  cache?: {
    create(): Cache;
    /** Called after the commit. */
    update(cache: Cache, state: State, requests: readonly GameRequest[]): void;
    /** Called when another process may have changed the rows of these requests. */
    evict(cache: Cache, requests: readonly GameRequest[]): void;
  };
};

/** The data of the locked players after the earlier requests of the batch. */
export type Batch = {
  /** The time of the transaction and the first of its reserved ids. Both are unknown in an optimistic batch. */
  readonly at: Date;
  readonly base: bigint;
  /** The first id of the current request, as an offset from `base`. */
  readonly offset: number;
  player(userId: number): Player;
  findPlayer(userId: number): Player | undefined;
  nonce(player: Player): number;
  /** Returns the time of the player's last bet, if it is stored. */
  lastBetAt(player: Player): Date | null;
  pair(id: bigint): SeedPair;
  wallet(userId: number, currencyId: string): Wallet;
  /** Returns undefined if the player has never had this currency. */
  findWallet(userId: number, currencyId: string): Wallet | undefined;
  outlook(countries: CountrySet): World;
  /** The bonus money of players with a grant; undefined if there are none. */
  readonly bonus: BonusBooks | undefined;
  /** Splits a stake into cash and bonus money. Throws 400 INSUFFICIENT_BALANCE and 403 PROMO_MAX_BET. */
  fund(stake: Stake): Funds;
  /** Returns the gate's refusal of a stake, if the gate refuses it. */
  refusalOf(request: Pick<GameRequest, 'userId' | 'country'>, stakeUsd: Units): AppError | undefined;
};

/** The reserved ids of one transaction, starting at `base`, and its time. */
export type Block = { base: bigint; at: Date };
