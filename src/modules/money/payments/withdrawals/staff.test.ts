import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { type Player, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  decide,
  legsOf,
  moneyOf,
  ORDER,
  statusOf,
  waiting,
  withdraw,
} from '../../../../../test/kit/money/withdrawals.ts';

let backoffice: TestApp;
let first: Player;
let other: Player;
const APPROVER = { permissions: ['withdraw.read', 'withdraw.approve'] };
const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));
beforeAll(async () => {
  const config = { fourEyesThresholdUsd: '50' };
  expect((await boss.call('PATCH', '/admin/config/WITHDRAWALS', { body: config })).status).toBe(200);
  backoffice = await startApp({ part: 'backoffice', database: app.database });
  first = await app.as(APPROVER);
  other = await app.as(APPROVER);
});
afterAll(() => backoffice.stop());

const PATH = '/admin/payments/withdraw';
const through = (door: TestApp, { token }: Player) => ({
  call: ((method, path, o = {}) =>
    door.call(method, door === backoffice ? path.replace('/admin/payments', '') : path, {
      token,
      ...o,
    })) as Player['call'],
});
const audits = async (id: string) => {
  const rows = await app.db
    .selectFrom('admin_audit')
    .select(['user_id', 'service', 'status_code', 'before', 'after', 'reason'])
    .where('path', 'like', '%/withdraw/%')
    .where('after', 'is not', null)
    .orderBy('id')
    .execute();
  return rows
    .filter(({ after }) => (after as { id?: string }).id === id)
    .map((row) => ({ ...row, before: (row.before as any).status, after: (row.after as any).status }));
};
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('approves and rejects withdrawals with audit rows, and rejects a second decision', async () => {
  const { player, id } = await waiting(app);
  const answer = await decide(first, 'reject', id);
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    id,
    amount: '10',
    currencyId: 'USDT',
    status: 'REJECTED',
    usdAmount: expect.any(String),
    networkId: 'tron',
    providerId: null,
    recipientAddress: ORDER.recipientAddress,
    recipientMemo: null,
    confirmations: 0,
    confirmedAt: isoTime,
    rejectReason: 'no',
    updatedAt: isoTime,
    transactionId: null,
    txHash: null,
    createdAt: isoTime,
    failedReason: null,
    confirmedByUserId: first.id,
    user: {
      id: player.id,
      username: player.username,
      email: expect.stringContaining('***'),
      avatar: null,
      vipLevel: 0,
    },
    confirmedByUser: expect.objectContaining({ id: first.id }),
    firstApprovedByUser: null,
    riskScore: 30,
    riskReasons: ['NO_SECOND_FACTOR', 'NEW_ADDRESS', 'FIRST_WITHDRAWAL'],
    riskPoints: { NO_SECOND_FACTOR: 10, NEW_ADDRESS: 10, FIRST_WITHDRAWAL: 10 },
    holdReason: null,
    holdUntil: null,
  });
  expect(await legsOf(app, id)).toEqual(['hold:1', 'release:1']);
  expect(await moneyOf(app, player)).toEqual({ cash: 100, hold: 0 });
  const seen = (await player.call('GET', '/payments/withdraw')).body.data[0];
  expect(seen).toMatchObject({ rejectReason: 'no', confirmedAt: answer.body.confirmedAt });
  expect(seen.statusHistory[1]).toMatchObject({ status: 'REJECTED', reason: 'no' });
  const row = { user_id: first.id, service: 'api', status_code: 201, before: 'WAITING_FOR_APPROVAL' };
  expect(await audits(id)).toEqual([{ ...row, after: 'REJECTED', reason: 'no' }]);
  expect(codeOf(await decide(other, 'reject', id))).toBe('409 WITHDRAWAL_NOT_REJECTABLE');
  expect(codeOf(await decide(other, 'approve', id))).toBe('409 WITHDRAWAL_NOT_APPROVABLE');
  expect(codeOf(await decide(other, 'retry', id))).toBe('409 WITHDRAWAL_NOT_RETRYABLE');
});

