import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { PATIENCE, type Player, startApp, type TestApp } from '../app.ts';
import { connectSocket } from '../http/sockets.ts';
import { newTipper as newVerified } from './tips.ts';

export type Chatter = Awaited<ReturnType<typeof connectSocket>>;

export const ROOM = 'chat:general';

/** Settings with which the service trusts a local proxy, so that tests can choose the IP address of a socket. */
const ENV = { TRUSTED_PROXIES: '127.0.0.1', ...PATIENCE };
export const startChatApi = () => startApp({ env: ENV });
export const startChatNode = ({ database }: TestApp, env: Record<string, string> = {}) =>
  startApp({ part: 'realtime', database, env: { ...ENV, ...env } });

/** Creates a player who may write messages. */
export const newWriter = (api: TestApp, usdt = 0): Promise<Player> => newVerified(api, usdt);

type Entry = { rooms?: readonly string[]; lastSeq?: number; ip?: string };

/** Connects a socket that enters the room. */
export const enter = (
  node: Pick<TestApp, 'url'>,
  { socketToken }: Pick<Player, 'socketToken'>,
  { rooms = [ROOM], lastSeq, ip }: Entry = {},
): Promise<Chatter> =>
  connectSocket(node.url, {
    auth: { socket_token: socketToken, rooms, ...(lastSeq === undefined ? {} : { lastSeq }) },
    ...(ip === undefined ? {} : { headers: { 'x-forwarded-for': ip } }),
  });

type Message = { room?: string; key?: string };

export const say = (
  { ask }: Pick<Chatter, 'ask'>,
  text: string,
  { room = ROOM, key = randomUUID() }: Message = {},
) => ask('chat.send', { room, text, key });

/** Returns `ok` or the error code. */
export const saidOf = (answer: { ok: boolean; error?: { code: string } }): string =>
  answer.ok ? 'ok' : answer.error!.code;

/** Moves a player's messages two hours back, so that no rate limit applies. */
export const rest = ({ sql, db }: TestApp, { id }: Player) =>
  sql`update chat_messages set created_at = created_at - interval '2 hours' where user_id = ${id}`.execute(
    db,
  );

/** Returns the texts of the received messages, in order. */
export const textsOf = ({ heard }: Pick<Chatter, 'heard'>): string[] =>
  heard.flatMap(({ event, data }) => (event === 'chat.message' ? [data.text] : []));

/** Returns the latest history of a room that a socket received. */
export const historyOf = async (chatter: Chatter, room = 'general') => {
  await chatter.until('chat.history', ({ data }) => data.roomId === room);
  return chatter.heard.findLast(({ event, data }) => event === 'chat.history' && data.roomId === room)!.data;
};

/** Performs a staff action through the main API. */
export const act = (
  by: Pick<Player, 'call'>,
  action: string,
  args: object,
  path = '/admin/chat/admin-action',
) => by.call('POST', path, { body: { action, args } });

export const done = async (answer: Promise<{ status: number; text: string }>): Promise<void> => {
  const { status, text } = await answer;
  expect(status, text).toBe(201);
};
