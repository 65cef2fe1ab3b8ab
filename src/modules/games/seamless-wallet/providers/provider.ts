import type { IncomingHttpHeaders } from 'node:http';
import type { Units } from '../../../../platform/money.ts';
import type { Policy, WalletCall, WalletResponse } from '../engine/call.ts';
import type { ReportedTransaction } from '../engine/rules.ts';

/** A provider's currency: one unit of the provider's currency is `factor` units of ours, and amounts have `decimals` decimals. */
export type ProviderCurrency = { ours: string; code: string; factor: string; decimals: number };

/** The request to open a provider's game. */
export type LaunchRequest = {
  /** The provider's code for the game. */
  gameCode: string;
  /** Undefined for a demo, which has neither player nor wallet. */
  player?: { userId: number; username: string; token: string; currencyId: string; country: string | null };
  language: string;
  device: 'DESKTOP' | 'MOBILE';
  ip: string;
  /** The URL that the game's close button opens. */
  lobbyUrl: string;
};

/** A game in a provider's list. */
export type SupplierGame = {
  code: string;
  name: string;
  type: 'SLOTS' | 'EVO_GAME';
  /** At least one category of our catalogue. */
  categories: readonly string[];
  images: readonly string[];
  /** Our currency ids; null means all currencies of the provider. */
  currencies: readonly string[] | null;
  blockedCountries: readonly string[];
  description: string | null;
  rtp: number | null;
  volatility: 'LOW' | 'MEDIUM' | 'HIGH' | null;
  maxWinMultiplier: number | null;
  hasDemo: boolean;
  hasFreeSpins: boolean;
};

/** The HTTP response to a callback. `isUnsigned`: the response reports an invalid signature, in the format of the dialect. */
export type WireResponse = { status: number; body: object; isUnsigned?: true };

/** A report of an event that has already happened, which the wallet cannot book. */
export type UnreadReport = {
  reason: 'UNKNOWN_TYPE' | 'UNREADABLE' | 'UNBOOKABLE';
  /** Undefined if the report has no readable id. */
  transactionId?: string | undefined;
  playerId?: string | undefined;
  /** The provider's name for the type of report. */
  type: string;
};

/**
 * A parsed callback: either a call for the wallet, the response that rejects an invalid request, or a report to store for staff. `context`:
 * the part of the message that `answer` needs. `unknown`: names of unknown fields.
 */
export type ReadCallback = { unknown?: readonly string[] } & (
  | { call: WalletCall; context: unknown }
  | { refused: WireResponse }
  | { report: UnreadReport; context: unknown }
);

/** An order for free rounds. `id`: our own reference. */
export type FreeRoundsOrder = {
  id: string;
  userId: number;
  currencyId: string;
  /** The provider's code for the game. */
  gameCode: string;
  rounds: number;
  /** The stake of each round, with the provider's number of decimals. */
  bet: Units;
  validUntil: Date;
};

/** A provider's API for free rounds. Both calls are safe to repeat. */
export type FreeRounds = {
  /**
   * How the provider reports that all rounds have been played: with one transaction that contains the total win (SUM), or with the end of
   * the last round (ROUNDS).
   */
  endBy: 'SUM' | 'ROUNDS';
  /** Orders free rounds. Returns the provider's reference. */
  give(order: FreeRoundsOrder): Promise<string>;
  /**
   * Withdraws the remaining rounds. Unknown rounds are not an error. `reference` is null if it is uncertain whether the provider has them.
   */
  withdraw(order: FreeRoundsOrder, reference: string | null): Promise<void>;
};

/** A game provider. Its methods throw Unanswered or NotSent (platform/net/outbound.ts) if the provider does not respond. */
export type GameProvider = {
  slug: string;
  dialect: 'generic' | 'hub88' | 'softswiss' | 'pragmatic';
  currencies: readonly ProviderCurrency[];
  launchOrigins: readonly string[];
  policy: Policy;
  /** Returns the URL of the game for the player's browser. */
  launch(request: LaunchRequest): Promise<{ url: string }>;
  /** Returns the complete list of the provider's games. */
  list(): Promise<SupplierGame[]>;
  /** Undefined if the dialect does not support free rounds. */
  freeRounds?: FreeRounds;
  /** Returns the provider's transactions from one time (inclusive) to another (exclusive). */
  report(from: Date, to: Date): Promise<ReportedTransaction[]>;
  /** The dialect's paths below the callback URL (`transaction/bet`, `play`, `bet.html`; empty for our own format). */
  actions: readonly string[];
  /** Returns true if the provider signed exactly these bytes. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): boolean;
  /** `action`: one of `actions`. */
  read(action: string, raw: Buffer): ReadCallback;
  answer(action: string, answer: WalletResponse, context: unknown): WireResponse;
};

/** A provider with the id of its row in `game_providers`. */
export type KnownProvider = GameProvider & { id: number };
