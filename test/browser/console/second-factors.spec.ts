import type { Locator, Page } from '@playwright/test';
import { connect } from '../../../client/client.ts';
import { expect, test } from '../fixtures.ts';
import { card, dialog, notice } from '../parts.ts';
import type { SignIn } from '../platform.ts';
import { betOnDice, type Call, callFrom, newPlayer, newStaff, type Player, rejection } from '../users.ts';
import { addAuthenticatorApp, enterPassword, pressWithCode, row, title } from './console.ts';

test.use({ settings: { STAFF_MFA_REQUIRED: 'true' } });

/** An amount that needs two approvers. */
const AMOUNT = '20000';
const PERSON = {
  firstName: 'Robin',
  lastName: 'Meier',
  birthDate: '1990-02-28',
  country: 'DE',
  city: 'Bremen',
  address: 'Am Wall 1',
  postalCode: '28195',
};

type Desk = { page: Page; press: (part: Locator, name: string, done: Locator) => Promise<void> };

/** Signs in and adds an authenticator app. Until then, every other page redirects to 'My account'. */
async function openDesk(page: Page, user: SignIn): Promise<Desk> {
  await page.goto('/console/');
  await enterPassword(page, user);
  await expect(title(page, 'My account')).toBeVisible();
  await page.goto('/console/users');
  await expect(title(page, 'My account')).toBeVisible();
  const secret = await addAuthenticatorApp(page, card(page, 'Authenticator app'));
  await page.goto('/console/users');
  await expect(title(page, 'Users')).toBeVisible();
  return { page, press: (part, name, done) => pressWithCode(part, name, secret, done) };
}

async function approveIdentity({ page, press }: Desk, { call, id }: Player): Promise<void> {
  await call('POST', '/kyc/basic', PERSON);
  await call('POST', '/kyc/session', { tier: 'IDENTITY' });
  await page.goto(`/console/kyc/${id}`);
  await page.getByRole('button', { name: 'Approve…' }).click();
  const form = page.getByRole('dialog', { name: 'Approve this tier?' });
  await form.getByLabel('Reason').fill('the document is genuine');
  await press(form, 'Approve', notice(page, 'Decision saved'));
  await expect(notice(page, 'Decision saved')).toBeVisible();
  const { tiers } = await call('GET', '/kyc');
  expect(tiers).toContainEqual(
    expect.objectContaining({ tier: 'IDENTITY', status: expect.stringContaining('APPROVED') }),
  );
}

async function approveTogether(first: Desk, second: Desk, { call }: Player): Promise<void> {
  const { id } = await call('POST', '/payments/withdraw', {
    currencyId: 'USDT',
    networkId: 'tron',
    recipientAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    amount: AMOUNT,
  });
  const approve = async ({ page, press }: Desk, done: Locator) => {
    await press(page.getByRole('main'), 'Approve', done);
    await expect(done).toBeVisible();
  };
  await first.page.goto(`/console/withdrawals/${id}`);
  await approve(first, notice(first.page, 'A second person must approve it, too.'));
  await expect(card(first.page, 'Four eyes')).toContainText('You can’t, because you approved it.');
  await approve(first, dialog(first.page).filter({ hasText: 'A second person must approve' }));
  await second.page.goto(`/console/withdrawals/${id}`);
  await expect(card(second.page, 'Four eyes')).toContainText(
    'console_boss can’t, and neither can an account connected with console_boss or the player.',
  );
  await approve(second, notice(second.page, 'Approved'));
  const withdrawals = async () => (await call('GET', '/payments/withdraw')).data;
  await expect
    .poll(withdrawals, { timeout: 60_000 })
    .toContainEqual(expect.objectContaining({ id, status: 'COMPLETED' }));
}

async function lowerLimit({ page, press }: Desk, { id, call }: Player): Promise<void> {
  await page.goto(`/console/users/${id}/protection`);
  await page.getByRole('button', { name: 'Lower limit…' }).click();
  const form = page.getByRole('dialog', { name: 'Lower the wager limit' });
  await form.getByLabel('Wager limit (USD)').fill('5');
  await press(form, 'Lower limit', notice(page, 'Limit lowered'));
  await expect(notice(page, 'Limit lowered')).toBeVisible();
  expect(await rejection(betOnDice(call, { betAmount: '6' }))).toContain('LIMIT');
}

/** The ban must close the player's socket. */
async function ban({ page, press }: Desk, realtime: string, { socketToken, id }: Player): Promise<void> {
  const socket = connect({ url: realtime, token: () => socketToken });
  const ready = new Promise<void>((resolve) => socket.on('ready', () => resolve()));
  const revoked = new Promise<void>((resolve) => socket.on('session.revoked', () => resolve()));
  try {
    await ready;
    await page.goto(`/console/users/${id}`);
    await page.getByRole('button', { name: 'Ban…' }).click();
    const form = page.getByRole('dialog', { name: /^Ban / });
    await form.getByLabel('Reason').fill('a test of the console');
    await press(form, 'Ban user', notice(page, 'Banned'));
    await revoked;
  } finally {
    socket.close();
  }
}

/** Returns the requests in the audit log. It contains reads, too, so the page of the console does not show all of them at once. */
async function auditedRequests(call: Call): Promise<string[]> {
  const pages = Array.from({ length: 25 }, (_, at) => call('GET', `/admin/user/admin-audit?page=${at + 1}`));
  const rows: { method: string; path: string }[] = (await Promise.all(pages)).flatMap(({ data }) => data);
  return rows.map(({ method, path }) => `${method} ${path}`);
}

test('lets two staff members with second factors approve, limit and ban a player, and records it', async ({
  openPage,
  platform,
  superadmin,
}) => {
  const colleague = await newStaff(platform, 'RISK', 'FINANCE', 'SUPPORT');
  const [first, second] = await Promise.all([
    openDesk(await openPage(), superadmin),
    openDesk(await openPage(), colleague),
  ]);
  const player = await newPlayer(platform, { money: '50000' });
  await approveIdentity(first, player);
  await approveTogether(first, second, player);
  await lowerLimit(first, player);
  await ban(second, platform.realtime, player);
  await first.page.goto('/console/audit');
  await expect(row(first.page, '/ban').first()).toBeVisible();
  const requests = await auditedRequests(callFrom(first.page, platform.api));
  for (const request of [/^PATCH .*\/kyc\//, /^POST .*\/withdraw\/approve/, /\/gambling-limits/])
    expect(requests).toContainEqual(expect.stringMatching(request));
});
