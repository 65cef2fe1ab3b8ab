import { z } from 'zod';
import { MESSAGES } from './schemas.ts';

const Seq = z.int().min(0);
const At = z.iso.datetime({ precision: 3 });

/** The envelope of every event. */
export const Frame = z.strictObject({
  event: z.string(),
  seq: Seq.meta({
    description:
      "A position in the single event sequence of all rooms and servers. For an event it is the event's own position. For a state " +
      'it is the position of the last event that the state includes.',
  }),
  at: At,
  data: z.unknown(),
});

/** Room names in the form that clients use. */
export const ROOM_SUMMARIES = {
  'user:{userId}': 'Events of one player. Every socket is in the room of its player.',
  public: 'Events for all signed-in users. Every socket is in this room from the start.',
  'game:speed-roulette': 'Events of the shared rounds of speed-roulette.',
  admin: 'Events for staff.',
  'chat:{roomId}':
    'Messages of a chat room. GET /config/USER lists the rooms. A socket that enters a room receives `chat.history` first.',
} as const;

const Problem = z.strictObject({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});

/** Events about the connection itself, sent to one socket. */
export const SERVER_EVENTS = {
  ready: {
    room: 'user:{userId}',
    summary: 'The socket has entered its rooms and has received all missed frames.',
    data: z.strictObject({ rooms: z.array(z.string()) }),
  },
  resync: {
    room: 'user:{userId}',
    summary:
      'The server cannot send the missed frames: they are too old or too many, or the limit per minute is reached. The current ' +
      'state follows, then `ready`. Load lists again over HTTP.',
    data: z.strictObject({}),
  },
  error: {
    room: 'user:{userId}',
    summary: 'The server rejected a message or a request to join a room.',
    data: Problem,
  },
} as const;

const Refused = z.strictObject({ ok: z.literal(false), error: Problem });
const Done = z.union([z.strictObject({ ok: z.literal(true) }), Refused]);

/** Messages that a client may send, with their acknowledgements. */
export const CLIENT_MESSAGES = {
  subscribe: {
    summary: 'Enter a room.',
    body: MESSAGES.subscribe,
    answer: Done,
  },
  unsubscribe: { summary: 'Leave a room.', body: MESSAGES.unsubscribe, answer: Done },
  resume: {
    summary:
      'Request the frames missed since a given seq, in order, and then the current state. After `RESUME_LIMITED`, retry after ' +
      'details.retryAfterSeconds.',
    body: MESSAGES.resume,
    answer: z.union([z.strictObject({ ok: z.literal(true), frames: Seq, seq: Seq }), Refused]),
  },
  'chat.send': {
    summary:
      'Send a message of at most 200 characters to a chat room. The message is acknowledged once it is stored. A message with the ' +
      'same key and text is stored only once.',
    body: MESSAGES['chat.send'],
    answer: z.union([
      z.strictObject({
        ok: z.literal(true),
        messageId: z.string().meta({ description: 'The id of the message, as in `chat.message`.' }),
        at: At,
      }),
      Refused,
    ]),
  },
  ping: {
    summary: "Request the server's time and the last seq that the server has read.",
    body: MESSAGES.ping,
    answer: z.union([z.strictObject({ at: At, seq: Seq }), Refused]),
  },
} as const;
