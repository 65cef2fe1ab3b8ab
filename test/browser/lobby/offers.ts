import { equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { aPicture } from '../growth.ts';
import { type Call, insist } from '../verify.ts';
import { aGuest, aName, aPlayer, open, staffOf, withSecond } from './guests.ts';
import type { Place, Steps } from './steps.ts';

const bet = (call: Call, betAmount: string) =>
  call('POST', '/casino/games/house/dice/bet', { currencyId: 'USDT', betAmount, threshold: 10, above: true });

const card = (page: Page, name: string | RegExp) =>
  page.locator('section.card').filter({ has: page.getByRole('heading', { name, exact: true }) });
const said = (page: Page, text: string | RegExp) =>
  page.getByRole('status').filter({ hasText: text }).first().waitFor();
/** Returns the value next to a label. */
const fact = (page: Page, name: string) =>
  page.locator('.facts > div').filter({ has: page.locator('dt').getByText(name, { exact: true }) });
/** Creates and starts a promotion with a code. */
async function aCode(boss: Call, conditions: object = {}): Promise<{ name: string; code: string }> {
  const name = aName('Bonus');
  const { id } = await boss('POST', '/admin/promo', {
    name,
    type: 'CODE',
    reward: { kind: 'BONUS', currencyId: 'USDT', amount: '5' },
    wagerMultiplier: 2,
    validityHours: 72,
    maxBetUsd: '2',
    conditions,
  });
  await boss('POST', `/admin/promo/${id}/status`, { status: 'ACTIVE', reason: 'It begins.' });
  const code = aName('code');
  await boss('POST', `/admin/promo/${id}/codes`, { kind: 'UNIVERSAL', code, maxUses: 10 });
  return { name, code };
}

async function redeem(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.getByRole('button', { name: 'Redeem' }).click();
}

async function wagerABonus(page: Page, place: Place): Promise<void> {
  const boss = await staffOf(place);
  const { call } = await aGuest(page, place, '0');
  const [given, barred] = [await aCode(boss), await aCode(boss, { minVipLevel: 3 })];
  await open(page, place, '/offers/promo');
  await redeem(page, 'no-such-code');
  await page.getByRole('alert').filter({ hasText: 'no such promotion or code' }).waitFor();
  await redeem(page, barred.code);
  await page.getByRole('alert').filter({ hasText: 'a higher VIP level' }).waitFor();
  await redeem(page, given.code);
  const bonus = card(page, given.name);
  await bonus.getByText('0 / 10 USDT').waitFor();
  await bonus.getByText('2 USD').waitFor();
  // The cash balance does not include the bonus.
  equal((await page.locator('.money .amount').innerText()).trim(), '0');
  await bet(call, '1');
  await bonus.getByText('1 / 10 USDT').waitFor();
  await bonus.getByRole('button', { name: 'Give it up' }).click();
  const asked = page.getByRole('dialog');
  await asked.getByText('You would lose bonus money').waitFor();
  const { data } = await call('GET', '/promo/my');
  await asked.getByText(`${data[0].bonusBalance} USDT`).waitFor();
  equal(data[0].status, 'ACTIVE');
  await asked.getByRole('button', { name: 'Give it up' }).click();
  await said(page, 'The bonus is given up');
  await page.getByRole('row').filter({ hasText: given.name }).getByText('given up').waitFor();
}

async function claimRakeback(page: Page, place: Place): Promise<void> {
  const { call } = await aGuest(page, place);
  await bet(call, '20');
  await insist(async () => {
    const { totalsUsd } = await call('GET', '/rakeback');
    ok(totalsUsd.instant !== '0', 'nothing has accrued');
  });
  await open(page, place, '/offers/rakeback');
  const before = await balanceOf(call);
  await page.getByRole('button', { name: 'Claim: At once' }).click();
  await said(page, /Claimed: \S+ USDT/);
  ok(Number(await balanceOf(call)) > Number(before), 'the wallet has not grown');
  await page.getByRole('button', { name: 'Claim: At once' }).waitFor({ state: 'detached' });
}

async function balanceOf(call: Call): Promise<string> {
  const balances = await call('GET', '/accounting/balances');
  return balances.find(({ currencyId }: { currencyId: string }) => currencyId === 'USDT').amount;
}

async function race(page: Page, place: Place): Promise<void> {
  const boss = await staffOf(place);
  const { call, username } = await aPlayer(page, place, boss);
  const name = aName('Race');
  const { id } = await boss('POST', '/admin/leaderboards', {
    name,
    description: 'Whoever wagers most.',
    endDate: new Date(Date.now() + 86_400_000).toISOString(),
    currencyId: 'USDT',
    prizes: [{ place: 1, usdAmount: '50' }],
  });
  await open(page, place, `/offers/leaderboards/${id}`);
  await page.getByText('You are not in it').waitFor();
  await bet(call, '2');
  const row = page.getByRole('row').filter({ hasText: username });
  await row.getByText('2 USD').waitFor({ timeout: 60_000 });
  await fact(page, 'Place').getByText('1', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Leaderboards', exact: true }).click();
  await card(page, 'Where you took part').getByRole('link', { name }).waitFor();
}

async function bringSomebody(page: Page, place: Place): Promise<void> {
  await aGuest(page, place);
  await open(page, place, '/offers/affiliate');
  const code = aName('c');
  await page.getByLabel('New code').fill(code);
  await page.getByRole('button', { name: 'Make the code' }).click();
  const row = card(page, 'Your codes').getByRole('row').filter({ hasText: code });
  const link = await row.locator('code').innerText();
  const username = aName('o');
  await withSecond(place, async (second) => {
    await second.goto(link);
    await second.getByLabel('Username').fill(username);
    await second.getByLabel('E-mail', { exact: true }).fill(`${username}@mail.example`);
    await second.getByLabel('Password, eight').fill(`pw ${randomBytes(9).toString('hex')}`);
    await second.locator('form').getByRole('button', { name: 'Sign up' }).click();
    await second.getByRole('link', { name: username }).waitFor();
  });
  await page.reload();
  await card(page, 'Who came by your links').getByRole('row').filter({ hasText: username }).waitFor();
}

async function tip(page: Page, place: Place): Promise<void> {
  const { username } = await aGuest(page, place);
  await withSecond(place, async (second) => {
    const other = await aGuest(second, place);
    await open(second, place, '/offers/tips');
    await card(second, 'Received').getByText('No tips yet').waitFor();
    await open(page, place, '/offers/tips');
    await page.getByLabel('To', { exact: true }).fill(other.username);
    await page.getByLabel('Amount', { exact: true }).fill('5');
    await page.getByLabel('Message').fill('Well played');
    await page.getByRole('button', { name: 'Give', exact: true }).click();
    const asked = page.getByRole('dialog');
    await asked.getByText(other.username).waitFor();
    await asked.getByRole('button', { name: 'Give', exact: true }).click();
    await said(page, 'The tip is given');
    await card(page, 'Sent').getByRole('row').filter({ hasText: other.username }).waitFor();
    await card(second, 'Received')
      .getByRole('row')
      .filter({ hasText: username })
      .getByText('5')
      .first()
      .waitFor();
  });
}

async function applyForVip(page: Page, place: Place): Promise<void> {
  const { call } = await aGuest(page, place);
  await open(page, place, '/offers/vip');
  await page.getByText('Apply for a level').click();
  await page.getByLabel('Where you played').fill('Another casino');
  await page.getByLabel('Your name there').fill('highroller');
  await page.getByLabel('Wagered there, in USD').fill('250000');
  await page.getByLabel('Your rank there').fill('Platinum');
  await page.getByLabel('Your address there').fill('me@mail.example');
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await said(page, 'Your application is here');
  const file = { name: 'proof.png', mimeType: 'image/png', buffer: await aPicture() };
  await page.getByLabel('Image as proof').setInputFiles(file);
  await page.getByRole('button', { name: 'Add the image' }).click();
  await page.locator('img.proof').waitFor();
  await page.evaluate('document.querySelector("img.proof").decode()');
  const [application] = await call('GET', '/vip-application');
  equal(application.images.length, 1);
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message, 200').fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}
const message = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Messages' }).getByRole('listitem').filter({ hasText: text });

async function chat(page: Page, place: Place): Promise<void> {
  const boss = await staffOf(place);
  const moderate = (action: string, args: object) =>
    boss('POST', '/admin/chat/admin-action', { action, args });
  const { id } = await aGuest(page, place);
  await open(page, place, '/chat');
  await withSecond(place, async (second) => {
    await aGuest(second, place);
    await open(second, place, '/chat');
    const hello = `${aName('hello')} <img src=x onerror=alert(1)>`;
    await write(page, hello);
    await message(second, hello).waitFor();
    equal(await second.locator('.messages img').count(), 0);
    const answer = aName('answer');
    await write(second, answer);
    await message(page, answer).waitFor();
    await second.context().setOffline(true);
    const missed = aName('missed');
    await insist(async () => {
      await write(page, missed);
      await message(page, missed).waitFor({ timeout: 1000 });
    });
    await second.context().setOffline(false);
    await message(second, missed).waitFor({ timeout: 60_000 });
    await moderate('MUTE_USER', { userId: id, seconds: 3600 });
    await said(page, 'Staff has muted you until');
    ok(await page.getByLabel('Message, 200').isDisabled(), 'the muted may type');
    await moderate('UNMUTE_USER', { userId: id });
    await page.getByLabel('Message, 200').and(page.locator(':enabled')).waitFor();
    await moderate('SET_SLOW_MODE', { roomId: 'general', seconds: 60 });
    await said(second, 'Slow mode: one message in 60 s');
    // Within two seconds of the last message, another limit rejects the message first. The test therefore sends the message again.
    await insist(async () => {
      await write(page, aName('again'));
      const told = page.getByRole('alert').filter({ hasText: 'Slow mode is on in this room. Wait' });
      await told.waitFor({ timeout: 1000 });
    });
    await moderate('SET_SLOW_MODE', { roomId: 'general', seconds: 0 });
    await second.reload();
    await message(second, answer).waitFor();
    await moderate('CLEAR_ROOM', { roomId: 'general' });
    await second.getByText('Nobody has written yet').waitFor();
  });
}

/** From the moment of a self-exclusion no offers are shown, and the chat is read-only. */
async function excluded(page: Page, place: Place): Promise<void> {
  const { call } = await aGuest(page, place);
  await open(page, place, '/offers/promo');
  await call('POST', '/user-limits/self-exclusion', { durationDays: 180 });
  await said(page, 'You are shown no offers');
  equal(await page.getByRole('button', { name: 'Redeem' }).count(), 0);
  await page.getByRole('link', { name: 'Chat', exact: true }).click();
  await page.getByText('you can read here, but not write').waitFor();
}

export const offersSteps: Steps = {
  'a code gives a bonus, a bet moves its progress, and it is given up after its price was shown': wagerABonus,
  'rakeback is claimed, and the wallet has it': claimRakeback,
  'a place on a leaderboard appears by itself': race,
  'a code of an affiliate brings somebody, who is listed': bringSomebody,
  'a tip is confirmed, and the other sees it come': tip,
  'an application for VIP waits with its image': applyForVip,
  'two players chat, over a cut, muted, in slow mode, and cleared': chat,
  'whoever excludes themselves is shown no offers': excluded,
};
