import { z } from 'zod';
import { MESSAGES } from './schemas.ts';

const Seq = z.int().min(0);
const At = z.iso.datetime({ precision: 3 });

/** The envelope of every event. */
export const Frame = z.strictObject({
  event: z.string(),
  seq: Seq.meta({
    description:
      'The position in one sequence over all rooms and servers: of this event, or of the last event that a state includes.',
  }),
  at: At,
  data: z.unknown(),
});

/** The rooms, as clients name them. */
export const ROOM_SUMMARIES = {
  'user:{userId}': 'Events of one player. Every socket is in the room of its player.',
  public: 'For all signed-in users. Every socket is in it from the start.',
  'game:speed-roulette': 'The shared rounds of speed roulette.',
  admin: 'For staff.',
  'chat:{roomId}':
    'Messages of a chat room; GET /config/USER lists the rooms. A socket that enters one receives `chat.history` first.',
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
    summary: 'The socket is in its rooms and has received the frames that it had missed.',
    data: z.strictObject({ rooms: z.array(z.string()) }),
  },
  resync: {
    room: 'user:{userId}',
    summary:
      'The missed frames cannot be sent: they are too old or too many, or the limit per minute is reached. The current state follows, then `ready`. Read lists again over HTTP.',
    data: z.strictObject({}),
  },
  error: {
    room: 'user:{userId}',
    summary: 'A message or a room was refused.',
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
      'Receive the frames missed since a seq, in order, then the current state. After `RESUME_LIMITED`, retry when details.retryAfterSeconds have passed.',
    body: MESSAGES.resume,
    answer: z.union([z.strictObject({ ok: z.literal(true), frames: Seq, seq: Seq }), Refused]),
  },
  'chat.send': {
    summary:
      'Write a message of at most 200 characters in a chat room. It is acknowledged once it is stored. A repeated key with the same text is the same message.',
    body: MESSAGES['chat.send'],
    answer: z.union([
      z.strictObject({
        ok: z.literal(true),
        messageId: z.string().meta({ description: 'As in `chat.message`.' }),
        at: At,
      }),
      Refused,
    ]),
  },
  ping: {
    summary: 'Ask for the time and how far the server has read.',
    body: MESSAGES.ping,
    answer: z.union([z.strictObject({ at: At, seq: Seq }), Refused]),
  },
} as const;
