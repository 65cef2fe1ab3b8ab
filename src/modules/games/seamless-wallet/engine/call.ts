import type { Units } from '../../../../platform/money.ts';
import type { ActionType } from './rules.ts';

/**
 * A provider's call to the wallet in the platform's own format, translated by the dialect. A call without actions that does not close the
 * round only requests the player and the balance.
 */
export type WalletCall = {
  /** Our user id as the provider sends it. Empty if the session identifies the player (AUTHENTICATE of Pragmatic Play). */
  playerId: string;
  /** Our currency, or undefined if the session or the round determines it. */
  currencyId?: string | undefined;
  /** The token of the launch; undefined if the call contains no token. */
  token?: string | undefined;
  /** True if the call needs a token (AUTHENTICATE). Without a token the response is INVALID_TOKEN. */
  needsSession?: boolean;
  /** The provider's code for the game. */
  gameCode?: string | undefined;
  /** The provider's id for the round. */
  round?: string | undefined;
  /** Either all of these actions are booked, in this order, or none. */
  actions: readonly Action[];
  /** True if the round ends after the actions. */
  closes: boolean;
};

export type Action = {
  type: ActionType;
  /** The provider's transaction id, which permanently identifies the transaction. */
  id: string;
  amount: Units;
  isFree?: boolean;
  /** The provider's reference for the free rounds that the transaction belongs to. */
  freeRounds?: string | undefined;
  /** The transaction that a ROLLBACK reverses, or the bet that a WIN belongs to, if the dialect sends it. */
  reference?: string | undefined;
  /** The provider's transaction type, if several of its types map to one of ours. Part of the content hash. */
  named?: string;
  /** The amount as the provider sent it, set if digits below our smallest unit were truncated. */
  said?: string | undefined;
  /** Further data to store (a campaign, the legs of a combination bet). */
  payload?: object | undefined;
};

/** The outcome of a call. Each dialect translates it. */
export type WalletStatus =
  | 'OK'
  | 'INVALID_REQUEST'
  | 'INVALID_TYPE'
  | 'INVALID_CURRENCY'
  | 'INVALID_TOKEN'
  | 'TOKEN_EXPIRED'
  | 'PLAYER_NOT_FOUND'
  | 'PLAYER_BLOCKED'
  | 'LIMIT_EXCEEDED'
  | 'GAME_UNAVAILABLE'
  | 'INSUFFICIENT_FUNDS'
  | 'ROUND_CLOSED'
  | 'TRANSACTION_NOT_FOUND'
  | 'TRANSACTION_CONFLICT'
  /** The transaction arrived after its rollback. */
  | 'ROLLED_BACK'
  | 'BAD_SIGNATURE'
  /** An error on our side. The provider may retry. */
  | 'INTERNAL_ERROR';

/** The result of one action. `id` is the provider's id, `transactionId` is ours. */
export type DoneAction = { id: string; transactionId: string; at: Date; isRepeated: boolean };

export type WalletResponse = {
  status: WalletStatus;
  /** The amount that the player can stake, unrounded; null if the player is unknown or the call could not be parsed. */
  balance: Units | null;
  currencyId: string | null;
  /** The player's country (alpha-2), if the call requests player data. */
  country?: string | null;
  /** Our user id, if the call did not contain it. */
  playerId?: string;
  username?: string;
  /** One result for each action of an accepted call, in order. */
  actions: readonly DoneAction[];
  /** True if all actions had already been booked by an earlier call. */
  isRepeated: boolean;
  /** The provider's references for the free rounds that the call has played or rolled back; undefined if there are no such rounds. */
  freeRounds?: readonly string[] | undefined;
};

/** The rules in which dialects differ. */
export type Policy = {
  /** Which balance the response to a repeated transaction id contains: the original one or the current one. */
  repeatShows: 'then' | 'now';
  /** True if a ROLLBACK in an ended round corrects the round's bet; otherwise it is rejected. */
  rollsBackEnded: boolean;
  /** True if wins can be rolled back. */
  rollsBackWins: boolean;
  /** True if bets can be rolled back after their round has a win. */
  rollsBackWon: boolean;
  /** The status of a transaction that arrives after its rollback. */
  tombstone: 'OK' | 'ROLLED_BACK' | 'TRANSACTION_CONFLICT' | 'ROUND_CLOSED';
  /** True if a win must contain the id of its bet. */
  winsName: boolean;
  /**
   * True if the provider reports the cash part of its bets. The platform's bonus money then cannot be staked, and bets do not count towards
   * wagering.
   */
  isCashAlone?: true;
};

/** Returns a response without balance and actions. */
export const emptyResponse = (status: WalletStatus): WalletResponse => ({
  status,
  balance: null,
  currencyId: null,
  actions: [],
  isRepeated: false,
});