test('approves and rejects withdrawals that are on hold', async () => {
  for (const [decision, end] of [
    ['approve', 'APPROVED'],
    ['reject', 'REJECTED'],
  ] as const) {
    const player = await app.newPlayer({ usdt: 20 });
    const note = { userId: player.id, note: 'look', riskLevel: 'HIGH' };
    expect((await boss.call('POST', '/admin/user-notes', { body: note })).status).toBe(201);
    const { body } = await withdraw(player);
    expect(body).toMatchObject({ status: 'ON_HOLD', statusHistory: [{ reason: null }] });
    await app.services.withdrawals.sending.watch();
    expect((await decide(first, decision, body.id)).body.status).toBe(end);
  }
});

test('rejects an unknown id, an empty reason and an unknown field', async () => {
  for (const id of ['no-id', '00000000-0000-7000-8000-000000000000']) {
    for (const decision of ['approve', 'reject', 'retry'] as const)
      expect(codeOf(await decide(first, decision, id))).toBe('404 WITHDRAWAL_NOT_FOUND');
    expect(codeOf(await first.call('GET', `${PATH}/${id}`))).toBe('404 WITHDRAWAL_NOT_FOUND');
  }
  const { id } = await waiting(app);
  for (const body of [{ id }, { id, rejectReason: ' ' }, { id, rejectReason: 'no', refund: true }])
    expect(codeOf(await first.call('POST', `${PATH}/reject`, { body }))).toBe('400 VALIDATION_FAILED');
});

test('rejects decisions by staff with read permission only, and reads by staff without permissions', async () => {
  const { player, id } = await waiting(app);
  const reader = await app.as({ permissions: ['withdraw.read'] });
  const nobody = await app.as({ permissions: ['deposit.read'] });
  for (const decision of ['approve', 'reject', 'retry'] as const)
    for (const who of [reader, nobody, player])
      expect(codeOf(await decide(who, decision, id))).toBe('403 FORBIDDEN');
  expect(codeOf(await reader.call('GET', `${PATH}/fetch/${id}`))).toBe('403 FORBIDDEN');
  for (const path of ['', '/stats', `/stats/${player.id}`, `/${id}`]) {
    expect((await reader.call('GET', PATH + path)).status).toBe(200);
    for (const who of [nobody, player])
      expect(codeOf(await who.call('GET', PATH + path))).toBe('403 FORBIDDEN');
  }
  expect(await statusOf(app, id)).toBe('WAITING_FOR_APPROVAL');
});

test("rejects decisions about the caller's own withdrawal through both APIs, even by a superadmin", async () => {
  for (const staff of [first, boss]) {
    await app.call('GET', '/debug/me/give-money?amount=20', { token: staff.token });
    const { body } = await withdraw(staff);
    for (const door of [app, backoffice])
      for (const decision of ['approve', 'reject', 'retry'] as const)
        expect(codeOf(await decide(through(door, staff), decision, body.id))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await staff.call('GET', `${PATH}/fetch/${body.id}`))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await staff.call('POST', `/admin/withdrawals-block/${staff.id}`, { body: {} }))).toMatch(
      /403/,
    );
    expect(await statusOf(app, body.id)).toBe('WAITING_FOR_APPROVAL');
  }
  // Staff who are not superadmins may not approve or reject a superadmin's withdrawal either.
  const { data } = (await boss.call('GET', '/payments/withdraw')).body;
  expect(codeOf(await decide(first, 'approve', data[0].id))).toBe('403 FORBIDDEN');
});

