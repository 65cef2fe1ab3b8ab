import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { PERSON } from '../../../../test/kit/accounts/kyc.ts';
import type { Player } from '../../../../test/kit/app.ts';
import {
  type Chatter,
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
import { IN_FRANCE } from '../../../../test/kit/engagement/tips.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { storeUnderage } from '../../compliance/kyc/queries.ts';

const api = fixture(startChatApi);
const one = fixture(() => startChatNode(api));
const two = fixture(() => startChatNode(api));
const boss = fixture(() => api.as('superadmin'));

const changeUser = ({ id }: Player, fields: object) =>
  api.db.updateTable('users').set(fields).where('id', '=', id).execute();
const configure = async (fields: object) =>
  expect((await boss.call('PATCH', '/admin/config/COMMON', { body: fields })).status).toBe(200);

/** Sends messages one after another, as soon as the rate limit allows, and returns the outcomes. */
async function saidBy(player: Player, chatter: Chatter, texts: readonly string[]): Promise<string[]> {
  const codes: string[] = [];
  for (const text of texts) {
    await rest(api, player);
    codes.push(saidOf(await say(chatter, text)));
  }
  return codes;
}

test('delivers each message once and in order to everyone in the room in every process, and stores the message in the history', async () => {
  const [writer, other] = [await newWriter(api), await newWriter(api)];
  const chatters = [await enter(one, writer), await enter(one, other), await enter(two, other)];
  const text = `hello ${randomUUID()}`;
  const sent = await say(chatters[0]!, text);
  expect(sent).toEqual({ ok: true, messageId: expect.any(String), at: expect.any(String) });
  expect(saidOf(await say(chatters[2]!, `${text} too`))).toBe('ok');
  for (const chatter of chatters) {
    const { seq, data } = await chatter.until('chat.message', (frame) => frame.data.text === text);
    expect(String(seq)).toBe(sent.messageId);
    expect(data).toEqual({
      id: sent.messageId,
      roomId: 'general',
      user: { id: writer.id, username: writer.username, avatar: null, vipLevel: 0, isPrivate: false },
      text,
      isStaff: false,
      tip: null,
      createdAt: sent.at,
    });
    await chatter.until('chat.message', (frame) => frame.data.text === `${text} too`);
    expect(textsOf(chatter).filter((said) => said.startsWith(text))).toEqual([text, `${text} too`]);
  }
  const late = await enter(two, await newWriter(api));
  const { messages, slowModeSeconds } = await historyOf(late);
  expect(messages.slice(-2).map((message: { text: string }) => message.text)).toEqual([text, `${text} too`]);
  expect(slowModeSeconds).toBe(0);
  // The history arrives before the confirmation that the socket is ready.
  const events = late.heard.map(({ event }) => event);
  expect(events.indexOf('chat.history')).toBeLessThan(events.indexOf('ready'));
  for (const chatter of [...chatters, late]) chatter.close();
});

test('keeps messages of different rooms apart, and lets sockets join and leave rooms', async () => {
  const rooms = [
    { id: 'general', name: 'General' },
    { id: 'de', name: 'Deutsch' },
  ];
  await configure({ chat: { rooms } });
  expect((await api.call('GET', '/config/USER')).body.chat.rooms).toEqual(rooms);
  const writer = await newWriter(api);
  const [german, general] = [await enter(one, await newWriter(api), { rooms: [] }), await enter(one, writer)];
  await expect
    .poll(async () => saidOf(await german.ask('subscribe', { room: 'chat:de' })), { timeout: 5000 })
    .toBe('ok');
  expect(await historyOf(german, 'de')).toEqual({ roomId: 'de', slowModeSeconds: 0, messages: [] });
  for (const room of ['chat:fr', 'chat:', 'chat', 'chat:DE', 'chat:de ', 'chat:__proto__', 'chat:chat:de'])
    expect([room, saidOf(await german.ask('subscribe', { room }))]).toEqual([room, 'ROOM_NOT_FOUND']);
  expect(saidOf(await say(general, 'Hallo', { room: 'chat:de' }))).toBe('ok');
  await german.until('chat.message', ({ data }) => data.roomId === 'de' && data.text === 'Hallo');
  expect(textsOf(general)).not.toContain('Hallo');
  expect(saidOf(await german.ask('unsubscribe', { room: 'chat:de' }))).toBe('ok');
  await rest(api, writer);
  expect(saidOf(await say(general, 'Noch da?', { room: 'chat:de' }))).toBe('ok');
  await rest(api, writer);
  expect(saidOf(await say(general, 'general only'))).toBe('ok');
  await general.until('chat.message', ({ data }) => data.text === 'general only');
  expect(textsOf(german)).toEqual(['Hallo']);
  for (const room of ['chat:fr', 'general', 'public', `user:${writer.id}`])
    expect([room, saidOf(await say(general, 'x', { room }))]).toEqual([room, 'CHAT_ROOM_NOT_FOUND']);
  for (const rooms of [[], [{ id: 'A', name: 'A' }], [...Array(2)].map(() => ({ id: 'a', name: 'A' }))])
    expect((await boss.call('PATCH', '/admin/config/COMMON', { body: { chat: { rooms } } })).body.code).toBe(
      'VALIDATION_FAILED',
    );
  await configure({ chat: { rooms: rooms.slice(0, 1) } });
  for (const chatter of [german, general]) chatter.close();
});

test('sends the newest fifty messages in order to a socket that enters a room', async () => {
  const writer = await newWriter(api);
  await api.sql`insert into chat_messages (id, room_id, user_id, key, text)
    select nextval('ledger_ids'), 'general', ${writer.id}, 'k' || n, 'old ' || n from generate_series(1, 60) n`.execute(
    api.db,
  );
  const chatter = await enter(two, writer);
  await expect
    .poll(async () => {
      await chatter.ask('subscribe', { room: ROOM });
      return (await historyOf(chatter)).messages.map(({ text }: { text: string }) => text);
    })
    .toEqual(Array.from({ length: 50 }, (_, i) => `old ${i + 11}`));
  chatter.close();
});

describe('idempotency keys', () => {
  test('returns the same message for the same key and text, and rejects the key with a different text', async () => {
    const writer = await newWriter(api);
    const [first, second] = [await enter(one, writer), await enter(two, writer)];
    expect(saidOf(await say(first, 'x', { key: 'with a space' }))).toBe('VALIDATION_FAILED');
    const results = await Promise.all(
      [first, second, first].map((chatter) => say(chatter, 'just once', { key: 'k1' })),
    );
    expect(results[0]).toMatchObject({ ok: true });
    expect(results).toEqual(results.map(() => results[0]));
    expect(await say(second, '  just\u200b  once ', { key: 'k1' })).toEqual(results[0]);
    expect(saidOf(await say(second, 'twice', { key: 'k1' }))).toBe('IDEMPOTENCY_KEY_REUSED');
    await first.until('chat.message', ({ data }) => data.text === 'just once');
    const stored = await api.db
      .selectFrom('chat_messages')
      .select('text')
      .where('user_id', '=', writer.id)
      .execute();
    expect(stored).toEqual([{ text: 'just once' }]);
    // Different players can use the same key.
    const other = await newWriter(api);
    const third = await enter(one, other);
    const own = await say(third, 'just once', { key: 'k1' });
    expect([saidOf(own), own.messageId === results[0].messageId]).toEqual(['ok', false]);
    for (const chatter of [first, second, third]) chatter.close();
  });

  test('does not use up the key of a rejected message', async () => {
    const writer = await newWriter(api);
    const chatter = await enter(one, writer);
    expect(saidOf(await say(chatter, 'first'))).toBe('ok');
    expect(saidOf(await say(chatter, 'second', { key: 'again' }))).toBe('CHAT_TOO_FAST');
    await rest(api, writer);
    expect(saidOf(await say(chatter, 'second', { key: 'again' }))).toBe('ok');
    chatter.close();
  });
});

describe('the text of a message', () => {
  test('keeps markup in messages as plain text, and removes invisible characters and stacked marks', async () => {
    const writer = await newWriter(api);
    const chatter = await enter(one, writer);
    const texts: Record<string, string> = {
      '<img src=x onerror=alert(1)>': '<img src=x onerror=alert(1)>',
      '"><script>alert(document cookie)</script>': '"><script>alert(document cookie)</script>',
      '{{7*7}} <%= 7*7 %> &lt;b&gt;': '{{7*7}} <%= 7*7 %> &lt;b&gt;',
      'bo\u202eld\u202c \u200bmove\ufeff': 'bold move',
      'one\n\n\ttwo\u2028three\u0000\u0007': 'one two three',
      [`z${'\u0301\u0316'.repeat(20)}algo`]: `\u017a${'\u0316'.repeat(4)}algo`,
      "'; drop table users; --": "'; drop table users; --",
    };
    for (const [typed, expected] of Object.entries(texts)) {
      await rest(api, writer);
      const { messageId } = await say(chatter, typed);
      const { data } = await chatter.until('chat.message', (frame) => frame.data.id === messageId);
      expect(data.text).toBe(expected);
    }
    chatter.close();
  });

  test.each<[name: string, text: string, code: string]>([
    ['an empty text', '', 'CHAT_TEXT_EMPTY'],
    ['only invisible characters', ' \u200b\u2800\u3164\n', 'CHAT_TEXT_EMPTY'],
    ['200 graphemes of several code points', '👨‍👩‍👧'.repeat(100) + 'é'.repeat(100), 'ok'],
    ['201 characters', 'a'.repeat(201), 'CHAT_TEXT_TOO_LONG'],
    ['one endless grapheme', '👩‍'.repeat(900), 'CHAT_TEXT_TOO_LONG'],
    ['a link', 'look at https://bet.example', 'CHAT_LINK'],
    ['a bare domain', 'bet.example has it', 'CHAT_LINK'],
    ['a disguised domain', 'bet (dot) com', 'CHAT_LINK'],
    ['an IP address', '10.0.0.1:8080', 'CHAT_LINK'],
  ])('accepts or rejects a message with %s', async (_, text, code) => {
    const chatter = await enter(one, await newWriter(api));
    expect(saidOf(await say(chatter, text))).toBe(code);
    chatter.close();
  });

  test('rejects a malformed socket message', async () => {
    const chatter = await enter(one, await newWriter(api));
    const good = { room: ROOM, text: 'x', key: 'k' };
    for (const body of [
      undefined,
      {},
      { ...good, text: 7 },
      { ...good, key: '' },
      { ...good, key: 'x'.repeat(65) },
      { ...good, key: 'ключ' },
      { ...good, more: 1 },
      { room: ROOM, text: 'x' },
    ])
      expect(saidOf(await chatter.ask('chat.send', body))).toBe('VALIDATION_FAILED');
    expect(saidOf(await chatter.ask('chat.send', good, good))).toBe('VALIDATION_FAILED');
    chatter.close();
  });
});

describe('rate limits', () => {
  test('allows one message every two seconds, twenty per minute, and no repetition within 30 seconds, across processes', async () => {
    const writer = await newWriter(api);
    const [first, second] = [await enter(one, writer), await enter(two, writer)];
    expect(saidOf(await say(first, 'one'))).toBe('ok');
    const soon = await say(second, 'two');
    expect(soon.error).toMatchObject({ code: 'CHAT_TOO_FAST', details: { retryAfterSeconds: 2 } });
    const ago = (seconds: number) =>
      api.sql`update chat_messages set created_at = now() - ${seconds} * interval '1 second' where user_id = ${writer.id}`.execute(
        api.db,
      );
    await ago(10);
    const same = await say(second, 'ONE');
    expect(same.error.code).toBe('CHAT_REPEATED');
    expect(same.error.details.retryAfterSeconds).toBeLessThanOrEqual(20);
    expect(saidOf(await say(second, 'two'))).toBe('ok');
    await ago(40);
    expect(saidOf(await say(second, 'one'))).toBe('ok');
    for (let n = 3; n < 20; n++) {
      await ago(40);
      expect(saidOf(await say(n % 2 ? first : second, `message ${n}`))).toBe('ok');
    }
    await ago(40);
    expect(saidOf(await say(first, 'the twentieth'))).toBe('CHAT_TOO_FAST');
    await ago(61);
    expect(saidOf(await say(first, 'the twentieth'))).toBe('ok');
    for (const chatter of [first, second]) chatter.close();
  });

  test('accepts only one of several concurrent messages from two processes', async () => {
    const writer = await newWriter(api);
    const chatters = await Promise.all([one, two, one, two].map((node) => enter(node, writer)));
    const results = await Promise.all(chatters.map((chatter, i) => say(chatter, `parallel ${i}`)));
    expect(results.map(saidOf).sort()).toEqual(['CHAT_TOO_FAST', 'CHAT_TOO_FAST', 'CHAT_TOO_FAST', 'ok']);
    for (const chatter of chatters) chatter.close();
  });
});

describe('eligibility', () => {
  const expectOutcome = async (player: Player, code: string, entry = {}) => {
    const chatter = await enter(one, player, entry);
    const result = await say(chatter, `I am ${player.username}`);
    expect(saidOf(result)).toBe(code);
    // The player can still read messages.
    expect((await historyOf(chatter)).roomId).toBe('general');
    chatter.close();
    return result;
  };

  test('rejects messages while the chat is disabled', async () => {
    const writer = await newWriter(api);
    const chatter = await enter(two, writer);
    await configure({ isChatEnabled: false });
    await expect
      .poll(async () => (await saidBy(writer, chatter, [randomUUID()]))[0], { timeout: 5000 })
      .toBe('CHAT_DISABLED');
    await configure({ isChatEnabled: true });
    await expect
      .poll(async () => (await saidBy(writer, chatter, [randomUUID()]))[0], { timeout: 5000 })
      .toBe('ok');
    chatter.close();
  });

  test('rejects players without a verified email address', async () => {
    await expectOutcome(await api.newPlayer(), 'EMAIL_NOT_VERIFIED');
  });

  test('rejects the next message after staff have removed the permission to chat', async () => {
    const writer = await newWriter(api);
    const chatter = await enter(one, writer);
    expect(await saidBy(writer, chatter, ['before'])).toEqual(['ok']);
    const body = { canUseChat: false };
    expect((await boss.call('PATCH', `/admin/user/${writer.id}`, { body })).status).toBe(200);
    expect(await saidBy(writer, chatter, ['after'])).toEqual(['CHAT_NOT_ALLOWED']);
    chatter.close();
  });

  test('rejects banned players as soon as the ban is committed', async () => {
    const writer = await newWriter(api);
    const chatter = await enter(two, writer);
    expect(await saidBy(writer, chatter, ['before'])).toEqual(['ok']);
    await rest(api, writer);
    // Sets the ban in the database, because a ban through the API would also disconnect the session a moment later.
    await api.sql`update players set is_banned = true where user_id = ${writer.id}`.execute(api.db);
    expect(saidOf(await say(chatter, 'after'))).toBe('USER_BANNED');
    await api.sql`update players set is_banned = false where user_id = ${writer.id}`.execute(api.db);
    expect((await boss.call('PATCH', `/admin/user/${writer.id}/ban`, { body: {} })).status).toBe(200);
    expect(await chatter.ended(5000)).toBe('io server disconnect');
  });

  test('rejects excluded players in every process', async () => {
    const writer = await newWriter(api);
    const chatter = await enter(two, writer);
    expect(await saidBy(writer, chatter, ['before'])).toEqual(['ok']);
    const body = { durationDays: 1 };
    expect((await writer.call('POST', '/user-limits/self-exclusion', { body })).status).toBe(201);
    await rest(api, writer);
    const result = await say(chatter, 'after');
    expect([saidOf(result), typeof result.error.details.until]).toEqual(['SELF_EXCLUDED', 'string']);
    chatter.close();
  });

  test('rejects messages from a blocked country', async () => {
    const writer = await newWriter(api);
    expect((await boss.call('PATCH', '/admin/country/FR', { body: { isBlocked: true } })).status).toBe(200);
    const chatter = await enter(one, writer, { ip: IN_FRANCE });
    await expect
      .poll(async () => (await saidBy(writer, chatter, [randomUUID()]))[0], { timeout: 5000 })
      .toBe('AUTH_GEO_BLOCKED');
    const elsewhere = await enter(one, writer);
    expect(await saidBy(writer, elsewhere, ['from elsewhere'])).toEqual(['ok']);
    expect((await boss.call('PATCH', '/admin/country/FR', { body: { isBlocked: false } })).status).toBe(200);
    for (const each of [chatter, elsewhere]) each.close();
  });

  test('rejects players who are underage according to their last stated birth date', async () => {
    const [underage, adult, unknown] = [await newWriter(api), await newWriter(api), await newWriter(api)];
    await storeUnderage(api.db, underage.id);
    await expectOutcome(underage, 'CHAT_UNDERAGE');
    const state = async (player: Player, birthDate: string) =>
      (await player.call('POST', '/kyc/basic', { body: { ...PERSON, birthDate } })).status;
    expect(await state(underage, '1990-02-28')).toBe(201);
    await expectOutcome(underage, 'ok');
    const birthDate = `${new Date().getUTCFullYear() - 19}-01-01`;
    expect(await state(adult, birthDate)).toBe(201);
    await expectOutcome(adult, 'ok');
    await rest(api, adult);
    await configure({ minimumAge: 21 });
    const chatter = await enter(one, adult);
    await expect
      .poll(async () => (await saidBy(adult, chatter, [randomUUID()]))[0], { timeout: 5000 })
      .toBe('CHAT_UNDERAGE');
    await expectOutcome(unknown, 'ok');
    await configure({ minimumAge: 18 });
    chatter.close();
  });

  test('rejects players who have not wagered enough', async () => {
    const writer = await newWriter(api, 20);
    await configure({ chat: { minWageredUsd: '5' } });
    const chatter = await enter(one, writer);
    await expect
      .poll(async () => (await saidBy(writer, chatter, [randomUUID()]))[0], { timeout: 5000 })
      .toBe('CHAT_WAGER_NEEDED');
    const { error } = await say(chatter, 'how much?');
    expect(error.details).toEqual({ minWageredUsd: '5', wageredUsd: '0' });
    const bet = { currencyId: 'USDT', betAmount: '5', threshold: 50, above: true };
    expect((await writer.call('POST', '/casino/games/house/dice/bet', { body: bet })).status).toBe(201);
    await expect
      .poll(async () => {
        await api.services.userStats.catchUp();
        return (await saidBy(writer, chatter, [randomUUID()]))[0];
      })
      .toBe('ok');
    await configure({ chat: { minWageredUsd: '0' } });
    chatter.close();
  });
});

test('shows private players as Incognito even in earlier messages, and updates changed names', async () => {
  const writer = await newWriter(api);
  const [own, other] = [await enter(one, writer), await enter(two, await newWriter(api))];
  const text = `who am I ${randomUUID()}`;
  await changeUser(writer, { is_private: true });
  expect(saidOf(await say(own, text))).toBe('ok');
  const { data } = await other.until('chat.message', (frame) => frame.data.text === text);
  const hidden = { id: null, username: 'Incognito', avatar: null, vipLevel: null, isPrivate: true };
  expect(data.user).toEqual(hidden);
  const authorInHistory = async () => {
    await other.ask('subscribe', { room: ROOM });
    const { messages } = await historyOf(other);
    return messages.find((message: { text: string }) => message.text === text).user;
  };
  expect(await authorInHistory()).toEqual(hidden);
  const username = `renamed_${writer.id}`;
  await changeUser(writer, { is_private: false, username });
  await expect.poll(authorInHistory).toMatchObject({ id: writer.id, username });
  for (const chatter of [own, other]) chatter.close();
});

test('includes the chat in the AsyncAPI document', async () => {
  const { channels, components } = (await one.call('GET', '/asyncapi.json')).body;
  expect(channels.chat.address).toBe('chat:{roomId}');
  expect(Object.keys(channels.chat.messages)).toEqual([
    'chat.history',
    'chat.message',
    'chat.deleted',
    'chat.cleared',
    'chat.slow-mode',
  ]);
  expect(components.messages['chat.send'].payload.required).toEqual(['room', 'text', 'key']);
  expect((await one.call('GET', '/docs/events')).text).toContain('chat:{roomId}');
});
