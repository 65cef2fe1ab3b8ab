import { ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { connect } from '../../client/client.ts';
import { insist, signIn } from './verify.ts';

type Platform = { api: string; realtime: string };
type Answer = { status: number; body: any };

/** Calls the API as the user signed in on the page. */
async function asStaff(page: Page, method: string, path: string, body?: object): Promise<any> {
  const { status, body: answer } = (await page.evaluate(
    async ([method, path, body]) => {
      const headers = body ? { 'content-type': 'application/json' } : {};
      const sent = await fetch(path as string, { method: method as string, headers, body: body as string });
      const text = await sent.text();
      return { status: sent.status, body: text ? JSON.parse(text) : undefined };
    },
    [method, path, body && JSON.stringify(body)] as const,
  )) as Answer;
  ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  return answer;
}

/** Creates data for the screens that manage the site, such as chat and bots. Returns the addresses of screens that are not in the menu. */
export async function siteScreens(page: Page, platform: Platform): Promise<string[]> {
  await writeInTheChat(platform);
  const staff = (method: string, path: string, body?: object) => asStaff(page, method, path, body);
  const name = `bot_${randomBytes(5).toString('hex')}`;
  const account = {
    username: name,
    email: `${name}@mail.example`,
    password: randomBytes(12).toString('hex'),
  };
  const { id: userId } = await staff('POST', '/admin/user/admin-user', account);
  await staff('PATCH', '/admin/bot-activity/bot-toggle', { userId, isBot: true });
  const bot = await staff('POST', '/admin/bot-activity/manage', {
    userId,
    type: 'HOUSE_GAME',
    behavior: 'CALM',
    playDays: ['FRIDAY', 'SATURDAY'],
    isActive: true,
    games: ['dice', 'keno'],
    startTime: '20:30',
  });
  // The platform imports the sandbox's games soon after the start.
  const slot = await insist(async () => {
    const { data } = await staff('GET', '/admin/casino/games/all?type=SLOTS&take=1');
    ok(data.length > 0, 'no slot has been taken over');
    return data[0];
  });
  const { providerId } = slot;
  const rule = { providerId, category: null, gameId: null, payload: null, ggrPercent: '11.5' };
  const rules = await staff('GET', `/admin/casino/games/commission?providerId=${providerId}`);
  const { id: ruleId } = rules.data[0] ?? (await staff('PUT', '/admin/casino/games/commission', rule));
  await staff('POST', '/admin/casino/games/main', { category: 'SLOTS', slugs: [slot.slug] });
  await staff('PUT', `/admin/casino/games/${slot.slug}/tags`, { tags: ['new', 'fast'] });
  const note = await staff('POST', '/admin/user-notes', {
    userId,
    note: 'A test account.',
    riskLevel: 'LOW',
  });
  return [
    `/games/${slot.slug}`,
    '/games/dice',
    '/house-games/speed-roulette',
    `/providers/${slot.provider.slug}`,
    `/commissions/${ruleId}`,
    ...['revenue', 'payments', 'players', 'games', 'top', 'liabilities'].map((part) => `/reports/${part}`),
    ...['curves', 'types', 'games'].map((part) => `/play-report/${part}`),
    ...['withdrawals', 'affiliates', 'battles'].map((code) => `/configuration/${code}`),
    `/bots/${bot.id}`,
    `/notes/${note.id}`,
  ];
}

async function writeInTheChat({ api, realtime }: Platform): Promise<void> {
  const name = `c_${randomBytes(6).toString('hex')}`;
  const post = async (path: string, body: object, token?: string) => {
    const headers = {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const sent = await fetch(api + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return sent.json() as Promise<any>;
  };
  await post('/debug/user/create', { username: name, emailVerified: true });
  const session = await post(`/debug/auth/login/${name}`, {});
  const client = connect({ url: realtime, token: () => session.socketToken.token, rooms: ['chat:general'] });
  try {
    await insist(() => client.send('chat:general', 'Good evening to everybody.'));
  } finally {
    client.close();
  }
}

/** Staff stop a house game with a reason. The API immediately rejects bets on the game, and accepts them again when the game is enabled. */
export async function stopAGame(page: Page, { api }: Platform): Promise<void> {
  const player = await signIn(api);
  const bet = { currencyId: 'USDT', betAmount: '1', multiplier: 2 };
  const tryIt = () =>
    player('POST', '/casino/games/house/limbo/bet', bet).then(
      () => 'taken',
      (error: Error) => error.message,
    );
  ok((await tryIt()) === 'taken', 'limbo is on at first');
  await page.goto(`${api}/console/house-games/limbo`);
  const press = async (name: string) => {
    await page.getByLabel('Why, for the audit').fill('a test of the console');
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  };
  await press('Stop it');
  await page.getByRole('status').filter({ hasText: 'Stopped' }).waitFor();
  const refused = await tryIt();
  ok(/GAME_DISABLED/.test(refused), `a game that is off takes a bet: ${refused}`);
  await press('Let it go on');
  await page.getByRole('status').filter({ hasText: 'It goes on' }).waitFor();
  ok((await tryIt()) === 'taken', 'limbo is on again');
}

/** Staff disable a provider's game on its page, and no player can open it. */
export async function switchASlotOff(page: Page, { api }: Platform): Promise<void> {
  const player = await signIn(api);
  const { slug, name } = await insist(async () => {
    const { data } = await player('GET', '/casino/games?name=Seven%20Orchards');
    ok(data.length > 0, 'the games are not taken over yet');
    return data[0];
  });
  const launch = () =>
    player('POST', `/casino/games/${slug}/launch`, { currencyId: 'USDT' }).then(
      () => 'opened',
      (error: Error) => error.message,
    );
  const before = await launch();
  ok(before === 'opened', `${slug} cannot be opened: ${before}`);
  await page.goto(`${api}/console/games/${slug}`);
  const press = async (button: string) => {
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
  };
  await press('Switch off');
  await page
    .getByRole('status')
    .filter({ hasText: `${name} is off` })
    .waitFor();
  const refused = await launch();
  ok(/GAME_DISABLED|GAME_NOT_FOUND/.test(refused), `a game that is off is opened: ${refused}`);
  await press('Switch on');
  await page
    .getByRole('status')
    .filter({ hasText: `${name} is on` })
    .waitFor();
  ok((await launch()) === 'opened', `${slug} is on again`);
}

/**
 * Staff change a setting. The page shows the change before saving, and the history names the editor. An error appears next to the invalid
 * field.
 */
export async function changeASetting(page: Page, { api }: Platform): Promise<void> {
  const setAge = (minimumAge: number) => asStaff(page, 'PATCH', '/admin/config/COMMON', { minimumAge });
  await setAge(18);
  await page.goto(`${api}/console/configuration`);
  const part = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'The site', exact: true }) });
  await part.getByLabel('Least age of players').fill('21');
  await part.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog');
  ok(/18\s*→\s*21/.test(await dialog.innerText()), `not shown: ${await dialog.innerText()}`);
  await dialog.getByRole('button', { name: 'Save' }).click();
  const last = page.locator('.history li').first();
  await last.filter({ hasText: 'Minimum age' }).waitFor();
  const said = await last.innerText();
  ok(/console_boss/.test(said) && /18\s*→\s*21/.test(said), `the history says ${said}`);
  const { minimumAge } = await asStaff(page, 'GET', '/config/USER');
  ok(minimumAge === 21, `players are told ${minimumAge}`);
  await part.getByLabel('Language at first').fill('de');
  await part.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await part.locator('.problem').filter({ hasText: 'needs to be one of languages' }).waitFor();
  await setAge(18);
}
