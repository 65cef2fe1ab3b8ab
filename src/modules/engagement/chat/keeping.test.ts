import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  enter,
  newWriter,
  rest,
  say,
  startChatApi,
  startChatNode,
} from '../../../../test/kit/engagement/chat.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { createPool, transaction } from '../../../platform/database/db.ts';
import type { DB } from '../../../platform/database/tables.ts';
import { AppError } from '../../../platform/errors.ts';
import { silentLog } from '../../../platform/observability/log.ts';
import { readMessagesForStaff } from './list.ts';
import { eraseMessages, lockMessages, purgeChat, readHistories, readMessages } from './service.ts';
import { createQueue } from './write.ts';

const api = fixture(startChatApi);
const node = fixture(() => startChatNode(api));

const fill = (userId: number, count: number) =>
  sql`insert into chat_messages (id, room_id, user_id, key, text)
    select nextval('ledger_ids'), 'general', ${userId}, 'fill ' || n, 'text ' || n from generate_series(1, ${count}::int) n`.execute(
    api.db,
  );

test('deletes messages after thirty days, and mutes once they have ended', async () => {
  const { id } = await newWriter(api);
  await fill(id, 3);
  const age = (interval: string, text: string) =>
    sql`update chat_messages set created_at = now() - ${interval}::interval where user_id = ${id} and text = ${text}`.execute(
      api.db,
    );
  await age('30 days 1 minute', 'text 1');
  await age('29 days 23 hours', 'text 2');
  await sql`insert into chat_mutes (user_id, muted_until) values (${id}, now() - interval '1 second')`.execute(
    api.db,
  );
  await purgeChat(api.services.db);
  const left = await api.db
    .selectFrom('chat_messages')
    .select('text')
    .where('user_id', '=', id)
    .orderBy('id')
    .execute();
  expect(left.map(({ text }) => text)).toEqual(['text 2', 'text 3']);
  expect(await api.db.selectFrom('chat_mutes').selectAll().where('user_id', '=', id).execute()).toEqual([]);
});

test('erases the messages of a closed account and notifies sockets', async () => {
  const writer = await newWriter(api);
  const chatter = await enter(node, writer);
  const { messageId } = await say(chatter, 'something personal');
  await transaction(api.services.db, async (tx) => {
    await lockMessages(tx, writer.id);
    await eraseMessages(tx, writer.id);
  });
  expect((await chatter.until('chat.deleted')).data).toEqual({ roomId: 'general', messageId });
  const rows = await api.db
    .selectFrom('chat_messages')
    .selectAll()
    .where('user_id', '=', writer.id)
    .execute();
  expect(rows).toMatchObject([{ text: '', key: null, deleted_at: expect.any(Date) }]);
  await rest(api, writer);
  chatter.close();
});

test('reads every message list through an index', async () => {
  const { id } = await newWriter(api);
  await fill(id, 20_000);
  await sql`insert into chat_messages (id, room_id, user_id, key, text)
    select nextval('ledger_ids'), 'other', ${(await newWriter(api)).id}, 'k' || n, 'x' from generate_series(1, 20000) n`.execute(
    api.db,
  );
  await sql`analyze chat_messages`.execute(api.db);
  const bounds = { connectTimeoutMs: 5000, statementTimeoutMs: 20_000 };
  const pool = createPool(
    { connectionString: api.database.url, poolSize: 2, name: 'plans', ...bounds },
    silentLog,
  );
  const sent: CompiledQuery[] = [];
  const watched = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void sent.push(query),
  });
  const newest = await readMessagesForStaff(watched, { userId: id, roomId: 'general', take: 50 });
  await readMessagesForStaff(watched, { take: 50 });
  await readMessagesForStaff(watched, { roomId: 'general', before: String(newest[9]!.id), take: 50 });
  await readMessages(
    watched,
    newest.map((message) => message.id),
  );
  expect((await readHistories(watched, ['general'], newest[0]!.id)).get('general')!.messages).toHaveLength(
    50,
  );
  await pool.end();
  for (const { sql: text, parameters } of sent) {
    const { rows } = await api.db.executeQuery<{ 'QUERY PLAN': string }>(
      CompiledQuery.raw(`explain (costs off) ${text}`, [...parameters]),
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toContain('Seq Scan on chat_messages');
  }
  expect(sent.length).toBeGreaterThanOrEqual(5);
});

test('rejects only the message that cannot be written, and rejects waiting messages when the queue closes', async () => {
  const batches: string[][] = [];
  let goOn: () => void = () => undefined;
  const queue = createQueue(async (drafts) => {
    const texts = drafts.map(({ text }) => text);
    batches.push(texts);
    if (texts[0]!.startsWith('wait')) await new Promise<void>((resolve) => (goOn = resolve));
    if (texts.includes('poison')) throw new Error('cannot be written');
    return texts.map((text) =>
      text === 'refused' ? new AppError(403, 'NO', 'x') : { messageId: text, at: '' },
    );
  });
  const add = (userId: number, text: string) =>
    queue.add({ userId, text, ip: '', roomId: 'general', key: text }).then(
      ({ messageId }) => messageId,
      (error) => error.code ?? error.message,
    );
  const first = [add(1, 'wait'), add(2, 'other lane')];
  await expect.poll(() => batches.length).toBe(2);
  await first[1];
  const rest = [add(3, 'a'), add(4, 'poison'), add(5, 'refused'), add(3, 'b')];
  expect(await Promise.all(rest)).toEqual(['a', 'cannot be written', 'NO', 'b']);
  // A batch contains at most one message per player.
  for (const batch of batches) expect(batch.includes('a') && batch.includes('b')).toBe(false);
  const waiting = [add(1, 'second'), add(1, 'third'), add(1, 'fourth')];
  await expect(async () => add(1, 'fifth')).rejects.toMatchObject({ code: 'CHAT_TOO_FAST' });
  const closed = queue.close();
  expect(await Promise.all(waiting)).toEqual(Array(3).fill('SERVICE_UNAVAILABLE'));
  goOn();
  await closed;
  expect(await first[0]).toBe('wait');
  await expect(async () => add(6, 'late')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('serializes a message once for all sockets', async () => {
  const writer = await newWriter(api);
  const chatters = await Promise.all(Array.from({ length: 15 }, () => enter(node, writer)));
  const { stringify } = JSON;
  let times = 0;
  JSON.stringify = ((value: unknown, ...rest: []) => {
    if (Array.isArray(value) && value[0] === 'chat.message') times++;
    return stringify(value, ...rest);
  }) as typeof JSON.stringify;
  try {
    await rest(api, writer);
    await say(chatters[0]!, 'once for all');
    for (const chatter of chatters)
      await chatter.until('chat.message', ({ data }) => data.text === 'once for all');
  } finally {
    JSON.stringify = stringify;
  }
  expect(times).toBe(1);
  for (const chatter of chatters) chatter.close();
});
