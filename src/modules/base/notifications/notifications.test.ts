import { expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { DECLARATIONS } from '../../../app/areas.ts';
import { transaction } from '../../../platform/database/db.ts';
import { authMessages } from '../../accounts/auth/messages.ts';
import { paymentMessages } from '../../money/payments/messages.ts';
import { notifications } from './module.ts';
import { addNotification, type Message, notify } from './notify.ts';
import { notificationEvents } from './schemas.ts';

const app = fixture(startApp);

type Shown = { id: string; title: string; body: string; isAware: boolean; payload: any; type: string };
const listOf = async ({ call }: Player) => (await call<Shown[]>('GET', '/notifications')).body;
const titlesOf = async (player: Player) => (await listOf(player)).map(({ title }) => title);
const send = (fields: object) =>
  app.call('POST', '/debug/notification/send', { body: { title: 'Hello', body: 'Welcome', ...fields } });
const write = (userId: number, title: string) =>
  transaction(app.db, (tx) => addNotification(tx, { userId, type: 'SYSTEM', title, body: '' }));
const eventsOf = ({ id }: Player) =>
  app.db
    .selectFrom('events')
    .select(['name', 'data', 'room'])
    .where('user_id', '=', id)
    // Internal events are never sent to the player.
    .where('room', '<>', 'internal')
    .orderBy('id')
    .execute();

test('lists a notification with its original content, and sends it as an event', async () => {
  const player = await app.newPlayer();
  expect(await listOf(player)).toEqual([]);
  const sent = await send({ userId: player.id, type: 'VIP', payload: { level: 3, deep: { of: ['it'] } } });
  expect(sent.status).toBe(201);
  expect(sent.body).toMatchObject({ type: 'VIP', title: 'Hello', body: 'Welcome', isAware: false });
  expect(sent.body.payload).toEqual({ level: 3, deep: { of: ['it'] } });
  expect(await listOf(player)).toEqual([sent.body]);
  expect(await eventsOf(player)).toEqual([{ name: 'notification.new', data: sent.body, room: 'user' }]);
  expect((await send({ userId: player.id })).body).toMatchObject({ type: 'SYSTEM', payload: null });
});

test("lists, marks and deletes only the player's own notifications, newest first", async () => {
  const [one, two] = [await app.newPlayer(), await app.newPlayer()];
  for (const title of ['a', 'b', 'c']) for (const { id } of [one, two]) await write(id, title);
  expect(await titlesOf(one)).toEqual(['c', 'b', 'a']);
  expect((await one.call('POST', '/notifications/aware')).status).toBe(201);
  await write(one.id, 'd');
  expect((await listOf(one)).map(({ isAware }) => isAware)).toEqual([false, true, true, true]);
  expect((await listOf(two)).map(({ isAware }) => isAware)).toEqual([false, false, false]);
  const unreadOf = async (player: Player) => (await player.call('GET', '/notifications/unread')).body;
  expect([await unreadOf(one), await unreadOf(two)]).toEqual([{ count: 1 }, { count: 3 }]);
  expect((await one.call('DELETE', '/notifications')).status).toBe(200);
  expect(await listOf(one)).toEqual([]);
  expect((await one.call('DELETE', '/notifications')).status).toBe(200);
  expect(await titlesOf(two)).toEqual(['c', 'b', 'a']);
});

test('requires a session on every route, and shows staff only notifications of their own', async () => {
  const player = await app.newPlayer();
  await write(player.id, 'their own');
  for (const [method, path] of [
    ['GET', '/notifications'],
    ['GET', '/notifications/unread'],
    ['DELETE', '/notifications'],
    ['POST', '/notifications/aware'],
  ] as const) {
    expect(codeOf(await app.call(method, path)), path).toBe('401 UNAUTHORIZED');
    for (const staff of [await app.as('superadmin'), await app.as({ permissions: ['user.read'] })]) {
      const answer = await staff.call(method, path);
      expect(answer.status, path).toBeLessThan(300);
      expect(answer.text, path).not.toContain('their own');
    }
  }
  expect((await listOf(player)).map(({ isAware }) => isAware)).toEqual([false]);
});

test('keeps only the newest hundred notifications of each player, even with concurrent writers', async () => {
  const [player, other] = [await app.newPlayer(), await app.newPlayer()];
  await write(other.id, 'stays');
  await app.sql`insert into notifications (user_id, type, title, body)
    select ${player.id}::int, 'SYSTEM', 'n ' || n, '' from generate_series(1, 120) n`.execute(app.db);
  await write(player.id, 'newest');
  const kept = () =>
    app.db
      .selectFrom('notifications')
      .select('title')
      .where('user_id', '=', player.id)
      .orderBy('id')
      .execute();
  expect((await kept()).map(({ title }) => title)).toEqual([
    ...Array.from({ length: 99 }, (_, i) => `n ${i + 22}`),
    'newest',
  ]);
  await Promise.all(Array.from({ length: 40 }, (_, i) => write(player.id, `at once ${i}`)));
  await write(player.id, 'last');
  expect(await kept()).toHaveLength(100);
  expect((await titlesOf(player))[0]).toBe('last');
  expect(await titlesOf(player)).toHaveLength(100);
  expect(await titlesOf(other)).toEqual(['stays']);
});

test('neither stores a notification nor sends its event when the transaction rolls back', async () => {
  const player = await app.newPlayer();
  const failing = transaction(app.db, async (tx) => {
    await notify(tx, player.id, authMessages['security.password-changed'], {});
    throw new Error('not after all');
  });
  await expect(failing).rejects.toThrow('not after all');
  expect(await listOf(player)).toEqual([]);
  expect(await eventsOf(player)).toEqual([]);
});

test("renders a message in the reader's language, with the same payload in every language", async () => {
  const facts = { depositId: 'd', amount: '0.00000001', currencyId: 'BTC' };
  const byLanguage: Record<string, Shown> = {};
  for (const language of ['de-AT', 'es', 'en', 'xx', null]) {
    const player = await app.newPlayer();
    await app.db.updateTable('users').set({ language }).where('id', '=', player.id).execute();
    await transaction(app.db, (tx) => notify(tx, player.id, paymentMessages['deposit.completed'], facts));
    const [shown] = await listOf(player);
    expect(shown).toMatchObject({ type: 'DEPOSIT', payload: { code: 'deposit.completed', ...facts } });
    expect(shown!.body).toContain('0.00000001 BTC');
    byLanguage[String(language)] = shown!;
  }
  expect(byLanguage['de-AT']!.title).toBe('Einzahlung erhalten');
  expect(byLanguage.es!.title).toBe('Depósito recibido');
  for (const language of ['en', 'xx', 'null']) expect(byLanguage[language]!.title).toBe('Deposit received');
});

test('has short texts without missing values for every message in every language', () => {
  const facts = {
    amount: '1.5',
    currencyId: 'USDT',
    depositId: 'd',
    withdrawalId: 'w',
    reason: 'because',
    tier: 'IDENTITY',
    limit: 'SESSION',
    period: 'WEEK',
    expiresAt: '2026-11-21T09:30:00.000Z',
    confirmableFrom: '2026-11-21T09:30:00.000Z',
    lapsesAt: '2026-11-27T09:30:00.000Z',
    device: null,
    browser: 'Firefox',
    os: null,
    country: 'DE',
  };
  /** The value used for every fact that is not listed in `facts`. */
  const anyFact = new Proxy<Record<string, unknown>>(facts, {
    get: (own, name: string) => (name in own ? own[name] : 'word'),
  });
  const words = (text: unknown) => (typeof text === 'function' ? text(anyFact) : text) as string;
  for (const [code, { texts }] of Object.entries(DECLARATIONS.messages as Record<string, Message<object>>))
    for (const { title, body } of Object.values(texts)) {
      const said = `${words(title)} ${words(body)}`;
      expect(words(title).length, code).toBeLessThanOrEqual(60);
      expect(words(body).length, code).toBeLessThanOrEqual(200);
      expect(said, code).not.toMatch(/undefined|null|\[object|T09:30/);
    }
});

test('deletes notifications older than NOTIFICATIONS_KEEP_DAYS', async () => {
  const player = await app.newPlayer();
  await app.sql`insert into notifications (user_id, type, title, body, created_at)
    select ${player.id}::int, 'SYSTEM', 'old', '', now() - interval '8 days' from generate_series(1, 60)`.execute(
    app.db,
  );
  await write(player.id, 'new');
  const purge = async (days: number) => {
    for (const { run } of notifications.jobs!({ db: app.db, config: { NOTIFICATIONS_KEEP_DAYS: days } }))
      await run();
  };
  await purge(9);
  expect(await titlesOf(player)).toHaveLength(61);
  await purge(7);
  expect(await titlesOf(player)).toEqual(['new']);
});

test('rejects debug notifications for unknown users and with invalid fields', async () => {
  const { id: userId } = await app.newPlayer();
  expect(codeOf(await send({ userId: 2_147_483_647 }))).toBe('404 USER_NOT_FOUND');
  for (const wrong of [
    { type: 'NEWS' },
    { title: '' },
    { title: 'x'.repeat(201) },
    { body: 'x'.repeat(2001) },
    { payload: [] },
    { payload: null },
    { payload: 'text' },
    { title: 'a\0b' },
    { isAware: true },
    { userId: 0 },
    { userId: String(userId) },
  ])
    expect(codeOf(await send({ userId, ...wrong })), JSON.stringify(wrong)).toBe('400 VALIDATION_FAILED');
  const strange = { userId, title: '💩 "\\', payload: { 'a.b"\\': ['\u2028', 1e-9, null] } };
  const { status, body } = await send(strange);
  expect(status).toBe(201);
  expect(notificationEvents['notification.new'].data.safeParse(body).success).toBe(true);
});
