import { z } from 'zod';
import { MESSAGES } from './schemas.ts';

const Seq = z.int().min(0);
const At = z.iso.datetime({ precision: 3 });

/** The envelope of every event. */
export const Frame = z.strictObject({
  event: z.string(),
  seq: Seq.meta({
    description: 'One number line over all rooms and servers: where this stands, or up to where it holds.',
  }),
  at: At,
  data: z.unknown(),
});

/** The rooms, as clients name them. */
export const ROOM_SUMMARIES = {
  'user:{userId}': 'What is one player’s own. Every socket is in its player’s room.',
  public: 'For everybody who is signed in. Every socket is in it from the start.',
  'game:speed-roulette': 'The round that all play together.',
  admin: 'For staff.',
  'chat:{roomId}':
    'What is written in a room of the chat; GET /config/USER lists the rooms. Who enters one is told `chat.history` first.',
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
    summary: 'The socket is in its rooms, and was told what it had missed.',
    data: z.strictObject({ rooms: z.array(z.string()) }),
  },
  resync: {
    room: 'user:{userId}',
    summary:
      'What was missed cannot be told: too long ago, too much, or more than is told within a minute. How things are follows, then `ready`; lists are read anew over HTTP.',
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
      'Be told what was missed since a seq: first that, in order, then how things are now. `RESUME_LIMITED` says in details.retryAfterSeconds when it may be asked again.',
    body: MESSAGES.resume,
    answer: z.union([z.strictObject({ ok: z.literal(true), frames: Seq, seq: Seq }), Refused]),
  },
  'chat.send': {
    summary:
      'Write a message of 200 characters at most in a room of the chat; acknowledged once it is written. The same key and text are the same message.',
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
