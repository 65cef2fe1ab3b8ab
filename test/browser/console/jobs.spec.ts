/** Ten jobs of staff, each from the overview and with the fewest clicks that a trained member of staff needs. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { test as base, expect } from '../fixtures.ts';
import { card, dialog, fact, notice } from '../parts.ts';
import { fillWithDemo } from '../platform.ts';
import {
  betOnDice,
  type Call,
  callFrom,
  cashOf,
  importedSlot,
  newAccount,
  newName,
  newPlayer,
  rejection,
} from '../users.ts';
import { enterConsole, menu, row } from './console.ts';

/** The maximum number of clicks for each job. */
const MOST_CLICKS = {
  'explain a withdrawal': 2,
  'find the winner of the day': 4,
  'disable a game': 4,
  'start a deposit bonus': 4,
  'look into bonus abuse': 3,
  'ban a player and undo it': 4,
  'find the owner of a transaction': 2,
  'export the deposits of a month': 4,
  'appoint a colleague': 4,
  'explain a balance': 1,
};

/** 35 days always contain a part of the last month. */
const DEMO = { players: 100, days: 35, seed: 3 };

const test = base.extend<object, { demo: Awaited<ReturnType<typeof fillWithDemo>> }>({
  demo: [
    async ({ platform }, use) => use(await fillWithDemo(platform, DEMO)),
    { scope: 'worker', timeout: 900_000 },
  ],
});

test.beforeEach(({ page, demo }) => enterConsole(page, demo.superadmin));

type Actions = { clicks: number; fields: ReadonlySet<unknown> };

/**
 * Counts the actions in a page. A click is a press of the pointer or of a key, such as Enter or a shortcut. A field counts once, however much
 * is typed into it. A string, because the tests are compiled without the types of a page.
 */
const COUNT_ACTIONS = `(() => {
  const count = { clicks: 0, fields: new Set() };
  const isTyped = (target) => target.matches('textarea, input:not([type=checkbox], [type=radio])');
  const isClick = ({ key, ctrlKey, target }) =>
    !['Control', 'Shift', 'Alt', 'Meta'].includes(key) && (ctrlKey || key.length > 1 || !isTyped(target));
  document.addEventListener('pointerdown', () => count.clicks++, true);
  document.addEventListener('keydown', (event) => isClick(event) && count.clicks++, true);
  document.addEventListener('input', ({ target }) => isTyped(target) && count.fields.add(target), true);
  return count;
})()`;

/** Does a job from the overview. Fails if it needs too many clicks. The report contains the clicks, the fields and the seconds. */
async function doJob(page: Page, job: keyof typeof MOST_CLICKS, work: () => Promise<unknown>): Promise<void> {
  await page.goto('/console/overview');
  await expect(card(page, 'Needs attention')).toBeVisible();
  const count = await page.evaluateHandle<Actions>(COUNT_ACTIONS);
  const begin = performance.now();
  await work();
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const { clicks, fields } = await count.evaluate((all) => ({ clicks: all.clicks, fields: all.fields.size }));
  test.info().annotations.push({
    type: job,
    description: `clicks: ${clicks}, fields: ${fields}, seconds: ${seconds}`,
  });
  expect(clicks).toBeLessThanOrEqual(MOST_CLICKS[job]);
}

/** Searches everything. */
async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or jump to' }).fill(text);
}

/** Opens the first result of a search. A text that begins with > finds actions alone. */
async function find(page: Page, text: string): Promise<void> {
  await search(page, text);
  await page.keyboard.press('Enter');
}

const openPage = (page: Page, name: string) => menu(page).getByRole('link', { name, exact: true }).click();

test('shows why a withdrawal waits', async ({ page, platform }) => {
  const { call, username } = await newPlayer(platform);
  await call('POST', '/payments/withdraw', {
    currencyId: 'USDT',
    networkId: 'tron',
    recipientAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    amount: '101',
  });
  await doJob(page, 'explain a withdrawal', async () => {
    await card(page, 'Needs attention').getByRole('link', { name: 'Withdrawals' }).click();
    await row(page, username).getByRole('link').first().click();
    const checks = page.getByRole('main').getByRole('listitem').filter({ hasText: '+10 points' });
    for (const reason of ['No two-step verification', 'New address', 'First withdrawal'])
      await expect(checks.filter({ hasText: reason })).toBeVisible();
    await expect(page.getByText('One person is enough.')).toBeVisible();
  });
});