test('returns the same responses and errors through the backoffice API, and writes the same audit rows', async () => {
  const results = [];
  for (const door of [app, backoffice]) {
    const staff = through(door, first);
    const [one, two] = [await waiting(app), await waiting(app)];
    const codes = [];
    for (const [decision, id] of [
      ['approve', one.id],
      ['approve', one.id],
      ['reject', one.id],
      ['retry', one.id],
      ['reject', two.id],
      ['approve', two.id],
    ] as const)
      codes.push(codeOf(await decide(staff, decision, id)));
    const listed = await staff.call('GET', `${PATH}?userId=${one.player.id}&status=APPROVED`);
    expect([listed.body.total, listed.body.data[0].id]).toEqual([1, one.id]);
    const audit = [...(await audits(one.id)), ...(await audits(two.id))];
    expect(new Set(audit.map(({ service }) => service))).toEqual(
      new Set([door === app ? 'api' : 'backoffice']),
    );
    results.push({
      codes,
      audit: audit.map(({ service: _, ...row }) => row),
      legs: await legsOf(app, two.id),
    });
  }
  expect(results[1]).toEqual(results[0]);
  expect(results[0]!.codes[0]).toBe('201');
});

describe('four eyes', () => {
  const large = () => waiting(app, { amount: '60' });

  test('stays pending after one approval, rejects a second approval by the same person, and accepts one by a second person', async () => {
    const { id } = await large();
    const noted = await decide(first, 'approve', id);
    expect([noted.status, noted.body.status, noted.body.confirmedByUserId]).toEqual([
      201,
      'WAITING_FOR_APPROVAL',
      null,
    ]);
    expect(noted.body.firstApprovedByUser).toMatchObject({ id: first.id, username: first.username });
    expect(codeOf(await decide(first, 'approve', id))).toBe('409 SECOND_PERSON_NEEDED');
    const again = await app.newPlayer({ username: first.username });
    expect(again.id).toBe(first.id);
    expect(codeOf(await decide(again, 'approve', id))).toBe('409 SECOND_PERSON_NEEDED');
    expect(codeOf(await decide(through(backoffice, first), 'approve', id))).toBe('409 SECOND_PERSON_NEEDED');
    expect(await statusOf(app, id)).toBe('WAITING_FOR_APPROVAL');
    expect((await decide(other, 'approve', id)).body).toMatchObject({
      status: 'APPROVED',
      confirmedByUserId: other.id,
      firstApprovedByUser: { id: first.id },
    });
    expect((await audits(id)).map(({ user_id, after }) => [user_id, after])).toEqual([
      [first.id, 'WAITING_FOR_APPROVAL'],
      [other.id, 'APPROVED'],
    ]);
  });

  test('records ten concurrent approvals by one person as one approval, and does not send the withdrawal', async () => {
    const { id } = await large();
    const again = await app.newPlayer({ username: first.username });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        decide(through(i % 2 ? app : backoffice, i % 3 ? first : again), 'approve', id),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(codeOf))).toEqual(new Set(['201', '409 SECOND_PERSON_NEEDED']));
    expect(await statusOf(app, id)).toBe('WAITING_FOR_APPROVAL');
  });

  test('approves once when two people approve concurrently, and writes an audit row for both', async () => {
    const { id } = await large();
    const answers = await Promise.all([decide(first, 'approve', id), decide(other, 'approve', id)]);
    expect(answers.map(({ body }) => body.status).sort()).toEqual(['APPROVED', 'WAITING_FOR_APPROVAL']);
    expect(await audits(id)).toHaveLength(2);
  });

  test('requires only one person to approve below the threshold or to reject, and allows cancellation after the first approval', async () => {
    const small = await waiting(app, { amount: '40' });
    expect((await decide(first, 'approve', small.id)).body.status).toBe('APPROVED');
    const [rejected, cancelled] = [await large(), await large()];
    for (const { id } of [rejected, cancelled]) expect((await decide(first, 'approve', id)).status).toBe(201);
    expect((await decide(first, 'reject', rejected.id)).body.status).toBe('REJECTED');
    const body = { id: cancelled.id };
    expect((await cancelled.player.call('POST', '/payments/withdraw/cancel', { body })).body.status).toBe(
      'CANCELLED',
    );
  });
});

