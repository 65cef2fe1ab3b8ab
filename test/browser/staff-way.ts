import { ok } from 'node:assert/strict';
import { generate } from 'otplib';
import type { Browser, Locator, Page } from 'playwright-core';
import { connect } from '../../client/client.ts';
import { newMember } from './roles.ts';
import { type Call, insist, signInWithSocket } from './verify.ts';

type Platform = { api: string; realtime: string; debugToken: string };
type Staff = { email: string; password: string };
const STEP_MS = 30_000;

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

/**
 * Tests two staff members with mandatory second factors. Both enable one, approve an identity verification, send a large withdrawal
 * together, tighten a limit, and ban the player, whose socket is closed. The audit log contains all of these actions.
 */
export async function staffWay(browser: Browser, platform: Platform, boss: Staff): Promise<void> {
  const colleague = await newMember(platform, 'RISK', 'FINANCE', 'SUPPORT');
  const [one, two] = await Promise.all([boss, colleague].map((staff) => open(browser, platform, staff)));
  try {
    const player = await newPlayer(platform);
    await approveIdentity(one!, platform, player);
    await sendTogether([one!, two!], platform, player);
    await tighten(one!, platform, player);
    await banAndCut(two!, platform, player);
    await auditShows(one!, platform);
  } catch (error) {
    for (const page of [one!, two!]) console.log(page.url(), await page.innerText('body'));
    throw error;
  } finally {
    for (const page of [one!, two!]) await page.context().close();
  }
}

/** Signs in and enables the second factor. Without it, every other staff operation is rejected. */
async function open(browser: Browser, { api }: Platform, { email, password }: Staff): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(`${api}/console/`);
  await page.fill('input[name=email]', email);
  await page.fill('input[name=password]', password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await heading(page, 'Own account');
  await page.goto(`${api}/console/users`);
  await heading(page, 'Own account');
  const app = card(page, 'Authenticator app');
  await app.getByRole('button', { name: 'Turn it on' }).click();
  const secret = (await app.locator('code').first().innerText()).trim();
  await app.getByLabel('The code that the app shows').fill(await generate({ secret }));
  await app.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await page.goto(`${api}/console/users`);
  await heading(page, 'Users');
  secrets.set(page, secret);
  return page;
}
const secrets = new Map<Page, string>();

/** Returns the code of the next half minute, because the current one may have been used. */
async function nextCode(page: Page): Promise<string> {
  const epoch = Math.floor((Date.now() + STEP_MS) / 1000);
  return generate({ secret: secrets.get(page)!, epoch });
}

type Known = { call: Call; socketToken: string; id: number };

async function newPlayer({ api }: Platform): Promise<Known> {
  const { call, socketToken } = await signInWithSocket(api);
  const { id } = await call('GET', '/user/me');
  await call('GET', '/debug/me/give-money?amount=50000');
  await call('POST', '/kyc/basic', PERSON);
  await call('POST', '/kyc/session', { tier: 'IDENTITY' });
  return { call, socketToken, id };
}

async function approveIdentity(page: Page, { api }: Platform, { call, id }: Known): Promise<void> {
  await page.goto(`${api}/console/kyc/${id}`);
  const decide = card(page, 'Decide');
  await decide.getByLabel('Reason').fill('the document is genuine');
  await press(decide, 'Decide');
  await said(page, 'Decided');
  const { tiers } = await call('GET', '/kyc');
  const { status } = tiers.find(({ tier }: { tier: string }) => tier === 'IDENTITY');
  ok(/APPROVED/.test(status), `the tier is ${status}`);
}

async function sendTogether(pages: readonly Page[], { api }: Platform, { call }: Known): Promise<void> {
  const order = {
    currencyId: 'USDT',
    networkId: 'tron',
    recipientAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  };
  const { id } = await call('POST', '/payments/withdraw', { ...order, amount: AMOUNT });
  const [first, second] = pages as [Page, Page];
  await first.goto(`${api}/console/withdrawals/${id}`);
  await press(card(first, 'Approve'), 'Approve');
  await said(first, 'a second person has to as well');
  await press(card(first, 'Approve'), 'Approve');
  await first.getByRole('dialog').filter({ hasText: 'Refused' }).waitFor();
  await second.goto(`${api}/console/withdrawals/${id}`);
  await press(card(second, 'Approve'), 'Approve');
  await said(second, 'Approved');
  await insist(async () => {
    const { data } = await call('GET', '/payments/withdraw');
    ok(data.find((one: { id: string }) => one.id === id).status === 'COMPLETED', JSON.stringify(data));
  });
}

async function tighten(page: Page, { api }: Platform, { id, call }: Known): Promise<void> {
  await page.goto(`${api}/console/users/${id}/protection`);
  const limits = card(page, 'Limits');
  await limits.getByLabel('Most that they may wager').fill('5');
  await press(limits, 'Tighten');
  await said(page, 'Tightened');
  const bet = { currencyId: 'USDT', betAmount: '6', threshold: 50, above: true };
  const refused = await call('POST', '/casino/games/house/dice/bet', bet).catch(
    (error: Error) => error.message,
  );
  ok(/LIMIT/.test(String(refused)), `a bet above the limit: ${JSON.stringify(refused)}`);
}

async function banAndCut(page: Page, { api, realtime }: Platform, { socketToken, id }: Known): Promise<void> {
  const socket = connect({ url: realtime, token: () => socketToken });
  const ready = new Promise<void>((done) => socket.on('ready', () => done()));
  const revoked = new Promise<void>((done) => socket.on('session.revoked', () => done()));
  await ready;
  await page.goto(`${api}/console/users/${id}`);
  const ban = card(page, 'Ban');
  await ban.getByLabel('Reason').fill('a test of the console');
  await press(ban, 'Ban');
  await revoked;
  socket.close();
}

const TOLD = ['/kyc/', '/withdraw/approve', '/gambling-limits', '/ban'];

async function auditShows(page: Page, { api }: Platform): Promise<void> {
  await page.goto(`${api}/console/audit`);
  for (const path of TOLD) await page.locator('tbody tr').filter({ hasText: path }).first().waitFor();
}

const card = (page: Page, title: string): Locator =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
const heading = (page: Page, name: string) => page.locator('h1').filter({ hasText: name }).waitFor();
const said = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words }).waitFor();

/** Presses a button, confirms its dialog, and enters the second factor if requested. */
async function press(where: Locator, name: string): Promise<void> {
  const page = where.page();
  await where.getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  const prompt = page.getByRole('dialog').filter({ hasText: 'Your second factor' });
  const asked = await prompt.waitFor({ timeout: 1000 }).then(
    () => true,
    () => false,
  );
  if (!asked) return;
  await prompt.locator('input[name=code]').fill(await nextCode(page));
  await prompt.getByRole('button', { name: 'Confirm' }).click();
}