test('names the player who won most today', async ({ page, platform }) => {
  const { call } = await newPlayer(platform);
  await expect.poll(async () => (await betOnDice(call, { threshold: 2 })).payout).not.toBe('0');
  const today = new Date().toLocaleDateString('sv-SE');
  const period = new URLSearchParams({
    startDate: new Date(`${today}T00:00`).toISOString(),
    endDate: new Date(`${today}T23:59:59.999`).toISOString(),
  });
  const { current } = await callFrom(page, platform.api)('GET', `/admin/dashboard/top-users?${period}`);
  await doJob(page, 'find the winner of the day', async () => {
    await openPage(page, 'Performance');
    await page.getByRole('link', { name: 'Top players' }).click();
    await page.getByRole('button', { name: /^Period/ }).click();
    await page.getByRole('option', { name: 'Today' }).click();
    await expect(card(page, 'Most won').locator('tbody tr').first()).toContainText(
      current.won[0].user.username,
    );
  });
});

test('disables a game', async ({ page, platform }) => {
  const { call } = await newPlayer(platform);
  const { slug, name } = await importedSlot(call);
  await doJob(page, 'disable a game', async () => {
    await find(page, name);
    await page.getByRole('button', { name: 'Disable game' }).click();
    await dialog(page).getByRole('button', { name: 'Disable game' }).click();
    await expect(notice(page, `${name} disabled`)).toBeVisible();
  });
  const launch = call('POST', `/casino/games/${slug}/launch`, { currencyId: 'USDT' });
  expect(await rejection(launch)).toMatch(/GAME_DISABLED|GAME_NOT_FOUND/);
});

test('creates and starts a deposit bonus', async ({ page, platform }) => {
  const name = newName('Bonus');
  await doJob(page, 'start a deposit bonus', async () => {
    await find(page, '>deposit bonus');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Or percent of the next deposit').fill('50');
    await page.getByLabel('Up to (with a percentage)').fill('20');
    await page.getByLabel('Grant limit').fill('10');
    await page.getByRole('button', { name: 'Create promotion' }).click();
    await dialog(page).getByLabel('Reason').fill('a test of the console');
    await dialog(page).getByRole('button', { name: 'Start promotion' }).click();
    await expect(notice(page, 'Promotion started')).toBeVisible();
  });
  const found = await callFrom(page, platform.api)('GET', `/admin/promo?search=${name}`);
  expect(found.data).toMatchObject([{ type: 'DEPOSIT', status: 'ACTIVE', reward: { percent: 50 } }]);
});

test('shows the bonuses and the connected accounts of a suspected abuser', async ({ page, platform }) => {
  const [suspect, other] = [await newPlayer(platform), await newPlayer(platform)];
  const staff = callFrom(page, platform.api);
  const reward = { kind: 'BONUS', currencyId: 'USDT', amount: '5' };
  const terms = {
    name: newName('Bonus'),
    type: 'MANUAL',
    reward,
    wagerMultiplier: 1,
    budget: { maxGrants: 2 },
  };
  const { id } = await staff('POST', '/admin/promo', terms);
  await staff('POST', `/admin/promo/${id}/status`, { status: 'ACTIVE', reason: 'a test' });
  await staff('POST', `/admin/promo/${id}/grant`, { userIds: [suspect.id], reason: 'a test' });
  await doJob(page, 'look into bonus abuse', async () => {
    await find(page, suspect.username);
    await expect(page.getByRole('region', { name: 'Timeline' })).toContainText(terms.name);
    await expect(page.getByRole('region', { name: 'Timeline' })).toContainText('Promotion granted');
    await page.getByRole('link', { name: 'Connected accounts' }).click();
    await expect(row(page, other.username)).toContainText('IP address');
  });
});

