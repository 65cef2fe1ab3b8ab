/** Tests the parts of the console that need no browser. */
import { expect, test, vi } from 'vitest';
import { RIGHTS } from '../client/api.ts';
import { Refused } from '../client/call.ts';
import { SHIPPED_ROLES } from '../src/modules/base/access/roles/rules.ts';
import { NEVER_RECEIVED } from '../src/modules/money/payments/withdrawals/rules.ts';

/** Imported dynamically, because the web pages belong to a separate TypeScript project. */
const load = (file: string) => import(new URL(`../web/console/${file}`, import.meta.url).href);
const { foundFor, isUnchanged, retriedFor } = await load('pages/withdrawals/outcomes.ts');
const { exportRows } = await load('list/export-rows.ts');
const { chosenOf, isSame, matchedBy, withPage } = await load('list/spec.ts');
const { runRows } = await load('list/run-rows.ts');
const { changeIn, changeOf } = await load('pages/reports/changes.ts');
const { daysBefore, periodIn } = await load('pages/reports/period.ts');
const { readerOf } = await load('../kit/filters.ts');
const { MENU, placeOf } = await load('menu.ts');
const { costOf, grantOf, isBounded, timesOf } = await load('pages/promo/cost.ts');
const { isWithoutDeposit } = await load('pages/promo/deposit.ts');
const { APPROVERS } = await load('review/approvers.ts');
const { changedIn } = await load('differences.ts');
const { SYNONYMS } = await load('synonyms.ts');
const { PAGES, subjectOf } = await load('pages.ts');
const { isSameObject } = await load('../kit/same-object.ts');
const { connectionCheck } = await load('pages/withdrawals/connection-check.ts');
const { queuesBy } = await load('review/spec.ts');
const { likelyTier } = await load('pages/kyc/shared.ts');

type Tab = { path: string; of: string };
type Entry = { name: string; key?: string; tabs: Tab[]; queue?: { op: string } };
const entries: Entry[] = MENU.flatMap((group: { entries: Entry[] }) => group.entries);

test('exports ticked rows with one request for each 100, in one file with one head', async () => {
  const asked: URLSearchParams[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    const query = new URL(path, 'http://console.test').searchParams;
    asked.push(query);
    const ids = query
      .get('ids')!
      .split(',')
      .filter((id) => id !== '7');
    const headers = { 'x-row-count': String(ids.length) };
    return new Response(`id\r\n${ids.map((id) => `${id}\r\n`).join('')}`, { headers });
  });
  const of = (count: number) => Array.from({ length: count }, (_, at) => String(at + 10));
  const wanted = {
    op: 'GET /admin/payments/deposit',
    input: {},
    idField: 'id',
    columns: ['id'],
    hasMark: true,
  };
  const file: Blob = await exportRows({ ...wanted, ids: of(201) });
  expect([...new Uint8Array(await file.slice(0, 3).arrayBuffer())]).toEqual([0xef, 0xbb, 0xbf]);
  expect((await file.text()).replace('\uFEFF', '').trim().split('\r\n')).toEqual(['id', ...of(201)]);
  expect(asked.map((query) => query.get('ids')!.split(',').length)).toEqual([100, 100, 1]);
  expect(asked.every((query) => query.get('idColumn') === 'id' && query.get('bom') === 'false')).toBe(true);
  await expect(exportRows({ ...wanted, ids: ['7', '8'] })).rejects.toThrow(
    '1 selected row no longer matches',
  );
  vi.unstubAllGlobals();
});

test('shows how a figure of a report changes, and nothing if it does not', () => {
  expect(changeOf('150', '100')).toEqual({ change: { text: '50%', isUp: true, goodIs: 'up' } });
  expect(changeOf(-150, -100, 'down')).toEqual({ change: { text: '50%', isUp: false, goodIs: 'down' } });
  expect(changeOf('7.5', '7.5', 'down')).toEqual({});
  expect(changeOf('1000000', '1000001')).toEqual({});
  expect(changeOf('7.5', '0')).toEqual({});
  expect(changeOf('7.5', undefined)).toEqual({});
  expect(changeIn(0)).toEqual({});
  expect(changeIn(null)).toEqual({});
  expect(changeIn(-12.5)).toEqual({ change: { text: '12.5%', isUp: false, goodIs: 'up' } });
});

test('compares days with as many days directly before them', () => {
  expect(daysBefore({ first: '2026-03-01', last: '2026-03-31' })).toEqual({
    first: '2026-01-29',
    last: '2026-02-28',
  });
  expect(daysBefore({ first: '2026-03-30', last: '2026-03-30' })).toEqual({
    first: '2026-03-29',
    last: '2026-03-29',
  });
});

