import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Client, connect, type Frame, Refusal } from '../../client/client.ts';
import { times } from '../kit/length.ts';
import { newName, type Platform, startPlatform, tellOnFailure } from './platform.ts';

const KILLS = times('CLUSTER_CHAT_KILLS', 2, 10);
const WRITERS = 16;
const ROOM = 'chat:general';

type Writer = {
  id: number;
  client: Client;
  messages: Frame<'chat.message'>[];
  deleted: Frame<'chat.deleted'>[];
  histories: number;
  resyncs: number;
};

let platform: Platform;
const clients: Client[] = [];
tellOnFailure(() => platform);

beforeAll(async () => {
  platform = await startPlatform({ parts: ['api', 'realtime', 'realtime'] });
}, 120_000);
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => platform?.stop());

const signIn = async (username: string) =>
  (await platform.insist('POST', `/debug/auth/login/${username}`)).body as {
    accessToken: { token: string };
    socketToken: { token: string };
  };

/** Creates a player whose client is connected through the load balancer, is in the room, and records received events. */
async function enter(username: string): Promise<Writer> {
  const { token } = (await signIn(username)).accessToken;
  const { body } = await platform.insist('GET', '/user/me', { token });
  await platform.insist('POST', '/debug/user/action', { body: { userId: body.id, action: 'VERIFY_EMAIL' } });
  const client = connect({
    url: platform.cluster.balanced('realtime'),
    token: async () => (await signIn(username)).socketToken.token,
    rooms: [ROOM],
  });
  clients.push(client);
  const writer: Writer = { id: body.id, client, messages: [], deleted: [], histories: 0, resyncs: 0 };
  client.on('chat.message', (_data, frame) => void writer.messages.push(frame));
  client.on('chat.deleted', (_data, frame) => void writer.deleted.push(frame));
  client.on('chat.history', () => void writer.histories++);
  client.onResync(() => void writer.resyncs++);
  await vi.waitFor(() => expect(writer.histories).toBe(1), { timeout: 20_000 });
  return writer;
}

/** Sends the message again with the same key until it is acknowledged, because a lost response leaves its outcome unknown. */
async function insist({ client }: Writer, text: string, key: string): Promise<string> {
  for (;;) {
    try {
      return (await client.send(ROOM, text, key)).messageId;
    } catch (error) {
      if (error instanceof Refusal && error.code !== 'SERVICE_UNAVAILABLE') {
        expect([error.code, error.details]).toEqual([
          'CHAT_TOO_FAST',
          { retryAfterSeconds: expect.any(Number) },
        ]);
        await sleep(100);
      } else await sleep(300);
    }
  }
}

test(`delivers each message once and in the same order to everyone when realtime processes are killed ${KILLS} times`, async () => {
  const { cluster, boss } = platform;
  const writers: Writer[] = [];
  for (let i = 0; i < WRITERS; i++) writers.push(await enter(newName('chat')));
  const said = new Map<string, string>();
  let isTalking = true;
  const talk = async (writer: Writer) => {
    for (let n = 0; isTalking; n++) {
      const text = `message ${n} of ${writer.id}`;
      said.set(await insist(writer, text, `k${n}`), text);
    }
  };
  const talking = Promise.all(writers.map(talk));
  const deleted = new Set<string>();
  const remove = async () => {
    const messageId = [...said.keys()].findLast((id) => !deleted.has(id))!;
    deleted.add(messageId);
    const body = { action: 'DELETE_MESSAGE', args: { messageId } };
    const { status } = await platform.insist('POST', '/admin/chat/admin-action', { token: boss.token, body });
    expect(status).toBe(201);
  };
  await vi.waitFor(() => expect(said.size).toBeGreaterThan(WRITERS), { timeout: 30_000 });
  for (let i = 0; i < KILLS; i++) {
    const before = said.size;
    try {
      await cluster.kill(`realtime-${1 + (i % 2)}`);
      // The room and its moderation continue to work on the other process.
      await vi.waitFor(() => expect(said.size).toBeGreaterThan(before + WRITERS), { timeout: 60_000 });
      await remove();
    } finally {
      await cluster.heal();
    }
    await expect.poll(() => cluster.serving('realtime').length, { timeout: 10_000 }).toBe(2);
    await remove();
  }
  isTalking = false;
  await talking;

  const stored = await platform.onDb((db) =>
    db.selectFrom('chat_messages').select(['id', 'text', 'user_id']).orderBy('id').execute(),
  );
  // All acknowledged messages were stored, and no others.
  expect(new Map(stored.map(({ id, text }) => [String(id), text]))).toEqual(said);
  const ids = stored.map(({ id }) => String(id));
  for (const writer of writers) {
    const heard = () => writer.messages.map(({ data }) => data.id);
    const isThere = (id: string) => heard().includes(id) || deleted.has(id);
    await vi.waitFor(() => expect(ids.filter((id) => !isThere(id))).toEqual([]), { timeout: 20_000 });
    // A client that was disconnected during a deletion did not receive the event. All other clients received it once and in order.
    expect(heard()).toEqual(ids.filter((id) => heard().includes(id)));
    for (const { data, seq } of writer.messages)
      expect([data.text, String(seq)]).toEqual([said.get(data.id), data.id]);
    await vi.waitFor(() => expect(writer.deleted.map(({ data }) => data.messageId)).toEqual([...deleted]), {
      timeout: 20_000,
    });
    expect(writer.resyncs).toBe(0);
  }
  expect(writers.some(({ histories }) => histories > 1)).toBe(true);
  console.log(`${ids.length} messages of ${WRITERS} players heard over ${KILLS} kills`);
}, 600_000);