test('bans a player, and undoes the ban', async ({ page, platform }) => {
  const { username, id } = await newPlayer(platform);
  const staff = callFrom(page, platform.api);
  const isBanned = async () =>
    (await staff('GET', `/admin/search?q=${username}`)).groups[0].hits[0].state === 'BANNED';
  await doJob(page, 'ban a player and undo it', async () => {
    await search(page, username);
    await page.getByRole('option', { name: `Ban ${username}…` }).click();
    await dialog(page).getByLabel('Reason').fill('a test of the console');
    await dialog(page).getByRole('button', { name: 'Ban user' }).click();
    const banned = notice(page, 'Banned');
    await expect(banned).toBeVisible();
    expect(await isBanned()).toBe(true);
    await banned.getByRole('button', { name: 'Undo' }).click();
    await expect(notice(page, 'Ban lifted')).toBeVisible();
  });
  expect(await isBanned()).toBe(false);
  await expect(page).toHaveURL(new RegExp(`/users/${id}$`));
});

test('finds the owner of a transaction hash', async ({ page, platform }) => {
  const staff = callFrom(page, platform.api);
  const { data } = await staff('GET', '/admin/payments/deposit?status=COMPLETED&take=50');
  const { txHash, user } = data.find((deposit: { txHash: string | null }) => deposit.txHash !== null);
  await doJob(page, 'find the owner of a transaction', async () => {
    await find(page, txHash);
    await expect(fact(page, 'Player')).toHaveText(user.username);
  });
});

async function countPostings(staff: Call, where: object): Promise<number> {
  const body = { sortBy: 'createdAt', sortOrder: 'desc', where, page: 1, take: 1 };
  return (await staff('POST', '/admin/accounting/transactions', body)).total;
}

test('exports the deposits of the last month', async ({ page, platform }) => {
  const now = new Date();
  const first = (back: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back);
  const period = new URLSearchParams({
    startDate: new Date(first(1)).toISOString(),
    endDate: new Date(first(0)).toISOString(),
  });
  const staff = callFrom(page, platform.api);
  const { total } = await staff('GET', `/admin/payments/deposit?${period}`);
  expect(total).toBeGreaterThan(0);
  await doJob(page, 'export the deposits of a month', async () => {
    await openPage(page, 'Deposits');
    await page.getByRole('link', { name: 'Last month' }).click();
    await expect(page.getByRole('button', { name: /^Created from/ })).toBeVisible();
    await page.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await dialog(page).getByRole('button', { name: 'Export CSV' }).click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(1 + total);
  });
});

test('appoints a colleague with a role', async ({ page, platform }) => {
  const { username, email, password } = newAccount();
  await doJob(page, 'appoint a colleague', async () => {
    await openPage(page, 'Staff');
    await page.getByRole('button', { name: 'Add colleague' }).click();
    await dialog(page).getByLabel('Username').fill(username);
    await dialog(page).getByLabel('Email').fill(email);
    await dialog(page).getByLabel('Temporary password').fill(password);
    await dialog(page).getByLabel('Support (SUPPORT)').click();
    await dialog(page).getByRole('button', { name: 'Create account' }).click();
    await expect(notice(page, 'Account created')).toBeVisible();
    await expect(row(page, username)).toContainText('Support');
  });
  const { data } = await callFrom(page, platform.api)('GET', '/admin/user/get-admins-with-roles');
  expect(data).toContainEqual(expect.objectContaining({ username, roles: ['SUPPORT'] }));
});

test('explains a balance by its postings', async ({ page, platform }) => {
  const { call, username } = await newPlayer(platform);
  for (let bets = 0; bets < 3; bets++) await betOnDice(call);
  const balance = Number(await cashOf(call));
  const postings = await countPostings(callFrom(page, platform.api), { username });
  await doJob(page, 'explain a balance', async () => {
    await openPage(page, 'Ledger');
    await page.getByRole('searchbox', { name: 'Search ledger' }).fill(username);
    await expect(row(page, '')).toHaveCount(postings);
    const cells = await row(page, '').first().getByRole('cell').allInnerTexts();
    expect(cells.map((text) => Number(text.replaceAll(',', '')))).toContain(balance);
  });
});
