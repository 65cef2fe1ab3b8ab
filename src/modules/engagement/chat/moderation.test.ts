import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import {
  act,
  type Chatter,
  done,
  enter,
  historyOf,
  newWriter,
  ROOM,
  rest,
  saidOf,
  say,
  startChatApi,
  startChatNode,
  textsOf,
} from '../../../../test/kit/engagement/chat.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const api = fixture(startChatApi);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: api.database }));
const one = fixture(() => startChatNode(api));
const two = fixture(() => startChatNode(api));
const boss = fixture(() => api.as('superadmin'));
const moderator = fixture(() => api.as({ permissions: ['chat.moderate'] }));

const HOUR_MS = 3_600_000;
const eventsOf = async (name: string) =>
  (await api.db.selectFrom('events').selectAll().where('name', '=', name).orderBy('id').execute()).map(
    ({ id, user_id, room, data }) => ({ id, user_id, room, data }),
  );
const auditOf = async (by: Player) => {
  const rows = await api.db
    .selectFrom('admin_audit')
    .select(['path', 'status_code', 'before', 'after'])
    .where('user_id', '=', by.id)
    .where('method', '=', 'POST')
    .orderBy('id')
    .execute();
  return rows.map(({ path, status_code, before, after }) => ({ path, status_code, before, after }));
};
/** Sends a message and waits until every socket in the room has received it. */
async function writeTo(
  writer: Player,
  chatters: readonly Chatter[],
): Promise<{ messageId: string; text: string }> {
  const text = `said ${randomUUID()}`;
  await rest(api, writer);
  const { messageId } = await say(chatters[0]!, text);
  for (const chatter of chatters) await chatter.until('chat.message', ({ data }) => data.text === text);
  return { messageId, text };
}
const textsShownTo = async (player: Player): Promise<string[]> => {
  const chatter = await enter(two, player);
  const { messages } = await historyOf(chatter);
  chatter.close();
  return messages.map(({ text }: { text: string }) => text);
};

test('mutes a player in every process from the next message until the given time', async () => {
  const writer = await newWriter(api);
  const chatters = [await enter(one, writer), await enter(two, writer)];
  await writeTo(writer, chatters);
  await done(act(moderator, 'MUTE_USER', { userId: writer.id, seconds: 600 }));
  for (const chatter of chatters) {
    const { error } = await say(chatter, 'muted?');
    expect(error.code).toBe('CHAT_MUTED');
    const { data } = await chatter.until('chat.muted');
    expect(data.until).toBe(error.details.until);
    expect(Date.parse(data.until) - Date.now()).toBeGreaterThan(590_000);
  }
  const untilAt = new Date(Date.now() + HOUR_MS).toISOString();
  for (let times = 0; times < 2; times++)
    await done(act(moderator, 'MUTE_USER', { userId: writer.id, untilAt }));
  expect((await say(chatters[0]!, 'still?')).error.details.until).toBe(untilAt);
  for (let times = 0; times < 2; times++) await done(act(moderator, 'UNMUTE_USER', { userId: writer.id }));
  await writeTo(writer, chatters);
  // Repeating the action emits no event.
  const announced = (await eventsOf('chat.muted')).filter(({ user_id }) => user_id === writer.id);
  expect(announced.map(({ room, data }) => [room, (data as { until: string | null }).until])).toEqual([
    ['user', expect.any(String)],
    ['user', untilAt],
    ['user', null],
  ]);
  // An expired mute no longer applies.
  await done(act(moderator, 'MUTE_USER', { userId: writer.id, seconds: 1 }));
  await expect
    .poll(async () => {
      await rest(api, writer);
      return saidOf(await say(chatters[1]!, randomUUID()));
    })
    .toBe('ok');
  for (const chatter of chatters) chatter.close();
});