test('says what staff find out about a payout, and what happens next', () => {
  const of = (status: string, more: object = {}) => ({
    status,
    confirmations: 0,
    failedReason: null,
    ...more,
  });
  const lost = of('UNKNOWN_OUTCOME');
  expect(foundFor(lost, lost)).toMatch(/no news/);
  expect([isUnchanged(lost, lost), isUnchanged(lost, of('SENT'))]).toEqual([true, false]);
  expect(foundFor(lost, of('SENT', { confirmations: 1 }))).toMatch(/sent, with 1 confirmation so far/);
  expect(foundFor(of('SENT'), of('SENT'))).toMatch(/no new confirmations/);
  expect(foundFor(of('SENT'), of('FAILED', { failedReason: 'dust' }))).toMatch(
    /failed \(dust\).*send it again/,
  );
  expect(retriedFor(lost, of('APPROVED'))).toMatch(/within seconds/);
  expect(retriedFor(lost, of('SENT'))).toMatch(/Not sent again.*has this payout/);
  expect(retriedFor(lost, of('FAILED', { failedReason: NEVER_RECEIVED }))).toMatch(/owes money/);
  expect(retriedFor(of('FAILED'), of('FAILED'))).toMatch(/second person/);
});

test('reads a filter that is not valid as one that is not set', () => {
  const { moment, number } = readerOf({
    from: '2026-13-99',
    to: '2026-11-30T10:00Z',
    least: 'abc',
    most: '5',
  });
  expect([moment('from'), number('least'), number('none')]).toEqual([undefined, undefined, undefined]);
  expect([moment('to'), number('most')]).toEqual(['2026-11-30T10:00:00.000Z', 5]);
  expect(readerOf({ day: '2026-11-30' }).moment('day')).toBe(new Date(2026, 10, 30).toISOString());
  const chosen = { from: '2026-11-01', to: '2026-11-02' };
  expect(periodIn({ values: { ...chosen, from: 'soon' } }).endDate).toBe(
    periodIn({ values: chosen }).endDate,
  );
  expect(periodIn({ values: { from: 'soon' } }).startDate).toBe(periodIn({ values: {} }).startDate);
});

test('treats filters as the same on another page and in another order', () => {
  const filters = { status: 'OPEN', page: '2', sortBy: 'id', sortOrder: 'asc' };
  expect(matchedBy(filters)).toBe(matchedBy({ status: 'OPEN', search: '' }));
  expect(matchedBy(filters)).not.toBe(matchedBy({ status: 'PAID' }));
});

/** Runs an action on three rows, and returns the rows that were sent. `refusal`: the error of the second one. */
async function sentRows({ refusal = '', nextUser = 1 } = {}) {
  const sent: number[] = [];
  let user = 1;
  await runRows({
    rows: [1, 2, 3],
    send: async (row: number) => {
      sent.push(row);
      if (row === 2) user = nextUser;
      if (row === 2 && refusal)
        throw new Refused(refusal === 'SESSION' ? 401 : 403, { code: refusal, message: '' });
    },
    userId: () => user,
    isStopped: () => false,
    asRefused: (error: unknown) => error,
    onProgress: () => {},
  });
  return sent;
}

test('continues an action on several rows after an error that concerns one row', async () => {
  expect(await sentRows({ refusal: 'USER_BANNED' })).toEqual([1, 2, 3]);
});

test.each(['SESSION', 'MFA_REQUIRED', 'MFA_INVALID', 'SIGN_IN_AGAIN'])(
  'ends an action on several rows after %s',
  async (refusal) => expect(await sentRows({ refusal })).toEqual([1, 2]),
);

test('ends an action on several rows when another user has signed in', async () => {
  expect(await sentRows({ nextUser: 2 })).toEqual([1, 2]);
});

test('compares views without the page and without empty filters', () => {
  expect(isSame({ status: 'OPEN', page: '3', search: '' }, { status: 'OPEN' })).toBe(true);
  expect(isSame({ status: 'OPEN' }, {})).toBe(false);
});

test('adds the page to the query of a GET and to the body of a POST', () => {
  const page = { page: 2, take: 20 };
  expect(withPage('GET /admin/promo', { query: { search: 'a' } }, page)).toEqual({
    query: { search: 'a', ...page },
  });
  expect(withPage('POST /admin/bets', { body: {} }, page)).toEqual({ body: page });
});

test('shows the chosen columns in their order after the first one, and ignores unknown names', () => {
  const columns = [{ name: 'id' }, { name: 'amount' }, { name: 'note', isExtra: true }];
  const names = (chosen: string[] | null) =>
    chosenOf(columns, chosen).map(({ name }: { name: string }) => name);
  expect(names(null)).toEqual(['id', 'amount']);
  expect(names(['id', 'note', 'gone', 'amount'])).toEqual(['id', 'note', 'amount']);
});

