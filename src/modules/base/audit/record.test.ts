import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Answer, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { storedTexts } from '../../../../test/kit/http/fingerprint.ts';
import type { Permission } from '../../../http/access.ts';
import { route } from '../../../http/route.ts';
import { transaction } from '../../../platform/database/db.ts';
import { setRights } from '../users/service.ts';
import { recordAudit } from './service.ts';
import { verifyAudit } from './verify.ts';

const CHANGE = route({
  method: 'POST',
  path: '/test/change/{id}',
  tag: 'Test',
  access: { permission: 'test.change' as Permission },
  gate: 'none',
  summary: 'For the test',
  params: z.object({ id: z.number().int() }),
  body: z.looseObject({ failAt: z.enum(['before', 'after']).optional(), reason: z.string().optional() }),
  response: z.object({ done: z.boolean() }),
  // The test supplies the code that the handler runs.
  handler: (context) => change(context),
});
type Change = {
  by: Parameters<typeof recordAudit>[1];
  params: { id: number };
  body: { failAt?: string | undefined; reason?: string | undefined };
};
const change = async ({ by, params, body }: Change) => {
  await transaction(api.db, async (tx) => {
    if (body.failAt === 'before') throw new Error('failed before the record');
    await setRights(tx, params.id, { roles: [], permissions: ['test.changed'] });
    await recordAudit(tx, by, {
      before: { permissions: [], passwordHash: 'x' },
      after: { permissions: ['test.changed'] },
      reason: body.reason,
    });
    if (body.failAt === 'after') throw new Error('failed after the record');
  });
  return { done: true };
};

const api = fixture(() => startApp({ extraRoutes: [CHANGE] }));
const backoffice = fixture(() => startApp({ part: 'backoffice', database: api.database }));
const boss = fixture(() => api.as('superadmin'));
const stranger = fixture(() => api.as({ permissions: ['test.other'] }));

const rowsAfter = (id: bigint) =>
  api.db.selectFrom('admin_audit').selectAll().where('id', '>', id).orderBy('id').execute();
const head = async () =>
  (await api.db.selectFrom('admin_audit_head').select('id').executeTakeFirstOrThrow()).id;