test('lists withdrawals in order and counts them by status, user and name', async () => {
  const { player, id } = await waiting(app);
  const second = (await withdraw(player, { amount: '20' })).body.id as string;
  await decide(first, 'reject', second);
  const list = async (query: string) => (await first.call('GET', `${PATH}?${query}`)).body;
  const ids = async (query: string) => (await list(query)).data.map((row: { id: string }) => row.id);
  expect(await ids(`userId=${player.id}`)).toEqual([second, id]);
  expect(await ids(`username=${player.username.toUpperCase()}&sortOrder=asc`)).toEqual([id, second]);
  expect(await ids(`userId=${player.id}&sortBy=usdAmount&sortOrder=asc`)).toEqual([id, second]);
  expect(await ids(`userId=${player.id}&status=REJECTED`)).toEqual([second]);
  expect(await list(`userId=${first.id}&username=${player.username}`)).toMatchObject({ total: 0, data: [] });
  expect(await list('username=nobody_has_it')).toMatchObject({ total: 0, data: [] });
  expect((await ids('take=1'))[0]).toBe(second);
  for (const query of ['status=PAID', 'sortBy=address', 'take=101', 'x=1'])
    expect((await first.call('GET', `${PATH}?${query}`)).status).toBe(400);
  const stats = async (path = '') => (await first.call('GET', `${PATH}/stats${path}`)).body;
  expect(await stats(`/${player.id}`)).toEqual({
    total: 2,
    waitingForApproval: 1,
    approved: 0,
    rejected: 1,
    failed: 0,
  });
  expect(codeOf(await first.call('GET', `${PATH}/stats/2000000000`))).toBe('404 USER_NOT_FOUND');
  const all = await stats();
  for (const [status, sum] of [
    ['REJECTED', 'rejected'],
    ['WAITING_FOR_APPROVAL', 'waitingForApproval'],
  ] as const)
    expect((await list(`status=${status}`)).total).toBeLessThanOrEqual(all[sum]);
  const { count } = await app.db
    .selectFrom('withdrawals')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  expect([all.total, (await list('')).total]).toEqual([Number(count), Number(count)]);
});

test("shows a withdrawal's risk in the list, the details and the export", async () => {
  const { player, id } = await waiting(app);
  const risk = { riskScore: 30, riskReasons: ['NO_SECOND_FACTOR', 'NEW_ADDRESS', 'FIRST_WITHDRAWAL'] };
  const path = '/admin/payments/withdraw';
  expect((await first.call('GET', `${path}/${id}`)).body).toMatchObject(risk);
  const list = `${path}?userId=${player.id}`;
  expect((await first.call('GET', list)).body.data).toEqual([expect.objectContaining({ id, ...risk })]);
  const [head, row] = (await first.call('GET', list, { headers: { accept: 'text/csv' } })).text.split('\r\n');
  const at = head!.split(',').indexOf('riskScore');
  expect(head!.split(',').slice(at, at + 3)).toEqual(['riskScore', 'riskReasons', 'holdReason']);
  expect(row).toContain('30,NO_SECOND_FACTOR; NEW_ADDRESS; FIRST_WITHDRAWAL');
  expect(row).toContain('NO_SECOND_FACTOR: 10; NEW_ADDRESS: 10; FIRST_WITHDRAWAL: 10');
  expect(head).not.toContain('avatar');
});

/** Moves the time of a withdrawal's request. */
const requestedAt = (id: string, at: string) =>
  app.db.updateTable('withdrawals').set({ created_at: at }).where('id', '=', id).execute();