test('leads every menu entry to an operation that needs a permission, once', () => {
  const tabs = entries.flatMap((entry) => entry.tabs);
  expect(tabs.filter(({ of }) => !(of in RIGHTS))).toEqual([]);
  const paths = tabs.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  const keys = entries.flatMap(({ key }) => key ?? []);
  expect(new Set(keys).size).toBe(keys.length);
});

test('lists other words only for pages of the menu', () => {
  const paths = entries.flatMap(({ tabs }) => tabs.map(({ path }) => path));
  expect(Object.keys(SYNONYMS).filter((path) => !paths.includes(path))).toEqual([]);
});

test('counts in the menu the rows of the operation that the entry lists', () => {
  for (const { tabs, queue } of entries) if (queue) expect(queue.op).toBe(tabs[0]!.of);
});

test('mounts a page again for another object, but not for another tab of the same one', () => {
  const money = subjectOf({ 0: '7', 1: 'money', id: '7', part: 'money' });
  expect(subjectOf({ 0: '7', 1: 'notes', id: '7', part: 'notes' })).toBe(money);
  expect(subjectOf({ 0: '8', 1: 'money', id: '8', part: 'money' })).not.toBe(money);
  expect(subjectOf({ id: '1', userId: '7' })).not.toBe(subjectOf({ id: '1', userId: '8' }));
  const names = PAGES.flatMap(({ path }: { path: string }) =>
    [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!),
  );
  // Each parameter except these selects what the page shows.
  const tabs = ['part', 'code', 'game'];
  for (const name of new Set<string>(names))
    expect(subjectOf({ [name]: 'a' }) === subjectOf({ [name]: 'b' }), name).toBe(tabs.includes(name));
});

test('keeps the previous response while another page loads, but not while another object loads', () => {
  const bets = (id: number, page: number) => [
    'GET /admin/challenge/{id}/bets',
    { path: { id }, query: { page } },
  ];
  expect(isSameObject(bets(1, 1), bets(1, 2))).toBe(true);
  expect(isSameObject(bets(1, 1), bets(2, 1))).toBe(false);
  expect(isSameObject(undefined, bets(1, 1))).toBe(false);
  const lists = ['GET /admin/promo', { query: { page: 1 } }];
  expect(isSameObject(lists, ['GET /admin/promo', { query: { page: 2 } }])).toBe(true);
});

test('finds the menu entry of a page by the longest path', () => {
  expect(placeOf('/users/7/money').entry.name).toBe('Users');
  expect(placeOf('/affiliates/referrals').tab.name).toBe('Referrals');
  expect(placeOf('/leaderboards/schedules/3').tab.name).toBe('Schedules');
  expect(placeOf('/account')).toBeUndefined();
});

const reward = { kind: 'BONUS', currencyId: 'BTC', percent: 25, maxAmount: '0.001' };
const draft = { type: 'DEPOSIT', reward, maxWithdrawalMultiplier: 5, budget: { maxGrants: 300 } };

test('bounds the cost of a promotion by its grants, rounded up to cents for each of them', () => {
  expect(costOf(draft, '60000.005')).toEqual({
    grant: { amount: '0.001', currencyId: 'BTC' },
    cash: { amount: '0.005', currencyId: 'BTC' },
    totalUsd: '18003',
  });
});

test('bounds the cost of a promotion by its budget if that is lower', () => {
  const budget = { maxGrants: 300, maxTotalUsd: '1000.5' };
  expect(costOf({ ...draft, budget }, '60000')).toMatchObject({ totalUsd: '1000.5' });
  expect(costOf({ ...draft, budget })).toMatchObject({ totalUsd: '1000.5' });
});

test('finds no bound of the cost without a limit, without a rate, or with unclear amounts', () => {
  expect(costOf({ ...draft, budget: {} }, '60000')).toMatchObject({ totalUsd: undefined });
  expect(costOf(draft)).toMatchObject({ totalUsd: undefined });
  const unclear = { ...draft, reward: { ...reward, maxAmount: 'ten' } };
  expect(costOf(unclear, '60000')).toMatchObject({ grant: undefined, cash: undefined, totalUsd: undefined });
});

test('counts free spins with their bets in dollars', () => {
  const spins = { kind: 'FREE_SPINS', currencyId: 'BTC', freeSpins: 30, freeSpinValueUsd: '0.1' };
  expect(costOf({ ...draft, reward: spins, maxWithdrawalMultiplier: null })).toMatchObject({
    grant: { amount: '3', currencyId: 'USD' },
    cash: undefined,
    totalUsd: '900',
  });
});

test('multiplies a grant exactly', () => {
  const each = grantOf({ kind: 'BONUS', currencyId: 'BTC', amount: '0.00000001' });
  expect(timesOf(each, 500)).toEqual({ amount: '0.000005', currencyId: 'BTC' });
  expect(grantOf({ kind: 'BONUS', currencyId: 'BTC', percent: 25 })).toBeUndefined();
});

