import type { Statement } from '../../../platform/db.ts';
import type { AppError } from '../../../platform/errors.ts';
import type { Units } from '../../../platform/money.ts';
import type { Player } from '../../base/players/service.ts';
import type { Play, World } from '../../compliance/gate/rules.ts';
import type { BonusBooks, Funds, Stake } from '../../money/bonus/books.ts';
import type { Posting, Wallet } from '../../money/ledger/rules.ts';
import type { BetChange, NewBet, OpenBet } from '../bets/queries.ts';
import type { SeedPair } from '../fairness/service.ts';
import type { Moved } from './rules.ts';

/**
 * What the settlement takes: a request that says itself how it is decided. The settlement knows no kinds of requests; `play.ts`
 * (bets in one step), `rounds.ts` and games with rules of their own build them.
 */
export type GameRequest<Answer extends object = object, State = unknown> = {
  userId: number;
  /** Where the request comes from; null: unknown. */
  country: string | null;
  game: { id: number; slug: string };
  repeat: { key: string; inputHash: Buffer } | undefined;
  /** Rows that it needs beside player and wallets. A lone request without any may be settled in one round trip. */
  store?: Store<State> | undefined;
  /** How many ids of the block it may take: IDS_PER_REQUEST unless it says so. */
  ids?: number;
  /** It was refused before the queue. Only what is stored under its key can answer it otherwise; its refusal is not stored. */
  isRefused?: true;
  /** Pure: the effect that the request would have now. Throws its refusal. */
  decide(batch: Batch, state: State): Effect<Answer> | Script<Answer>;
};

/**
 * What a request does that is more than a stake and a credit (a call of a provider of games). Everything that can fail was decided
 * before: nothing here refuses.
 */
export type Script<Answer extends object = object> = {
  carryOut(books: Books): void;
  /** It has ended a bet, for the metrics. */
  settles: boolean;
  /** It is a refusal. One that rests on what a lane remembers is decided again on what is read. */
  refuses?: boolean;
  answer(block: Block): Answer;
};

/** How a script moves money of the request's player and records what they have played. */
export type Books = {
  post(wallet: Wallet, posting: Pick<Posting, 'kind' | 'debit' | 'credit' | 'amount'>, at: Placed): void;
  /** Changes what the gate keeps of a player with limits. */
  play(change: (play: Play) => Play): void;
};

/** The distance of a posting's id from `base`, and the id of the entry that it belongs to. */
export type Placed = { offset: number; entry: bigint };

/**
 * Rows of a kind of requests: read once for all requests of a batch that name the store, under their players' locks. Effects change
 * the state, later requests of the batch see it.
 */
export type Store<State = unknown, Memory = unknown> = {
  /** What is read for these requests: no other than those that name this store. With a memory: only what it does not hold. */
  read(requests: readonly GameRequest[], memory?: Memory): Statement[];
  /** From the rows of these statements, and what is remembered. */
  stateOf(
    rows: readonly Record<string, unknown>[][],
    memory?: Memory,
    statements?: readonly Statement[],
  ): State;
  /** Bets that have ended whose bonus money may move: what of them is bonus money is read too. */
  bonusBets?(state: State): bigint[];
  /** Writes what the batch has changed. With a memory the statements prove it: they fail where it was old. */
  write?(state: State): Statement[];
  /** What a lane remembers from one batch to the next. */
  memory?: {
    create(): Memory;
    /** After the commit. */
    keep(memory: Memory, state: State, requests: readonly GameRequest[]): void;
    /** Whatever these requests are about may have changed. */
    forget(memory: Memory, requests: readonly GameRequest[]): void;
  };
};

/** What a request may know of players under their locks, after the earlier requests of the batch. */
export type Batch = {
  /** The time of the transaction, and the first of its reserved ids. A lone request in one round trip knows neither yet. */
  readonly at: Date;
  readonly base: bigint;
  /** The first id for the request that is being decided, as its distance from `base`. */
  readonly offset: number;
  player(userId: number): Player;
  findPlayer(userId: number): Player | undefined;
  nonce(player: Player): number;
  /** When they last bet, if that is stored. */
  lastBetAt(player: Player): Date | null;
  pair(id: bigint): SeedPair;
  wallet(userId: number, currencyId: string): Wallet;
  /** Undefined: the player never had anything in this currency. */
  findWallet(userId: number, currencyId: string): Wallet | undefined;
  outlook(country: string | null): World;
  /** Bonus money of players with a grant; undefined: nobody in the batch has one. */
  readonly bonus: BonusBooks | undefined;
  /** What a stake of a player is paid from. Throws 400 INSUFFICIENT_BALANCE, 403 PROMO_MAX_BET. */
  fund(stake: Stake): Funds;
  /** What the gate has against new money from the player. */
  refusalOf(request: Pick<GameRequest, 'userId' | 'country'>, stakeUsd: Units): AppError | undefined;
};

/** The ids of one transaction (a block that starts at `base`) and its time. */
export type Block = { base: bigint; at: Date };

/** What a request does when it is carried out. Ids are distances from the start of the block. */
export type Effect<Answer extends object = object> = {
  wallet: Wallet;
  staked: Moved;
  /** What the stake is paid from. */
  funds?: Funds | undefined;
  credit: Credit;
  /** Who made the bet, where it is a new one. */
  madeBy?: Player;
  /** It takes the next nonce of the player's seeds. */
  takesNonce?: boolean;
  /** The entry that its postings belong to: the bet. */
  entry: { offset: number } | { betId: bigint };
  settled?: NewBet;
  opened?: OpenBet;
  changed?: BetChange;
  /** Changes the state of the request's store. */
  changeState?: () => void;
  answer(block: Block): Answer;
};

/** What the house pays. A stake that is given back is taken out of the usage of limits, in the periods in which it was made. */
export type Credit = Moved & ({ kind: 'bet.payout' } | { kind: 'bet.stake.rollback'; madeAt: Date });
