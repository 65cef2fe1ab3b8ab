import { expect, test, vi } from 'vitest';
import { startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(startApp);
const other = fixture(() => startApp({ database: app.database }));
const backoffice = fixture(() => startApp({ part: 'backoffice', database: app.database }));
const writer = fixture(() => app.as({ permissions: ['faq.write', 'faq.read'] }));

const list = async (one: TestApp = app) => (await one.call('GET', '/faq')).body as any[];
const titles = async (one?: TestApp) => (await list(one)).map(({ title }) => title);
const add = async (title: string) => {
  const { status, body } = await writer.call('POST', '/admin/faq', {
    body: { title, text: `Answer to: ${title}` },
  });
  expect(status).toBe(201);
  return body;
};

test('lists questions by order, adds new questions last, and updates the list in every process', async () => {
  expect(await list()).toEqual([]);
  const first = await add('How do I withdraw?');
  expect(first).toEqual({
    id: first.id,
    title: 'How do I withdraw?',
    text: 'Answer to: How do I withdraw?',
    order: 1,
    createdAt: expect.any(String),
    updatedAt: first.createdAt,
  });
  const second = await add('What is a seed?');
  const third = await add('Who can play?');
  expect(await list()).toEqual([first, second, third]);
  const moved = await writer.call('PUT', '/admin/faq', { body: { id: third.id, order: 0 } });
  expect([moved.status, moved.body]).toMatchObject([200, { title: 'Who can play?', order: 0 }]);
  // Questions with the same `order` value are sorted by creation time.
  await writer.call('PUT', '/admin/faq', {
    body: { id: second.id, order: 1, text: 'The source of all outcomes.' },
  });
  expect(await titles()).toEqual(['Who can play?', 'How do I withdraw?', 'What is a seed?']);
  await vi.waitFor(async () => expect(await titles(other)).toEqual(await titles()), 5000);
  const deleted = await writer.call('DELETE', '/admin/faq', { body: { id: first.id } });
  expect(deleted.status).toBe(200);
  expect(await titles()).toEqual(['Who can play?', 'What is a seed?']);
  await vi.waitFor(async () => expect(await titles(other)).toEqual(await titles()), 5000);
  for (const method of ['PUT', 'DELETE'] as const) {
    const again = await writer.call(method, '/admin/faq', { body: { id: first.id } });
    expect([again.status, again.body.code]).toEqual([404, 'FAQ_NOT_FOUND']);
  }
});

test('lets the backoffice list and edit the same questions with separate permissions', async () => {
  const { body, status } = await backoffice.call('POST', '/faq', {
    token: writer.token,
    body: { title: 'A', text: 'B' },
  });
  expect(status).toBe(201);
  const listed = await backoffice.call('GET', '/faq', { token: writer.token });
  expect(listed.body).toEqual(await list());
  expect(listed.body).toContainEqual(body);
  const changed = await backoffice.call('PUT', '/faq', {
    token: writer.token,
    body: { id: body.id, title: 'C' },
  });
  expect(changed.body).toMatchObject({ title: 'C', text: 'B', order: body.order });
  const removed = await backoffice.call('DELETE', '/faq', { token: writer.token, body: { id: body.id } });
  expect([removed.status, removed.body]).toEqual([200, { success: true }]);
  for (const method of ['PUT', 'DELETE'] as const) {
    const again = await backoffice.call(method, '/faq', { token: writer.token, body: { id: body.id } });
    expect([again.status, again.body.code]).toEqual([404, 'FAQ_NOT_FOUND']);
  }
  const reader = await app.as({ permissions: ['faq.read'] });
  expect((await backoffice.call('GET', '/faq', { token: reader.token })).status).toBe(200);
  expect(
    (await backoffice.call('DELETE', '/faq', { token: reader.token, body: { id: body.id } })).status,
  ).toBe(403);
  expect((await reader.call('POST', '/admin/faq', { body: { title: 'A', text: 'B' } })).status).toBe(403);
});

test('adds a question last even when the last question has the highest order, and rejects higher orders', async () => {
  const first = await add('Who runs this?');
  const put = (order: number) => writer.call('PUT', '/admin/faq', { body: { id: first.id, order } });
  expect((await put(1_000_000_000)).body).toMatchObject({ id: first.id, order: 1_000_000_000 });
  const next = await add('Where is it licensed?');
  expect(next.order).toBe(1_000_000_001);
  expect((await titles()).slice(-2)).toEqual(['Who runs this?', 'Where is it licensed?']);
  for (const order of [1_000_000_001, -1, 1.5]) {
    const { status, body } = await put(order);
    expect([status, body.code], String(order)).toEqual([400, 'VALIDATION_FAILED']);
  }
});

test('stores all questions that are added concurrently, sorted by order and id', async () => {
  const made = await Promise.all(['One?', 'Two?', 'Three?', 'Four?'].map(add));
  const own = (await list()).filter(({ id }) => made.some((one) => one.id === id));
  expect(own).toHaveLength(4);
  expect(own).toEqual(own.toSorted((a, b) => a.order - b.order || a.id - b.id));
});

test('records every change in the audit log with the previous and the new values', async () => {
  const { id } = await add('Why?');
  await writer.call('PUT', '/admin/faq', { body: { id, title: 'Why not?' } });
  await writer.call('DELETE', '/admin/faq', { body: { id } });
  const rows = await app.db
    .selectFrom('admin_audit')
    .select(['before', 'after'])
    .where('path', '=', '/admin/faq')
    .orderBy('id', 'desc')
    .limit(3)
    .execute();
  expect(rows.reverse()).toMatchObject([
    { before: null, after: { id, title: 'Why?' } },
    { before: { id, title: 'Why?' }, after: { id, title: 'Why not?' } },
    { before: { id, title: 'Why not?' }, after: null },
  ]);
});

test.each([
  ['no text', { title: 'A' }],
  ['an empty title', { title: '  ', text: 'B' }],
  ['a title that is too long', { title: 'a'.repeat(201), text: 'B' }],
  ['an unknown field', { title: 'A', text: 'B', order: 1 }],
])('rejects a question with %s and changes nothing', async (_, body) => {
  const before = await list();
  const { status, body: refusal } = await writer.call('POST', '/admin/faq', { body });
  expect([status, refusal.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(await list()).toEqual(before);
});
