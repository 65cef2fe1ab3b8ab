import type { IncomingHttpHeaders } from 'node:http';
import type { Units } from '../../../platform/money.ts';
import type { Policy, WalletAnswer, WalletCall } from './call.ts';
import type { ReportedTransaction } from './rules.ts';

/** A currency as a provider calls and counts it: one of theirs is `factor` of ours, with `decimals` places. */
export type ProviderCurrency = { ours: string; code: string; factor: string; decimals: number };

/** What is asked of a provider when a player opens one of its games. */
export type LaunchRequest = {
  /** The provider's name of the game. */
  gameCode: string;
  /** Undefined: a demo, without a player and without a wallet. */
  player?: { userId: number; username: string; token: string; currencyId: string; country: string | null };
  language: string;
  device: 'DESKTOP' | 'MOBILE';
  ip: string;
  /** Where the game's close button leads. */
  lobbyUrl: string;
};

/** A game as its provider lists it. */
export type SupplierGame = {
  code: string;
  name: string;
  type: 'SLOTS' | 'EVO_GAME';
  /** Of the contract's categories; at least one. */
  categories: readonly string[];
  images: readonly string[];
  /** Our currency ids; null: every one that the provider has. */
  currencies: readonly string[] | null;
  blockedCountries: readonly string[];
  description: string | null;
  rtp: number | null;
  volatility: 'LOW' | 'MEDIUM' | 'HIGH' | null;
  maxWinMultiplier: number | null;
  hasDemo: boolean;
  hasFreeSpins: boolean;
};

/** The answer to a callback, on the wire. */
export type WireAnswer = { status: number; body: object };

/** What a callback says: a call for the wallet, or the answer to what cannot be one. `context`: what `answer` needs of the message. */
export type ReadCallback = { call: WalletCall; context: unknown } | { refused: WireAnswer };

/** Rounds that cost a player nothing. `id`: our own name for them. */
export type FreeRoundsOrder = {
  id: string;
  userId: number;
  currencyId: string;
  /** The provider's name of the game. */
  gameCode: string;
  rounds: number;
  /** What each of them stakes, at the provider's decimals. */
  bet: Units;
  validUntil: Date;
};

/** How a provider gives players free rounds. Both calls may be repeated. */
export type FreeRounds = {
  /** What tells that all of them were played: a sum of what they have won, or the end of the last one. */
  endBy: 'SUM' | 'ROUNDS';
  /** Answers what the provider calls them. */
  give(order: FreeRoundsOrder): Promise<string>;
  /** Takes back what is left of them; those that the provider does not have are no error. `reference`: null where it may not have them. */
  withdraw(order: FreeRoundsOrder, reference: string | null): Promise<void>;
};

/** A supplier of games. It throws Unanswered or NotSent (platform/outbound.ts) where it does not answer. */
export type GameProvider = {
  slug: string;
  dialect: 'generic' | 'hub88' | 'softswiss' | 'pragmatic';
  currencies: readonly ProviderCurrency[];
  launchOrigins: readonly string[];
  policy: Policy;
  /** The address at which the player's browser opens the game. */
  launch(request: LaunchRequest): Promise<{ url: string }>;
  /** All games that it offers, in one complete list. */
  list(): Promise<SupplierGame[]>;
  /** Undefined: its dialect has no words for them. */
  freeRounds?: FreeRounds;
  /** Its own books: transactions from one time (inclusive) to another (exclusive). */
  report(from: Date, to: Date): Promise<ReportedTransaction[]>;
  /** Whether it has signed exactly these bytes, now. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): boolean;
  /** `action`: what follows its address (`transaction/bet`, `play`, `bet.html`; empty: our own form). */
  read(action: string, raw: Buffer): ReadCallback;
  answer(action: string, answer: WalletAnswer, context: unknown): WireAnswer;
};

/** A provider with the id of its row in `game_providers`. */
export type KnownProvider = GameProvider & { id: number };