test('deletes a message for all players with a single event', async () => {
  const writer = await newWriter(api);
  const chatters = [await enter(one, writer), await enter(two, await newWriter(api))];
  const kept = await writeTo(writer, chatters);
  const { messageId, text } = await writeTo(writer, chatters);
  for (let times = 0; times < 2; times++) await done(act(moderator, 'DELETE_MESSAGE', { messageId }));
  for (const chatter of chatters)
    expect((await chatter.until('chat.deleted')).data).toEqual({ roomId: 'general', messageId });
  const visible = await textsShownTo(writer);
  expect([visible.includes(kept.text), visible.includes(text)]).toEqual([true, false]);
  const deletions = (await eventsOf('chat.deleted')).filter(
    ({ data }) => (data as { messageId: string }).messageId === messageId,
  );
  expect(deletions).toMatchObject([{ user_id: 0, room: ROOM }]);
  // Events do not contain the message text, neither in the table nor at the broker.
  expect(JSON.stringify((await eventsOf('chat.message')).map(({ data }) => data))).not.toContain('said');
  for (const chatter of chatters) chatter.close();
});

test('clears a room for all players, and shows messages that are written after that', async () => {
  const writer = await newWriter(api);
  const chatters = [await enter(one, writer), await enter(two, await newWriter(api))];
  await writeTo(writer, chatters);
  for (let times = 0; times < 2; times++) await done(act(moderator, 'CLEAR_ROOM', { roomId: 'general' }));
  for (const chatter of chatters)
    expect((await chatter.until('chat.cleared')).data).toEqual({ roomId: 'general' });
  expect(await textsShownTo(writer)).toEqual([]);
  const { text } = await writeTo(writer, chatters);
  expect(await textsShownTo(writer)).toEqual([text]);
  for (const chatter of chatters) chatter.close();
});

test('limits each player to one message per interval in a room with slow mode', async () => {
  const rooms = [
    { id: 'general', name: 'General' },
    { id: 'slow', name: 'Slow' },
  ];
  const configured = await boss.call('PATCH', '/admin/config/COMMON', { body: { chat: { rooms } } });
  expect(configured.status).toBe(200);
  const [writer, other] = [await newWriter(api), await newWriter(api)];
  const chatter = await enter(one, writer);
  const room = 'chat:slow';
  await expect.poll(async () => saidOf(await chatter.ask('subscribe', { room }))).toBe('ok');
  const slow = (seconds: number, roomId = 'slow') => act(moderator, 'SET_SLOW_MODE', { roomId, seconds });
  await done(slow(3600));
  await done(slow(3600, room));
  expect((await chatter.until('chat.slow-mode')).data).toEqual({ roomId: 'slow', seconds: 3600 });
  await chatter.ask('subscribe', { room });
  expect(await historyOf(chatter, 'slow')).toMatchObject({ slowModeSeconds: 3600 });
  expect(saidOf(await say(chatter, 'first', { room }))).toBe('ok');
  const ago = (minutes: number) =>
    api.sql`update chat_messages set created_at = now() - ${minutes} * interval '1 minute' where user_id = ${writer.id}`.execute(
      api.db,
    );
  await ago(50);
  const early = await say(chatter, 'second', { room });
  expect(early.error.code).toBe('CHAT_SLOW_MODE');
  expect(early.error.details.retryAfterSeconds).toBeGreaterThan(590);
  expect(early.error.details.retryAfterSeconds).toBeLessThanOrEqual(600);
  expect(saidOf(await say(chatter, 'elsewhere'))).toBe('ok');
  const second = await enter(two, other, { rooms: [room] });
  await expect.poll(async () => saidOf(await say(second, 'another player', { room }))).toBe('ok');
  await ago(61);
  expect(saidOf(await say(chatter, 'second', { room }))).toBe('ok');
  await done(slow(0));
  await ago(1);
  expect(saidOf(await say(chatter, 'third', { room }))).toBe('ok');
  const changes = (await eventsOf('chat.slow-mode')).map(({ data }) => (data as { seconds: number }).seconds);
  expect(changes).toEqual([3600, 0]);
  for (const each of [chatter, second]) each.close();
});

