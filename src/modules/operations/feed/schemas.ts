import { z } from 'zod';
import { Amount, CurrencyId, Id } from '../../../http/schemas.ts';
import { ChatHistory } from '../../engagement/chat/schemas.ts';
import { LiveBetRow } from '../../games/bets/schemas.ts';
import { ShownBet } from '../../games/house-games/speed-roulette/schemas.ts';

/** A row of GET /live-bets/my with the bet's id in the field `betId`, as in other responses (for example that of POST …/bet). */
const SettledBet = LiveBetRow.omit({ id: true, isSimulated: true })
  .extend({ betId: Id.meta({ description: 'The id returned when the bet was placed.' }) })
  .meta({ id: 'SettledBet' });

/** Events that no module emits. The feed derives them from bets and wallet changes. */
export const DERIVED_EVENTS = {
  'balance.updated': {
    room: 'user',
    isState: true,
    summary:
      'The current balances of a wallet. `version` only increases. Ignore a frame with a lower version than the last one.',
    data: z.strictObject({
      currencyId: CurrencyId,
      amount: Amount.meta({ description: 'The cash balance.' }),
      vault: Amount,
      version: z.number().int().min(0),
    }),
  },
  'bet.settled': {
    room: 'user',
    summary:
      'A bet of the player was settled or rolled back. The data has the form of a row of GET /live-bets/my.',
    data: SettledBet,
  },
  'live-bets.new': {
    room: 'public',
    isState: true,
    summary:
      'At most ten bets that were settled since the last frame, newest first. Rows have the same form as in GET /live-bets and ' +
      'include simulated bets (`isSimulated`). Hidden players are masked.',
    data: z.strictObject({ bets: z.array(LiveBetRow) }),
  },
  'speed-roulette.bet': {
    room: 'game:speed-roulette',
    isState: true,
    summary:
      'Bets of the round, oldest first. ADDED contains new bets. ALL replaces all earlier bets of the round. `more` is the number ' +
      'of omitted bets; the info operation of the game returns them.',
    data: z.strictObject({
      roundId: Id,
      mode: z.enum(['ADDED', 'ALL']),
      bets: z.array(ShownBet),
      more: z.number().int().min(0),
    }),
  },
  'chat.history': {
    room: 'chat',
    isState: true,
    summary:
      'The current state of a chat room with its newest messages. Sent to a socket that enters the room.',
    data: ChatHistory,
  },
} as const;

export type DerivedName = keyof typeof DERIVED_EVENTS;
export type DerivedData<N extends DerivedName> = z.input<(typeof DERIVED_EVENTS)[N]['data']>;
