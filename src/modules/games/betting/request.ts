import type { Caller } from '../../../http/access.ts';
import type { AppError } from '../../../platform/errors.ts';
import type { Rate, Units } from '../../../platform/money.ts';
import type { SeedPair } from '../fairness/service.ts';
import type { Money, Next, Return, Terms, Turn } from './rules.ts';

/** Who bets, from where. */
export type Bettor = Caller & {
  /** What speaks against a new bet already: only what was done under the key is answered. */
  refused?: AppError | undefined;
};

/** What every request to the settlement carries: everything that can be known without the player's lock. */
type Common = {
  userId: number;
  /** Where the request comes from; null: unknown. */
  country: string | null;
  game: { id: number; slug: string };
  repeat: { key: string; inputHash: Buffer } | undefined;
};

/** A bet that is about to be made. */
export type FreshBet = Common & {
  /** Whether the game is still on when the bet's turn comes: it may have waited. */
  isOpen?: () => boolean;
  currency: { id: string; decimals: number };
  /** As the player entered it; what it counts as follows from the stake. */
  betUsd: Units;
  stake: Units;
  rate: Rate;
  rtpBp: number;
  maxProfitUsd: Units;
  windowId: string | null;
  /** A refusal known before the lock (amount out of range): it comes after the gate's and is stored like any other. */
  refusal: AppError | undefined;
};

/** A bet that is made and settled in one step. */
export type BetRequest<Answer extends object = object, Outcome extends object = object> = FreshBet & {
  inputs: object;
  /** Refused while a round of its game is open. */
  isAlone?: boolean;
  /** Pure: the game's rules on these seeds and terms. The multiplier is over `scale`, 0n for a loss. */
  play(seeds: SeedPair, nonce: number, terms: Terms): { outcome: Outcome } & Return;
  /** Pure: the body of the answer. */
  answer(bet: PlayedBet<Outcome>): Answer;
};

export type PlayedBet<Outcome extends object> = {
  betUsd: Units;
  betId: string;
  createdAt: string;
  payoutUsd: Units;
  outcome: Outcome;
};

/** The start of a round. */
export type RoundRequest<Answer extends object = object, S extends object = object> = FreshBet & {
  /** A side bet, staked with the bet. */
  side: Money | undefined;
  /** Dealt from a given deck: no seeds, no nonce. */
  isForced: boolean;
  /** Pure: what the start comes to. */
  begin(terms: Terms & { side: Money | undefined }, next: Next | undefined): Turn<S>;
  answer(round: ShownRound<S>): Answer;
};

/** An action on the player's open round of the game. */
export type ActionRequest<Answer extends object = object, S extends object = object> = Common & {
  /** Pure: what the action comes to. Throws what speaks against it. */
  act(round: OpenRound<S>, next: Next | undefined): Turn<S>;
  answer(round: ShownRound<S>): Answer;
};

/** A bet in the round that is shared by all. */
export type PlacedRequest<Answer extends object = object> = FreshBet & {
  inputs: object;
  isShared: true;
  /** The least that may be staked in the currency: the range of the round is known under the lock only. */
  minStake: Units;
  answer(bet: { betUsd: Units; betId: string; createdAt: string }): Answer;
};

/** What was refused before the queue, sent with a key: only what is kept under the key can answer it otherwise. */
export type RefusedRequest = Common & { refused: AppError };

/** `Answer` is what the request is answered with. What a game makes of its own outcome or state is its own business. */
export type GameRequest<Answer extends object = object> =
  | BetRequest<Answer>
  | RoundRequest<Answer>
  | ActionRequest<Answer>
  | PlacedRequest<Answer>
  | RefusedRequest;

/** A round as the rules see it; `total` is what was staked so far, in its currency. */
export type OpenRound<S> = Terms & {
  betId: string;
  currencyId: string;
  createdAt: string;
  /** Of the last action. */
  actedAt: Date;
  rtpBp: number;
  total: Units;
  state: S;
};

/** A round after a request; `end` says how it ended, if it has. */
export type ShownRound<S> = OpenRound<S> & {
  end: Exclude<Turn<S>['end'], undefined> | undefined;
  finishedAt: string | null;
};
