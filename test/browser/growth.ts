import { ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { enter, type Platform, type Staff } from './entry.ts';
import { type Call, insist } from './verify.ts';

const aName = (prefix: string): string => `${prefix}_${randomBytes(5).toString('hex')}`;
export const aPicture = () =>
  sharp({ create: { width: 640, height: 400, channels: 3, background: '#2f6f9f' } })
    .png()
    .toBuffer();

/** Calls the API with a session's token. The captcha token is a dummy, because none is configured. */
const callWith =
  (api: string, token: string): Call =>
  async (method, path, body) => {
    const headers = {
      'x-captcha-token': 'local-captcha',
      ...(body && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const sent = body instanceof FormData ? body : body && JSON.stringify(body);
    const answer = await fetch(api + path, { method, headers, ...(sent && { body: sent }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };

export async function asStaff(api: string, { email, password }: Staff): Promise<Call> {
  const { accessToken } = await callWith(api, '')('POST', '/auth/sign-in', { email, password });
  return callWith(api, accessToken.token);
}

/** Creates a player with money by a regular sign-up, because test accounts cannot win challenges or prizes. */
async function aPlayer(
  api: string,
  boss: Call,
  came: { affiliateCode?: string } = {},
): Promise<{ player: Call; id: number; username: string }> {
  const username = aName('g');
  const { accessToken } = await callWith(api, '')('POST', '/auth/sign-up', {
    username,
    email: `${username}@mail.example`,
    password: `pw ${randomBytes(9).toString('hex')}`,
    ...came,
  });
  const player = callWith(api, accessToken.token);
  const { id } = await player('GET', '/user/me');
  await boss('POST', '/admin/admin-tips', {
    recipientUserId: id,
    currencyId: 'USDT',
    amount: '100',
    notes: 'To play with, until the next deposit.',
    tag: 'goodwill',
  });
  return { player, id, username };
}

/** The body of an application for a VIP level. */
const APPLICATION = {
  platformName: 'Another casino',
  platformUsername: 'highroller',
  totalWageredUsd: '250000',
  rank: 'Platinum',
  contactMethod: 'TELEGRAM',
  contactUsername: '@highroller',
  note: 'I play every day and would like a host.',
};

const aPromotion = (name: string) => ({
  name,
  description: 'For players who come back.',
  type: 'CODE',
  reward: { kind: 'BONUS', currencyId: 'USDT', amount: '5' },
  wagerMultiplier: 20,
  validityHours: 72,
});

/** Creates real rows for every growth screen. Returns the addresses of screens that are not in a menu. */
export async function growthScreens({ api }: Platform, staff: Staff): Promise<string[]> {
  const boss = await asStaff(api, staff);
  const { player, id } = await aPlayer(api, boss);
  const challenge = await challengeWith(boss, player);
  const run = await leaderboardWith(boss, player, id);
  // The grant is created after the challenge, because bets with bonus money cannot win a challenge.
  const promo = await promotionFor(boss, id);
  const [schedule] = await boss('GET', '/admin/leaderboards/schedule');
  const application = await player('POST', '/vip-application', APPLICATION);
  await sendPicture(player, application.id);
  await affiliate(api, boss, id);
  await boss('POST', '/admin/admin-tips/deduct-balance', {
    recipientUserId: id,
    currencyId: 'USDT',
    amount: '1',
    notes: 'Given twice.',
  });
  return [
    ...[
      '/promo/new',
      ...['', '/terms', '/games', '/codes', '/grants'].map((part) => `/promo/${promo}${part}`),
    ],
    ...['/challenges/new', `/challenges/${challenge}`],
    ...['new', 'schedules', `schedules/${schedule.id}`, run, `${run}/users/${id}`].map(
      (part) => `/leaderboards/${part}`,
    ),
    ...['?status=', `/${application.id}`].map((part) => `/vip${part}`),
    ...['referrals', 'levels', id].map((part) => `/affiliates/${part}`),
    ...['referrals', id].map((part) => `/streamers/${part}`),
    ...[`/rakeback?userIds=${id}`, `/users/${id}/growth`],
  ];
}

async function promotionFor(boss: Call, userId: number): Promise<string> {
  const { id } = await boss('POST', '/admin/promo', aPromotion('Welcome back'));
  await boss('POST', `/admin/promo/${id}/status`, { status: 'ACTIVE', reason: 'It begins.' });
  await boss('POST', `/admin/promo/${id}/codes`, { kind: 'ONE_TIME', count: 3 });
  const { granted } = await boss('POST', `/admin/promo/${id}/grant`, {
    userIds: [userId],
    reason: 'A guest.',
  });
  ok(granted === 1, 'the promotion was not granted');
  return id;
}

/** Creates a challenge that one of the player's bets wins. */
async function challengeWith(boss: Call, player: Call): Promise<string> {
  const { id } = await boss('PUT', '/admin/challenge', {
    gameSlug: 'dice',
    minBetAmountUsd: '0.5',
    minBetMultiplier: 1,
    rewardCurrency: 'USDT',
    rewardAmount: '10',
    isHidden: false,
  });
  const bet = { currencyId: 'USDT', betAmount: '1', threshold: 2, above: true };
  for (let i = 0; i < 3; i++) await player('POST', '/casino/games/house/dice/bet', bet);
  await insist(async () => {
    const { total } = await boss('GET', `/admin/challenge/${id}/bets`);
    if (total === 0) throw new Error('no bet meets the challenge');
  });
  return id;
}

/** Creates a leaderboard in which the player participates. */
async function leaderboardWith(boss: Call, player: Call, userId: number): Promise<string> {
  const { id } = await boss('POST', '/admin/leaderboards', {
    name: 'Race of the week-end',
    description: 'Whoever wagers most.',
    endDate: new Date(Date.now() + 86_400_000).toISOString(),
    currencyId: 'USDT',
    prizes: [
      { place: 1, usdAmount: '50' },
      { place: 2, usdAmount: '25' },
    ],
  });
  const bet = { currencyId: 'USDT', betAmount: '2', threshold: 50, above: true };
  await player('POST', '/casino/games/house/dice/bet', bet);
  await insist(() => boss('GET', `/admin/leaderboards/${id}/users/${userId}`));
  return id;
}

async function sendPicture(player: Call, application: string): Promise<void> {
  const body = new FormData();
  body.append('image', new Blob([await aPicture()], { type: 'image/png' }), 'proof.png');
  await player('POST', `/vip-application/${application}/image`, body);
}

/** Creates a streamer with a code, and a player who was referred with this code. */
async function affiliate(api: string, boss: Call, userId: number): Promise<void> {
  await boss('PATCH', `/admin/user/${userId}`, { isStreamer: true });
  const affiliateCode = aName('c');
  await boss('POST', '/admin/affiliate/code', { id: affiliateCode, userId });
  await aPlayer(api, boss, { affiliateCode });
}

const card = (page: Page, name: string) =>
  page.locator('section.card').filter({ has: page.getByRole('heading', { name, exact: true }) });
const said = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
const confirm = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

/** Staff create a promotion, see an error next to its field, start it, grant it to a player, and revoke it. The player reads the reason. */
export async function grantAPromotion(page: Page, platform: Platform, staff: Staff): Promise<void> {
  const { player, id, username } = await aPlayer(platform.api, await asStaff(platform.api, staff));
  const name = aName('Promotion');
  await enter(page, platform, staff);
  await page.goto(`${platform.api}/console/promo/new`);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('To be wagered, times').fill('20');
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.locator('.problem').filter({ hasText: 'Amount' }).waitFor();
  await page.getByLabel('Amount', { exact: true }).fill('7.5');
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.locator('h1').filter({ hasText: name }).waitFor();
  const step = card(page, 'Start, pause, archive');
  await step.getByLabel('Reason').fill('It begins.');
  await step.getByRole('button', { name: 'Do it' }).click();
  await confirm(page, 'Do it');
  await page.locator('.status').filter({ hasText: 'Active' }).waitFor();
  const grant = card(page, 'Grant it to players');
  await grant.getByLabel('User ids').fill(String(id));
  await grant.getByLabel('Reason').fill('A guest.');
  await grant.getByRole('button', { name: 'Grant', exact: true }).click();
  await confirm(page, 'Grant');
  await said(page, 'Granted: 1, skipped: 0');
  await page.getByRole('link', { name: 'Grants', exact: true }).click();
  const row = page.locator('tbody tr').filter({ hasText: username });
  await row.locator('summary').click();
  await row.getByLabel('Reason; the player reads it').fill('By mistake.');
  await row.getByRole('button', { name: 'Cancel the grant' }).click();
  await confirm(page, 'Cancel the grant');
  await said(page, 'Cancelled');
  const { data } = await player('GET', '/promo/my');
  ok(data.length === 1 && data[0].status === 'CANCELLED', `granted: ${JSON.stringify(data)}`);
  ok(data[0].closeReason.includes('By mistake.'), `why: ${data[0].closeReason}`);
}

/** Staff review and approve an application with an image, and the player gets the level. */
export async function decideAnApplication(page: Page, platform: Platform, staff: Staff): Promise<void> {
  const { player, username } = await aPlayer(platform.api, await asStaff(platform.api, staff));
  const { id } = await player('POST', '/vip-application', APPLICATION);
  await sendPicture(player, id);
  await enter(page, platform, staff);
  await page.goto(`${platform.api}/console/vip?search=${username}`);
  await page.locator('tbody tr').filter({ hasText: username }).getByRole('link').first().click();
  await page.locator('main img').waitFor();
  await page.evaluate('document.querySelector("main img").decode()');
  await page.getByRole('button', { name: 'Take into review' }).click();
  await said(page, 'In review');
  const decide = card(page, 'Decide');
  await decide.getByLabel('VIP level').fill('3');
  await decide.getByLabel('Reason, for staff').fill('Known elsewhere.');
  await decide.getByRole('button', { name: 'Approve' }).click();
  await confirm(page, 'Approve');
  await card(page, 'How it was decided').waitFor();
  const { vipLevel } = await player('GET', '/user/me');
  ok(vipLevel === 3, `the level is ${vipLevel}`);
}

/** Staff create a challenge with an image. A bet wins it, and the player is paid. */
export async function payAChallenge(page: Page, platform: Platform, staff: Staff): Promise<void> {
  const { player, username } = await aPlayer(platform.api, await asStaff(platform.api, staff));
  await enter(page, platform, staff);
  await page.goto(`${platform.api}/console/challenges/new`);
  await page.getByLabel('Game (its slug)').fill('dice');
  await page.getByLabel('Stake of at least, in USD').fill('0.1');
  await page.getByLabel('Multiplier of at least').fill('1.01');
  await page.getByLabel('Reward', { exact: true }).fill('11');
  await page.getByRole('button', { name: 'Set up' }).click();
  await card(page, 'Bets that can win').waitFor();
  await page
    .getByLabel('An image of its own')
    .setInputFiles({ name: 'challenge.png', mimeType: 'image/png', buffer: await aPicture() });
  await page.getByRole('button', { name: 'Set the image' }).click();
  await said(page, 'The image is set');
  const id = page.url().split('/').at(-1);
  const bet = { currencyId: 'USDT', betAmount: '1', threshold: 2, above: true };
  await insist(async () => {
    const { won } = { won: await player('POST', '/casino/games/house/dice/bet', bet) };
    if (won.payout === '0') throw new Error('lost');
  });
  const row = page.locator('tbody tr').filter({ hasText: username }).first();
  await insist(async () => {
    await page.goto(`${platform.api}/console/challenges/${id}`);
    await row.waitFor({ timeout: 1000 });
  });
  await row.getByRole('button', { name: 'Pay the reward' }).click();
  await confirm(page, 'Pay the reward');
  await card(page, 'Take the reward back').waitFor();
  const { data } = await player('GET', '/challenge/my');
  ok(data[0]?.isWon === true, `challenges: ${JSON.stringify(data)}`);
}
