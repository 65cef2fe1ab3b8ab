import { type AsyncApi, asyncApi, type SentEvent } from '../http/docs/asyncapi.ts';
import { ChatMessage } from '../modules/engagement/chat/schemas.ts';
import { DERIVED_EVENTS } from '../modules/operations/feed/schemas.ts';
import { CLIENT_MESSAGES, Frame, ROOM_SUMMARIES, SERVER_EVENTS } from '../realtime/protocol.ts';
import { Handshake } from '../realtime/schemas.ts';
import { DECLARATIONS } from './areas.ts';

const DESCRIPTION =
  'Live events. Every frame is `{ event, seq, at, data }` and is emitted under the name of its event. Amounts are decimal strings. Times ' +
  'are ISO 8601 in UTC. Frames with the tag `state` contain the current state and replace earlier frames of the same event. All other ' +
  'frames arrive once, in the order of `seq`. To receive missed frames after an interruption, send the last `seq` as `lastSeq` in the ' +
  'handshake. Clients cannot place bets or move money over a socket.';

/** Room names with placeholders, in the form that clients use. */
const ADDRESSES: Readonly<Record<string, string>> = { user: 'user:{userId}', chat: 'chat:{roomId}' };

const declared = DECLARATIONS.events;
const sent = Object.fromEntries(Object.entries(declared).filter(([, { room }]) => room !== 'internal'));

/**
 * All events that a socket may receive. A state frame (`isState`) contains the current state and supersedes earlier ones. Every other event
 * is sent once and in order, even after an interruption. The event log stores only the room of a chat message, but clients receive the
 * whole message.
 */
export const events = Object.fromEntries(
  Object.entries<SentEvent>({
    ...DERIVED_EVENTS,
    ...sent,
    'chat.message': { ...declared['chat.message']!, data: ChatMessage },
    ...SERVER_EVENTS,
  }).map(([name, event]) => [name, { ...event, room: ADDRESSES[event.room] ?? event.room }]),
);

/** Returns the AsyncAPI document of the sockets. */
export const socketDocument = (): AsyncApi =>
  asyncApi(
    { title: 'Croupier Realtime', description: DESCRIPTION },
    { frame: Frame, handshake: Handshake, rooms: ROOM_SUMMARIES, events, messages: CLIENT_MESSAGES },
  );