describe('messages of staff', () => {
  const send = (by: Player, text: string, key: string = randomUUID()) =>
    by.call('POST', '/admin/chat/admin-action', {
      body: { action: 'SEND_MESSAGE', args: { roomId: 'general', text } },
      headers: { 'Idempotency-Key': key },
    });

  test('delivers a message that is marked as written by staff to every process, and records it', async () => {
    const support = await api.as({ permissions: ['chat.moderate'] });
    const player = await newWriter(api);
    const chatters = [await enter(one, player), await enter(two, player)];
    await done(act(boss, 'SET_SLOW_MODE', { roomId: 'general', seconds: 3600 }));
    const [text, key] = [`answer ${randomUUID()}`, randomUUID()];
    for (let times = 0; times < 2; times++) await done(send(support, text, key));
    for (const chatter of chatters) {
      const { data } = await chatter.until('chat.message', (frame) => frame.data.text === text);
      expect(data).toMatchObject({ isStaff: true, user: { id: support.id }, tip: null });
    }
    await rest(api, support);
    await done(send(support, `${text} again`));
    await done(act(boss, 'SET_SLOW_MODE', { roomId: 'general', seconds: 0 }));
    await chatters[0]!.until('chat.message', (frame) => frame.data.text === `${text} again`);
    expect(textsOf(chatters[0]!).filter((said) => said.startsWith(text))).toEqual([text, `${text} again`]);
    const late = await enter(one, await newWriter(api));
    const { messages } = await historyOf(late);
    expect(messages.find((message: { text: string }) => message.text === text)).toMatchObject({
      isStaff: true,
    });
    const [first, repeated] = await auditOf(support);
    expect(first).toMatchObject({ status_code: 201, before: { roomId: 'general' }, after: { text } });
    expect(repeated!.before).toEqual(repeated!.after);
    const listed = await moderator.call('GET', `/admin/chat/messages?userId=${support.id}`);
    expect(listed.body.map((message: { isStaff: boolean }) => message.isStaff)).toEqual([true, true]);
    for (const chatter of [...chatters, late]) chatter.close();
  });

  test('applies the rate limits, mutes and the switch of the chat to staff, and rejects a reused key', async () => {
    const support = await api.as({ permissions: ['chat.moderate'] });
    const key = randomUUID();
    await done(send(support, 'once', key));
    expect(codeOf(await send(support, 'twice'))).toBe('429 CHAT_TOO_FAST');
    expect(codeOf(await send(support, 'other', key))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    await rest(api, support);
    await done(act(boss, 'MUTE_USER', { userId: support.id, seconds: 60 }));
    expect(codeOf(await send(support, 'muted'))).toBe('403 CHAT_MUTED');
    await done(act(boss, 'UNMUTE_USER', { userId: support.id }));
    await api.db.updateTable('users').set({ can_use_chat: false }).where('id', '=', support.id).execute();
    expect(codeOf(await send(support, 'barred'))).toBe('403 CHAT_NOT_ALLOWED');
    const enable = (isChatEnabled: boolean) =>
      boss.call('PATCH', '/admin/config/COMMON', { body: { isChatEnabled } });
    await enable(false);
    expect(codeOf(await send(await api.as({ permissions: ['chat.moderate'] }), 'off'))).toBe(
      '403 CHAT_DISABLED',
    );
    await enable(true);
    expect(codeOf(await send(await api.as({ permissions: [] }), 'no right'))).toBe('403 FORBIDDEN');
  });

  test('never takes a message of staff for one that the same person wrote as a player with the same key', async () => {
    const writer = await api.as({ permissions: ['chat.moderate'] });
    await api.db.updateTable('users').set({ email_verified: true }).where('id', '=', writer.id).execute();
    const chatter = await enter(one, writer);
    const [asStaff, asPlayer] = [randomUUID(), randomUUID()];
    await done(send(writer, 'by staff', asStaff));
    expect(saidOf(await say(chatter, 'by staff', { key: asStaff }))).toBe('IDEMPOTENCY_KEY_REUSED');
    await rest(api, writer);
    expect(saidOf(await say(chatter, 'by a player', { key: asPlayer }))).toBe('ok');
    expect(codeOf(await send(writer, 'by a player', asPlayer))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    chatter.close();
  });

  test('sends a message without an Idempotency-Key', async () => {
    const support = await api.as({ permissions: ['chat.moderate'] });
    await done(act(support, 'SEND_MESSAGE', { roomId: 'general', text: 'without a key' }));
    await rest(api, support);
    await done(send(support, 'with a key'));
    const listed = await moderator.call('GET', `/admin/chat/messages?userId=${support.id}`);
    expect(listed.body.map(({ text }: { text: string }) => text)).toEqual(['with a key', 'without a key']);
  });

  test('does not mark a message as staff if a member of staff writes it as a player', async () => {
    const writer = await newWriter(api);
    await api.db.updateTable('users').set({ is_staff: true }).where('id', '=', writer.id).execute();
    const chatter = await enter(one, writer);
    const { text } = await writeTo(writer, [chatter]);
    const { data } = await chatter.until('chat.message', (frame) => frame.data.text === text);
    expect(data.isStaff).toBe(false);
    chatter.close();
  });
});

describe('moderation by staff', () => {
  test('records every action, including repeated ones, in the audit log with the previous and new values', async () => {
    const by = await api.as({ permissions: ['chat.moderate'] });
    const writer = await newWriter(api);
    const chatter = await enter(one, writer);
    const { messageId } = await writeTo(writer, [chatter]);
    const untilAt = new Date(Date.now() + HOUR_MS).toISOString();
    const userId = writer.id;
    await done(act(by, 'MUTE_USER', { userId, untilAt }));
    await done(act(by, 'MUTE_USER', { userId, untilAt }));
    await done(act(by, 'UNMUTE_USER', { userId }));
    await done(act(by, 'DELETE_MESSAGE', { messageId }));
    await done(act(by, 'DELETE_MESSAGE', { messageId }));
    await done(act(by, 'SET_SLOW_MODE', { roomId: 'general', seconds: 5 }));
    await done(act(by, 'SET_SLOW_MODE', { roomId: 'general', seconds: 0 }));
    await done(act(by, 'CLEAR_ROOM', { roomId: 'general' }));
    const about = { messageId, roomId: 'general', userId };
    const slow = (slowModeSeconds: number) => ({ roomId: 'general', slowModeSeconds });
    const cleared = { roomId: 'general', clearedTo: expect.any(String) };
    const changes = (await auditOf(by)).map(({ before, after }) => [before, after]);
    expect(changes).toEqual([
      [
        { userId, mutedUntil: null },
        { userId, mutedUntil: untilAt },
      ],
      [
        { userId, mutedUntil: untilAt },
        { userId, mutedUntil: untilAt },
      ],
      [
        { userId, mutedUntil: untilAt },
        { userId, mutedUntil: null },
      ],
      [
        { ...about, isDeleted: false },
        { ...about, isDeleted: true },
      ],
      [
        { ...about, isDeleted: true },
        { ...about, isDeleted: true },
      ],
      [slow(0), slow(5)],
      [slow(5), slow(0)],
      [cleared, cleared],
    ]);
    expect(new Set((await auditOf(by)).map(({ path, status_code }) => `${status_code} ${path}`))).toEqual(
      new Set(['201 /admin/chat/admin-action']),
    );
    chatter.close();
  });

  test('offers the same moderation in the backoffice at a different path', async () => {
    const writer = await newWriter(api);
    const chatter = await enter(one, writer);
    const call = (action: string, args: object) =>
      act(
        {
          call: (method, path, options) =>
            backoffice.call(method, path, { token: moderator.token, ...options }),
        },
        action,
        args,
        '/chat/admin-action',
      );
    await done(call('MUTE_USER', { userId: writer.id, seconds: 60 }));
    expect(saidOf(await say(chatter, 'x'))).toBe('CHAT_MUTED');
    expect(codeOf(await call('NOTHING', {}))).toBe('400 CHAT_ACTION_UNKNOWN');
    expect((await backoffice.call('GET', '/chat/messages', { token: moderator.token })).status).toBe(404);
    chatter.close();
  });

  test('requires the permission to moderate', async () => {
    const clerk = await api.as({ permissions: ['user.read'] });
    const args = { roomId: 'general' };
    expect(codeOf(await act(clerk, 'CLEAR_ROOM', args))).toBe('403 FORBIDDEN');
    expect(codeOf(await act(await newWriter(api), 'CLEAR_ROOM', args))).toBe('403 FORBIDDEN');
    expect(codeOf(await act(api, 'CLEAR_ROOM', args))).toBe('401 UNAUTHORIZED');
    for (const by of [clerk, await newWriter(api)])
      expect(codeOf(await by.call('GET', '/admin/chat/messages'))).toBe('403 FORBIDDEN');
    expect(codeOf(await api.call('GET', '/admin/chat/messages'))).toBe('401 UNAUTHORIZED');
  });

  const later = (ms: number) => new Date(Date.now() + ms).toISOString();
  test.each<[name: string, action: string, args: () => object, code: string]>([
    ['an unknown action', 'BAN_USER', () => ({ userId: 1 }), '400 CHAT_ACTION_UNKNOWN'],
    ['the name of an inherited property', 'toString', () => ({}), '400 CHAT_ACTION_UNKNOWN'],
    ['no user', 'MUTE_USER', () => ({ seconds: 60 }), '400 VALIDATION_FAILED'],
    ['no time', 'MUTE_USER', () => ({ userId: 1 }), '400 VALIDATION_FAILED'],
    [
      'two times',
      'MUTE_USER',
      () => ({ userId: 1, seconds: 1, untilAt: later(60_000) }),
      '400 VALIDATION_FAILED',
    ],
    ['zero seconds', 'MUTE_USER', () => ({ userId: 1, seconds: 0 }), '400 VALIDATION_FAILED'],
    ['half a second', 'MUTE_USER', () => ({ userId: 1, seconds: 0.5 }), '400 VALIDATION_FAILED'],
    ['longer than a year', 'MUTE_USER', () => ({ userId: 1, seconds: 31_536_001 }), '400 VALIDATION_FAILED'],
    [
      'a time in the past',
      'MUTE_USER',
      () => ({ userId: 1, untilAt: later(-1000) }),
      '400 VALIDATION_FAILED',
    ],
    [
      'a time in two years',
      'MUTE_USER',
      () => ({ userId: 1, untilAt: later(800 * 24 * HOUR_MS) }),
      '400 VALIDATION_FAILED',
    ],
    ['an invalid time', 'MUTE_USER', () => ({ userId: 1, untilAt: 'tomorrow' }), '400 VALIDATION_FAILED'],
    ['an unknown argument', 'UNMUTE_USER', () => ({ userId: 1, roomId: 'general' }), '400 VALIDATION_FAILED'],
    ['a user id as text', 'UNMUTE_USER', () => ({ userId: '1' }), '400 VALIDATION_FAILED'],
    ['an unknown user', 'UNMUTE_USER', () => ({ userId: 2_000_000_000 }), '404 USER_NOT_FOUND'],
    ['an unknown user', 'MUTE_USER', () => ({ userId: 2_000_000_000, seconds: 60 }), '404 USER_NOT_FOUND'],
    ['no message', 'DELETE_MESSAGE', () => ({}), '400 VALIDATION_FAILED'],
    ['a message id as a number', 'DELETE_MESSAGE', () => ({ messageId: 7 }), '400 VALIDATION_FAILED'],
    [
      'a message id that is too long',
      'DELETE_MESSAGE',
      () => ({ messageId: '9'.repeat(19) }),
      '400 VALIDATION_FAILED',
    ],
    ['an unknown message', 'DELETE_MESSAGE', () => ({ messageId: '7' }), '404 CHAT_MESSAGE_NOT_FOUND'],
    ['an unknown room', 'SEND_MESSAGE', () => ({ roomId: 'nowhere', text: 'x' }), '404 CHAT_ROOM_NOT_FOUND'],
    ['no text', 'SEND_MESSAGE', () => ({ roomId: 'general' }), '400 VALIDATION_FAILED'],
    ['a key', 'SEND_MESSAGE', () => ({ roomId: 'general', text: 'x', key: 'k' }), '400 VALIDATION_FAILED'],
    ['an empty text', 'SEND_MESSAGE', () => ({ roomId: 'general', text: ' ' }), '400 CHAT_TEXT_EMPTY'],
    [
      'a text that is too long',
      'SEND_MESSAGE',
      () => ({ roomId: 'general', text: 'x'.repeat(201) }),
      '400 CHAT_TEXT_TOO_LONG',
    ],
    [
      'a very long text',
      'SEND_MESSAGE',
      () => ({ roomId: 'general', text: 'x'.repeat(9000) }),
      '400 CHAT_TEXT_TOO_LONG',
    ],
    ['a link', 'SEND_MESSAGE', () => ({ roomId: 'general', text: 'https://bet.example' }), '400 CHAT_LINK'],
    ['no room', 'CLEAR_ROOM', () => ({}), '400 VALIDATION_FAILED'],
    ['an unknown room', 'CLEAR_ROOM', () => ({ roomId: 'cellar' }), '404 CHAT_ROOM_NOT_FOUND'],
    ['the name of a prototype', 'CLEAR_ROOM', () => ({ roomId: '__proto__' }), '404 CHAT_ROOM_NOT_FOUND'],
    [
      'a room of another kind',
      'SET_SLOW_MODE',
      () => ({ roomId: 'public', seconds: 1 }),
      '404 CHAT_ROOM_NOT_FOUND',
    ],
    ['no seconds', 'SET_SLOW_MODE', () => ({ roomId: 'general' }), '400 VALIDATION_FAILED'],
    [
      'negative seconds',
      'SET_SLOW_MODE',
      () => ({ roomId: 'general', seconds: -1 }),
      '400 VALIDATION_FAILED',
    ],
    [
      'more than an hour',
      'SET_SLOW_MODE',
      () => ({ roomId: 'general', seconds: 3601 }),
      '400 VALIDATION_FAILED',
    ],
  ])('rejects %s in %s', async (_, action, args, code) => {
    const response = await act(moderator, action, args());
    expect(codeOf(response)).toBe(code);
    if (code === '400 VALIDATION_FAILED') expect(response.body.details.fields[0].path).toMatch(/^args/);
  });

  test('rejects malformed bodies, and staff who mute themselves or a superadmin', async () => {
    const args = { userId: moderator.id, seconds: 60 };
    expect(codeOf(await act(moderator, 'MUTE_USER', args))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await act(moderator, 'UNMUTE_USER', { userId: moderator.id }))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await act(moderator, 'MUTE_USER', { ...args, userId: boss.id }))).toBe('403 FORBIDDEN');
    const send = (body: object) => moderator.call('POST', '/admin/chat/admin-action', { body });
    for (const body of [
      {},
      { action: 'CLEAR_ROOM' },
      { args: {} },
      { action: 'CLEAR_ROOM', args: [] },
      { action: 7, args: {} },
    ])
      expect(codeOf(await send(body))).toBe('400 VALIDATION_FAILED');
  });
});