test('lists and exports the withdrawals of a period, with both bounds, in any time zone', async () => {
  const { player, id: early } = await waiting(app);
  const late = (await withdraw(player)).body.id as string;
  // The database stores microseconds, and responses contain milliseconds.
  await requestedAt(early, '2026-03-31T22:00:00.000400Z');
  await requestedAt(late, '2026-04-30T21:59:59.999Z');
  const list = (query: object) =>
    first.call('GET', `${PATH}?${new URLSearchParams({ userId: String(player.id), ...query })}`);
  const idsOf = async (query: object) => (await list(query)).body.data.map((row: { id: string }) => row.id);
  const april = { startDate: '2026-04-01T00:00:00+02:00', endDate: '2026-04-30T23:59:59.999+02:00' };
  expect(await idsOf(april)).toEqual([late, early]);
  expect(
    await idsOf({ ...april, sortBy: 'usdAmount', sortOrder: 'asc', status: 'WAITING_FOR_APPROVAL' }),
  ).toHaveLength(2);
  expect(await idsOf({ ...april, status: 'FAILED' })).toEqual([]);
  expect(await idsOf({ startDate: '2026-03-31T22:00:00.001Z' })).toEqual([late]);
  expect(await idsOf({ endDate: '2026-03-31T22:00:00Z' })).toEqual([early]);
  expect(await idsOf({ endDate: '2026-03-31T21:59:59.999Z' })).toEqual([]);
  expect(await idsOf({ startDate: april.endDate, endDate: april.startDate })).toEqual([]);
  expect((await list({ ...april, take: 1, page: 2 })).body).toMatchObject({
    total: 2,
    totalPages: 2,
    totalIsExact: true,
    data: [{ id: early }],
  });
  for (const startDate of ['2026-04-01', '2026-02-30T00:00:00Z', 'soon'])
    expect((await list({ startDate })).status, startDate).toBe(400);
  const file = await first.call('GET', `${PATH}?${new URLSearchParams({ ...april, columns: 'id' })}`, {
    headers: { accept: 'text/csv' },
  });
  expect(file.text.replace('\uFEFF', '').trim().split('\r\n')).toEqual(['id', late, early]);
});

test('lists the withdrawals that wait for staff in every such status, and counts them', async () => {
  const ids: Record<string, string> = {};
  const states = ['WAITING_FOR_APPROVAL', 'ON_HOLD', 'UNKNOWN_OUTCOME', 'PROCESSING', 'FAILED'];
  const change = (
    id: string,
    values: { status: string; reference: string | null; provider_id: string | null },
  ) => app.db.updateTable('withdrawals').set(values).where('id', '=', id).execute();
  for (const status of states) {
    const { id } = await waiting(app);
    await change(id, { status, reference: id, provider_id: 'sandbox' });
    ids[status] = id;
  }
  const list = async (query: string) => (await first.call('GET', `${PATH}?take=100&${query}`)).body;
  const found = async (query: string) => {
    const { data } = await list(query);
    return states.filter((status) => data.some(({ id }: { id: string }) => id === ids[status]));
  };
  expect(await found('isWaiting=true')).toEqual(['WAITING_FOR_APPROVAL', 'ON_HOLD', 'UNKNOWN_OUTCOME']);
  expect(await found('isWaiting=false')).toEqual(['PROCESSING', 'FAILED']);
  expect(await found('isWaiting=true&status=ON_HOLD')).toEqual(['ON_HOLD']);
  for (const period of ['', '&startDate=2020-01-01T00:00:00Z'])
    expect(await list(`isWaiting=true&status=FAILED${period}`)).toMatchObject({ total: 0, data: [] });
  const all = await list('isWaiting=true');
  expect(all.total).toBe(all.data.length);
  const totals = await Promise.all(
    states.slice(0, 3).map(async (status) => (await list(`status=${status}`)).total),
  );
  expect(all.total).toBe(totals.reduce((sum, total) => sum + total, 0));
  // The money of all of them is still on hold.
  for (const id of Object.values(ids))
    await change(id, { status: 'WAITING_FOR_APPROVAL', reference: null, provider_id: null });
});