describe('an audit log entry', () => {
  const write = (id: number, body: object): Promise<Answer> =>
    boss.call('POST', `/test/change/${id}`, { body });
  const rightsOf = async (id: number) =>
    (await api.db.selectFrom('users').select('permissions').where('id', '=', id).executeTakeFirstOrThrow())
      .permissions;

  test('stores the change, its previous values and its reason in the transaction of the change', async () => {
    const { id } = await api.newPlayer();
    let from = await head();
    for (const failAt of ['before', 'after']) {
      expect((await write(id, { failAt })).status).toBe(500);
      expect(await rightsOf(id)).toEqual([]);
    }
    expect((await rowsAfter(from)).map((r) => [r.status_code, r.before, r.after])).toEqual([
      [500, null, null],
      [500, null, null],
    ]);
    from = await head();
    expect((await write(id, { reason: 'asked by Bearer abcdefgh12345678' })).status).toBe(201);
    const [row, ...more] = await rowsAfter(from);
    expect(more).toEqual([]);
    expect(await rightsOf(id)).toEqual(['test.changed']);
    expect([row!.before, row!.after, row!.reason]).toEqual([
      { permissions: [], passwordHash: '[redacted]' },
      { permissions: ['test.changed'] },
      'asked by Bearer [redacted]',
    ]);
  });

  test('redacts secrets in request bodies under any name and at any depth', async () => {
    const canary = `canary${randomBytes(12).toString('hex')}`;
    const { id } = await api.newPlayer();
    const body = {
      password: canary,
      mfaCode: canary,
      deep: [{ refreshToken: canary, apiKey: canary, list: [`ck_${canary}${canary}`] }],
      avatar: `data:image/png;base64,${canary}`,
      note: `see https://x.example/?token=${canary} and otpauth://totp/a?secret=${canary}, Bearer ${canary}`,
      long: 'x'.repeat(5000),
      kept: 'this stays',
    };
    const from = await head();
    expect((await write(id, body)).status).toBe(201);
    expect((await api.call('POST', `/test/change/${id}`, { token: stranger.token, body })).status).toBe(403);
    const [row] = await rowsAfter(from);
    expect(row!.request_body).toMatchObject({ password: '[redacted]', kept: 'this stays' });
    expect(JSON.stringify(row!.request_body).length).toBeLessThan(1500);
    expect([...(await storedTexts(api.db))].filter((text) => text.includes(canary))).toEqual([]);
  });

  test('stores changed strings of up to 5,000 characters in full', async () => {
    const { id } = await api.newPlayer();
    const text = 'wörd '.repeat(1000);
    const clerk = await api.as({ permissions: ['note.write'] });
    const from = await head();
    const made = await clerk.call('POST', '/admin/user-notes', { body: { userId: id, note: text } });
    expect(made.status).toBe(201);
    expect((await clerk.call('DELETE', `/admin/user-notes/${made.body.id}`)).status).toBe(200);
    const [written, deleted] = await rowsAfter(from);
    expect(written!.after).toMatchObject({ note: text.trim() });
    expect(deleted!.before).toMatchObject({ note: text.trim() });
    expect(JSON.stringify(written!.request_body).length).toBeLessThan(1000);
  });

  test('stores the query of a GET request, without secrets or unknown fields', async () => {
    const from = await head();
    const path = '/admin/user-notes?search=Bearer%20abcdefgh12345678&take=5';
    expect((await boss.call('GET', path)).status).toBe(200);
    expect((await boss.call('GET', '/admin/user-notes?pasword=hunter2')).status).toBe(400);
    expect((await boss.call('GET', '/admin/user-notes')).status).toBe(200);
    expect((await stranger.call('GET', '/admin/user-notes?take=7')).status).toBe(403);
    expect((await rowsAfter(from)).map((row) => row.request_body)).toEqual([
      { search: 'Bearer [redacted]', take: '5' },
      { pasword: '[not a field]' },
      null,
      { take: '7' },
    ]);
  });

  test.each([
    'update admin_audit set status_code = 200',
    'update admin_audit set reason = null where false',
    'delete from admin_audit where id = 1',
    'truncate admin_audit',
    'truncate users cascade',
  ])("prevents the application's database role from changing an audit log entry: %s", async (statement) => {
    const from = await verifyAudit(api.db);
    await expect(sql.raw(statement).execute(api.db)).rejects.toMatchObject({ code: '42501' });
    expect(await verifyAudit(api.db)).toEqual(from);
  });

  test('keeps the audit chain intact when 50 calls run concurrently in two processes', async () => {
    const from = await head();
    const targets = await Promise.all(Array.from({ length: 10 }, () => api.newPlayer()));
    const calls = Array.from({ length: 50 }, (_, i) => {
      if (i % 5 === 0) return write(targets[i / 5]!.id, {});
      const app = i % 2 === 0 ? api : backoffice;
      const path = app === api ? '/admin/logger' : '/api-keys/1';
      return app.call('GET', path, { token: boss.token });
    });
    const ids = (await Promise.all(calls)).map((a) => a.headers.get('x-request-id'));
    const rows = await rowsAfter(from);
    expect(rows).toHaveLength(50);
    expect(new Set(rows.map((r) => r.request_id))).toEqual(new Set(ids));
    expect((await verifyAudit(api.db)).breaks).toEqual([]);
  });

  test('uses only one connection while audited reads wait to write to the audit chain, so that other requests continue', async () => {
    const release = Promise.withResolvers<void>();
    const holding = api.db.transaction().execute(async (tx) => {
      await sql`select 1 from admin_audit_head for update`.execute(tx);
      await release.promise;
    });
    const reads = Array.from({ length: 40 }, () => boss.call('GET', '/admin/logger'));
    const lookBeside = async () => {
      for (let i = 0; i < 5; i++) expect((await stranger.call('GET', '/user/me')).status).toBe(200);
    };
    await Promise.all([lookBeside().finally(release.resolve), holding]);
    expect((await Promise.all(reads)).map((a) => a.status)).toEqual(Array(40).fill(200));
  });
});