test('lists messages, including deleted ones, with their authors for staff', async () => {
  const writer = await newWriter(api);
  const chatters = [await enter(one, writer)];
  await api.db.updateTable('users').set({ is_private: true }).where('id', '=', writer.id).execute();
  const written: Written[] = [];
  for (let i = 0; i < 3; i++) written.push(await writeTo(writer, chatters));
  const [first, second, third] = written as [Written, Written, Written];
  await done(act(moderator, 'DELETE_MESSAGE', { messageId: second.messageId }));
  const list = async (query: string) => {
    const { status, body } = await moderator.call('GET', `/admin/chat/messages?${query}`);
    expect(status).toBe(200);
    return body;
  };
  const all = await list(`userId=${writer.id}`);
  expect(all.map(({ id, text, isShown }: any) => [id, text, isShown])).toEqual([
    [third.messageId, third.text, true],
    [second.messageId, second.text, false],
    [first.messageId, first.text, true],
  ]);
  expect(all[1]).toEqual({
    id: second.messageId,
    roomId: 'general',
    user: expect.objectContaining({ id: writer.id, username: writer.username }),
    text: second.text,
    isStaff: false,
    tipId: null,
    createdAt: expect.any(String),
    isShown: false,
    deletedAt: expect.any(String),
    deletedBy: expect.objectContaining({ id: moderator.id }),
    mutedUntil: null,
  });
  await done(act(moderator, 'MUTE_USER', { userId: writer.id, seconds: 60 }));
  expect((await list(`userId=${writer.id}`))[0].mutedUntil).toEqual(expect.any(String));
  await done(act(moderator, 'UNMUTE_USER', { userId: writer.id }));
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
  expect(ids(await list(`userId=${writer.id}&roomId=general&take=1`))).toEqual([third.messageId]);
  expect(ids(await list(`userId=${writer.id}&before=${second.messageId}`))).toEqual([first.messageId]);
  expect(ids(await list(`userId=${writer.id}&roomId=other`))).toEqual([]);
  expect(ids(await list('roomId=chat:general&take=3'))).toEqual(ids(all));
  expect(ids(await list('take=3'))).toEqual(ids(all));
  for (const query of ['take=0', 'take=101', 'before=x', 'userId=x', 'more=1'])
    expect((await moderator.call('GET', `/admin/chat/messages?${query}`)).body.code).toBe(
      'VALIDATION_FAILED',
    );
  await done(act(moderator, 'CLEAR_ROOM', { roomId: 'general' }));
  expect((await list(`userId=${writer.id}`)).map(({ isShown }: any) => isShown)).toEqual([
    false,
    false,
    false,
  ]);
  for (const chatter of chatters) chatter.close();
});
type Written = { messageId: string; text: string };

