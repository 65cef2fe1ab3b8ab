import type { z } from 'zod';
import { jsonSchema } from './json-schema.ts';

type Json = Record<string, unknown>;

/** An event that the server sends, with its room and the schema of `data`. */
export type SentEvent = { room: string; summary: string; data: z.ZodType; isState?: boolean };
/** A message that a client sends, and the schema of its acknowledgement. */
export type TakenMessage = { summary: string; body: z.ZodType; answer: z.ZodType };

/** The complete socket protocol. */
export type Protocol = {
  /** The schema of the envelope of every event: `{ event, seq, at, data }`. */
  frame: z.ZodType;
  /** The `auth` object of the handshake. */
  handshake: z.ZodType;
  rooms: Readonly<Record<string, string>>;
  events: Readonly<Record<string, SentEvent>>;
  messages: Readonly<Record<string, TakenMessage>>;
};

export type AsyncApi = {
  asyncapi: '3.0.0';
  info: { title: string; version: string; description: string };
  channels: Record<string, Json>;
  components: { messages: Record<string, Json>; schemas: Record<string, Json> } & Json;
  [key: string]: unknown;
};

const PATH = '/socket.io';

/** Returns the AsyncAPI 3.0.0 document of the sockets, generated from the schemas that validate their messages. */
export function asyncApi(
  info: { title: string; description: string },
  { frame, handshake, rooms, events, messages }: Protocol,
): AsyncApi {
  const schemas: Record<string, Json> = {};
  schemas.Frame = schemaOf(frame, 'output', schemas);
  schemas.Handshake = schemaOf(handshake, 'input', schemas);
  const sent = Object.entries(events).map(
    ([name, event]) => [name, sentMessage(name, event, schemas)] as const,
  );
  const taken = Object.entries(messages).map(
    ([name, message]) => [name, takenMessage(name, message, schemas)] as const,
  );
  const answers = Object.entries(messages).map(
    ([name, { answer }]) => [answerOf(name), answerMessage(name, answer, schemas)] as const,
  );
  const namesIn = (room: string) => Object.keys(events).filter((name) => events[name]!.room === room);
  const channels = Object.entries(rooms).map(
    ([room, summary]) => [keyOf(room), channel(room, summary, namesIn(room))] as const,
  );
  const own = Object.keys(messages).flatMap((name) => [name, answerOf(name)]);
  return {
    asyncapi: '3.0.0',
    info: { ...info, version: '1.0' },
    defaultContentType: 'application/json',
    servers: {
      realtime: {
        host: 'realtime.example.com',
        pathname: PATH,
        protocol: 'wss',
        description: 'The server uses Socket.IO 4. Clients should try WebSocket before long polling.',
        security: [{ $ref: '#/components/securitySchemes/socketToken' }],
      },
    },
    channels: {
      ...Object.fromEntries(channels),
      messages: channel('', 'Messages that clients send, and their acknowledgements.', own),
    },
    operations: {
      ...Object.fromEntries(
        Object.keys(rooms).map((room) => [`send.${keyOf(room)}`, sends(room, namesIn(room))]),
      ),
      ...Object.fromEntries(Object.keys(messages).map((name) => [`receive.${name}`, receives(name)])),
    },
    components: {
      messages: Object.fromEntries([...sent, ...taken, ...answers]),
      schemas,
      securitySchemes: {
        socketToken: {
          type: 'userPassword',
          description:
            'Send the socket token returned by POST /auth/sign-in as `auth.socket_token` in the handshake. Browsers can send it in the ' +
            'cookie `socket_token` or `access_token` instead. If several tokens are sent, the server uses the first one in this order. If ' +
            '`APP_ENV` is not `local`, cookie names begin with `__Host-`.',
        },
      },
    },
  };
}

/** Returns the key of a room's channel, such as `user` for `user:{userId}`. */
const keyOf = (room: string): string => room.replace(/:\{.*$/, '').replaceAll(':', '.');
const answerOf = (name: string): string => `${name}.answer`;
const refs = (channelKey: string, names: readonly string[]) =>
  names.map((name) => ({ $ref: `#/channels/${channelKey}/messages/${name}` }));

/** Descriptions of the placeholders in room names. */
const PARAMETERS: Readonly<Record<string, string>> = {
  userId: 'The user that the room belongs to. Clients can enter only their own room.',
  roomId: 'The id of a chat room.',
};

function channel(room: string, summary: string, names: readonly string[]): Json {
  const parameters = [...room.matchAll(/\{(\w+)\}/g)].map(
    ([, name]) => [name!, { description: PARAMETERS[name!] ?? '' }] as const,
  );
  return {
    address: room || PATH,
    description: summary,
    messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
    ...(parameters.length > 0 ? { parameters: Object.fromEntries(parameters) } : {}),
  };
}

const sends = (room: string, names: readonly string[]): Json => ({
  action: 'send',
  channel: { $ref: `#/channels/${keyOf(room)}` },
  summary: `Events sent to the sockets in ${room}.`,
  messages: refs(keyOf(room), names),
});

const receives = (name: string): Json => ({
  action: 'receive',
  channel: { $ref: '#/channels/messages' },
  messages: refs('messages', [name]),
  reply: { channel: { $ref: '#/channels/messages' }, messages: refs('messages', [answerOf(name)]) },
});

/** Describes one event inside the common envelope. */
function sentMessage(
  name: string,
  { summary, data, isState }: SentEvent,
  schemas: Record<string, Json>,
): Json {
  return {
    name,
    summary,
    ...(isState ? { tags: [{ name: 'state' }] } : {}),
    payload: {
      type: 'object',
      required: ['event', 'seq', 'at', 'data'],
      additionalProperties: false,
      properties: {
        ...(schemas.Frame!.properties as Json),
        event: { const: name },
        data: schemaOf(data, 'output', schemas),
      },
    },
  };
}

const takenMessage = (
  name: string,
  { summary, body }: TakenMessage,
  schemas: Record<string, Json>,
): Json => ({ name, summary, payload: schemaOf(body, 'input', schemas) });

const answerMessage = (name: string, answer: z.ZodType, schemas: Record<string, Json>): Json => ({
  name: answerOf(name),
  summary: `Acknowledges ${name}.`,
  payload: schemaOf(answer, 'output', schemas),
});

const schemaOf = (schema: z.ZodType, io: 'input' | 'output', schemas: Record<string, Json>): Json =>
  jsonSchema(schema, { io, target: 'draft-7' }, schemas);
