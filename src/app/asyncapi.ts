import { type AsyncApi, asyncApi, type SentEvent } from '../http/docs/asyncapi.ts';
import { CATALOGUE } from '../modules/operations/feed/schemas.ts';
import { CLIENT_MESSAGES, Frame, ROOM_SUMMARIES, SERVER_EVENTS } from '../realtime/protocol.ts';
import { Handshake } from '../realtime/schemas.ts';

const DESCRIPTION =
  'What happens, as it happens. Every frame is `{ event, seq, at, data }` and goes out under the name of its event. Amounts are decimal ' +
  'strings, times ISO 8601 in UTC. Frames with the tag `state` say how things are now and supersede what was before; all others come each ' +
  'once, in the order of `seq`, also after an interruption: hand in the last `seq` as `lastSeq` with the handshake. Nothing is bought, ' +
  'played or moved over a socket.';

/** Rooms with a placeholder, in the form that clients use. */
const ADDRESSES: Readonly<Record<string, string>> = { user: 'user:{userId}', chat: 'chat:{roomId}' };

/** All events that a socket may receive. */
export const events = Object.fromEntries(
  Object.entries<SentEvent>({ ...CATALOGUE, ...SERVER_EVENTS }).map(([name, event]) => [
    name,
    { ...event, room: ADDRESSES[event.room] ?? event.room },
  ]),
);

/** Returns the AsyncAPI document of the sockets. */
export const socketDocument = (): AsyncApi =>
  asyncApi(
    { title: 'Croupier Realtime', description: DESCRIPTION },
    { frame: Frame, handshake: Handshake, rooms: ROOM_SUMMARIES, events, messages: CLIENT_MESSAGES },
  );
