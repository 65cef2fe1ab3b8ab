import type { Units } from '../../../platform/money.ts';
import type { ActionType } from './rules.ts';

/**
 * What a provider asks of the wallet in one call, in our own terms: the dialects translate theirs to it. No actions and not closing:
 * only who the player is and what they have is asked for.
 */
export type WalletCall = {
  /** Our user id as the provider sends it. Empty: it does not, the session says who plays (AUTHENTICATE of Pragmatic Play). */
  playerId: string;
  /** Our currency. Undefined: the provider does not say; the session or the round does. */
  currencyId?: string | undefined;
  /** Of the launch; undefined: none was sent. */
  token?: string | undefined;
  /** A token is needed, dead or alive (AUTHENTICATE): without a live one the answer is INVALID_TOKEN. */
  needsSession?: boolean;
  /** The provider's name of the game. */
  gameCode?: string | undefined;
  /** The provider's name of the round. */
  round?: string | undefined;
  /** In order, all or nothing. */
  actions: readonly Action[];
  /** The round ends after the actions. */
  closes: boolean;
};

export type Action = {
  type: ActionType;
  /** The provider's id of the transaction: its identity, for ever. */
  id: string;
  amount: Units;
  isFree?: boolean;
  /** What the provider calls the free rounds that it belongs to. */
  freeRounds?: string | undefined;
  /** Of a ROLLBACK: the transaction that is taken back. Of a WIN: the bet that it belongs to, where the dialect says so. */
  reference?: string | undefined;
  /** Part of what it says where one type of ours has several names at the provider. */
  named?: string;
  /** What is kept of it beside (a campaign, the legs of a combination). */
  payload?: object | undefined;
};

/** How a call was decided; each dialect has its own words for it. */
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
  /** The original comes after it was taken back. */
  | 'ROLLED_BACK'
  | 'BAD_SIGNATURE'
  /** Ours: the provider may try again, and finds out then. */
  | 'INTERNAL_ERROR';

/** What came of one action. `id` is the provider's, `transactionId` ours. */
export type DoneAction = { id: string; transactionId: string; at: Date; isRepeated: boolean };

export type WalletAnswer = {
  status: WalletStatus;
  /** What can be staked, to the last unit; null: the player is not known or the call could not be read. */
  balance: Units | null;
  currencyId: string | null;
  /** Of the player, alpha-2, where the call asks who they are. */
  country?: string | null;
  /** Our user id, where the call did not name it. */
  playerId?: string;
  username?: string;
  /** One for each action of a call that was carried out, in its order. */
  actions: readonly DoneAction[];
  /** All of it had been carried out before. */
  isRepeated: boolean;
  /** What the provider calls the free rounds that the call has played, or taken back; undefined: none. */
  freeRounds?: readonly string[] | undefined;
};

/** Where the dialects' rules differ (providers.md 3). */
export type Policy = {
  /** Which balance the answer to a repeated id shows. */
  repeatShows: 'then' | 'now';
  /** A ROLLBACK of a round that has ended: refused (the first end counts), or a correction of its bet. */
  rollsBackEnded: boolean;
  /** Wins can be taken back. */
  rollsBackWins: boolean;
  /** Bets can be taken back although their round has a win. */
  rollsBackWon: boolean;
  /** What the original answers after it was taken back: as if it had been carried out, or the refusal. */
  tombstone: 'OK' | 'ROLLED_BACK' | 'TRANSACTION_CONFLICT' | 'ROUND_CLOSED';
  /** A win names the bet that it belongs to, and is not taken without it. */
  winsName: boolean;
  /** The provider itself says what of its bets is cash: no bonus money of ours is staked, and nothing counts towards its turnover. */
  isCashAlone?: true;
};
