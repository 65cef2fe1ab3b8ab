import type { Units } from '../../../../platform/money.ts';
import type { ActionType } from './rules.ts';

/**
 * A provider's call to the wallet in our own terms, translated by its dialect. A call without actions that does not close the round only
 * asks for the player and the balance.
 */
export type WalletCall = {
  /** Our user id as the provider sends it. Empty: the session identifies the player (AUTHENTICATE of Pragmatic Play). */
  playerId: string;
  /** Our currency. Undefined: the session or the round supplies it. */
  currencyId?: string | undefined;
  /** The token of the launch; undefined if none was sent. */
  token?: string | undefined;
  /** The call needs a token (AUTHENTICATE). Without one the response is INVALID_TOKEN. */
  needsSession?: boolean;
  /** The provider's code of the game. */
  gameCode?: string | undefined;
  /** The provider's id of the round. */
  round?: string | undefined;
  /** Booked in order, all or none. */
  actions: readonly Action[];
  /** Ends the round after the actions. */
  closes: boolean;
};

export type Action = {
  type: ActionType;
  /** The provider's id of the transaction, which identifies it permanently. */
  id: string;
  amount: Units;
  isFree?: boolean;
  /** The provider's reference of the free rounds that it belongs to. */
  freeRounds?: string | undefined;
  /** For a ROLLBACK the transaction to reverse. For a WIN the bet that it belongs to, if the dialect names it. */
  reference?: string | undefined;
  /** The provider's type, if several of its types map to one of ours. Part of the content hash. */
  named?: string;
  /** The amount as the provider wrote it, if digits below our smallest unit were cut off. */
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
  /** Our failure: the provider may retry. */
  | 'INTERNAL_ERROR';

/** The result of one action. `id` is the provider's id, `transactionId` is ours. */
export type DoneAction = { id: string; transactionId: string; at: Date; isRepeated: boolean };

export type WalletResponse = {
  status: WalletStatus;
  /** The amount that the player can stake, exactly; null if the player is unknown or the call could not be parsed. */
  balance: Units | null;
  currencyId: string | null;
  /** The player's country (alpha-2), if the call asks for the player. */
  country?: string | null;
  /** Our user id, if the call did not contain it. */
  playerId?: string;
  username?: string;
  /** One for each action of an accepted call, in order. */
  actions: readonly DoneAction[];
  /** All actions had been booked before. */
  isRepeated: boolean;
  /** The provider's references of the free rounds that the call has played or rolled back; undefined if none. */
  freeRounds?: readonly string[] | undefined;
};

/** The rules in which dialects differ. */
export type Policy = {
  /** The balance in the response to a repeated id: the former or the current one. */
  repeatShows: 'then' | 'now';
  /** A ROLLBACK in an ended round corrects its bet; otherwise it is rejected. */
  rollsBackEnded: boolean;
  /** Wins can be rolled back. */
  rollsBackWins: boolean;
  /** Bets can be rolled back although their round has a win. */
  rollsBackWon: boolean;
  /** The status of a transaction that arrives after its rollback. */
  tombstone: 'OK' | 'ROLLED_BACK' | 'TRANSACTION_CONFLICT' | 'ROUND_CLOSED';
  /** A win must name the bet that it belongs to. */
  winsName: boolean;
  /** The provider reports the cash part of its bets. Our bonus money is not staked, and nothing counts towards wagering. */
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