test('finds deposit promotions that require no deposit', () => {
  const spins = { kind: 'FREE_SPINS', freeSpins: 10, freeSpinValueUsd: '0.2' };
  const is = (reward: object, conditions: object = {}, type = 'DEPOSIT') =>
    isWithoutDeposit({ type, reward, conditions });
  expect([is(spins), is({ kind: 'BONUS', amount: '5' }), is({ kind: 'CASH', amount: '5' })]).toEqual([
    true,
    true,
    true,
  ]);
  expect(is(spins, { minDepositUsd: '0', depositSumUsd: null })).toBe(true);
  expect(is(spins, { minDepositUsd: '10' })).toBe(false);
  expect(is(spins, { depositSumUsd: '10' })).toBe(false);
  expect(is(spins, {}, 'WELCOME')).toBe(false);
  expect(is({ kind: 'BONUS', percent: 100 })).toBe(false);
  expect(is({ kind: 'BONUS' })).toBe(false);
});

test('finds no upper bound of a percentage without a limit, unless there is a budget', () => {
  const reward = { kind: 'BONUS', percent: 100, maxAmount: null };
  expect(isBounded({ reward, budget: { maxGrants: 10 } })).toBe(false);
  expect(isBounded({ reward, budget: { maxGrants: 10, maxTotalUsd: '100' } })).toBe(true);
  expect(isBounded({ reward: { ...reward, maxAmount: '5' }, budget: { maxGrants: 10 } })).toBe(true);
  expect(isBounded({ reward: { ...reward, maxAmount: '5' }, budget: {} })).toBe(false);
});

test('names the shipped roles that can approve', () => {
  for (const [right, titles] of Object.entries(APPROVERS)) {
    const holders = Object.values(SHIPPED_ROLES).filter(({ permissions }) =>
      permissions.some((name) => name === right),
    );
    expect(titles, right).toEqual(holders.map(({ title }) => title));
  }
});

test('compares fields by their value, and treats an absent term like an empty one', () => {
  const before = { at: '2026-11-24T10:00:00.000Z', list: ['a'], flag: true };
  const after = { at: '2026-11-24T10:00:00Z', list: ['a'], flag: false, cap: null };
  expect(changedIn(before, after)).toEqual({ flag: false });
});

test('passes the check of connected accounts only if nothing is hidden and all accounts were read', () => {
  const none = { connections: [], total: 0, totalIsExact: true, hidden: [] };
  expect(connectionCheck(none, 7)).toMatchObject({ kind: 'good', name: 'No connected accounts' });
  expect(connectionCheck({ ...none, hidden: ['IDENTITY'] }, 7)).toMatchObject({
    kind: 'plain',
    name: 'No connected accounts found',
    about: 'Hidden from you: Identity',
    to: '/users/7/connections',
  });
  const other = { user: { username: 'anna' }, isSamePerson: false, isBanned: false };
  const found = { connections: [other], total: 1, totalIsExact: false, hidden: [] };
  expect(connectionCheck(found, 7)).toMatchObject({
    kind: 'plain',
    name: 'At least 1 connected account',
    about: 'anna. Not all accounts were read',
  });
  expect(connectionCheck({ ...found, connections: [{ ...other, isBanned: true }] }, 7).kind).toBe('warn');
});

test('makes queues that differ in their status alone', () => {
  const queue = queuesBy({ page: 1, take: 20 });
  expect(queue('On hold', 'ON_HOLD')).toEqual({
    name: 'On hold',
    value: 'ON_HOLD',
    input: { query: { page: 1, take: 20, status: 'ON_HOLD' } },
    order: 'Oldest first',
  });
});

test('proposes the only tier that waits or the next one to approve, and otherwise none', () => {
  const tiersIn = (...statuses: string[]) =>
    ['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'].map((tier, at) => ({
      tier,
      status: statuses[at] ?? 'NONE',
    }));
  const address = { level: 1, tiers: tiersIn('APPROVED', 'RESUBMIT', 'ON_HOLD') };
  expect([likelyTier(address, true), likelyTier(address, false)]).toEqual(['ADDRESS', 'ADDRESS']);
  const both = { level: 1, tiers: tiersIn('APPROVED', 'PENDING', 'ON_HOLD') };
  expect([likelyTier(both, true), likelyTier(both, false)]).toEqual([undefined, undefined]);
  const none = { level: 1, tiers: tiersIn('APPROVED') };
  expect([likelyTier(none, true), likelyTier(none, false)]).toEqual(['IDENTITY', undefined]);
  const all = { level: 4, tiers: tiersIn('APPROVED', 'APPROVED', 'APPROVED', 'APPROVED') };
  expect(likelyTier(all, true)).toBeUndefined();
});