test('never resends deleted or cleared messages to a socket that reconnects', async () => {
  const writer = await newWriter(api);
  const reader = await newWriter(api);
  const own = await enter(one, writer);
  const before = await enter(one, reader);
  const { messageId: seen } = await writeTo(writer, [own, before]);
  const lastSeq = before.heard.at(-1)!.seq;
  before.close();
  const missed: Written[] = [];
  for (let i = 0; i < 4; i++) missed.push(await writeTo(writer, [own]));
  for (const messageId of [seen, missed[1]!.messageId])
    await done(act(moderator, 'DELETE_MESSAGE', { messageId }));
  await own.until('chat.deleted', ({ data }) => data.messageId === missed[1]!.messageId);

  const after = await enter(two, reader, { lastSeq });
  const kept = [missed[0]!.text, missed[2]!.text, missed[3]!.text];
  expect(textsOf(after)).toEqual(kept);
  expect(
    after.heard.filter(({ event }) => event === 'chat.deleted').map(({ data }) => data.messageId),
  ).toEqual([seen, missed[1]!.messageId]);
  expect((await historyOf(after)).messages.slice(-3).map(({ text }: Written) => text)).toEqual(kept);
  expect(JSON.stringify(after.heard)).not.toContain(missed[1]!.text);
  after.close();

  await done(act(moderator, 'CLEAR_ROOM', { roomId: 'general' }));
  await own.until('chat.cleared', ({ seq }) => seq > Number(missed[3]!.messageId));
  const { text } = await writeTo(writer, [own]);
  const again = await enter(two, reader, { lastSeq });
  expect(textsOf(again)).toEqual([text]);
  expect((await historyOf(again)).messages.map((message: Written) => message.text)).toEqual([text]);
  const seqs = again.heard.filter(({ event }) => event.startsWith('chat.') && event !== 'chat.history');
  expect(seqs.map(({ seq }) => seq)).toEqual(seqs.map(({ seq }) => seq).toSorted((a, b) => a - b));
  for (const chatter of [own, again]) chatter.close();
});
