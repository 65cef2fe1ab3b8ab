import { connect } from '../../../client/client.ts';
import { expect } from '../fixtures.ts';
import type { Platform } from '../platform.ts';
import { type Call, callAs, newAccount, newPlayer, newStaff, rejection } from '../users.ts';

/** Creates data for the console's pages about the site, such as chat and bots. Returns the paths of pages that are not in the menu. */
export async function createSiteData(platform: Platform, staff: Call): Promise<string[]> {
  await writeInTheChat(platform);
  const { id: userId } = await staff('POST', '/admin/user/admin-user', newAccount());
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
  const note = await staff('POST', '/admin/user-notes', {
    userId,
    note: 'A test account.',
    riskLevel: 'LOW',
  });
  return [
    ...(await createGameData(platform, staff)),
    ...['revenue', 'payments', 'players', 'games', 'top', 'liabilities'].map((part) => `/reports/${part}`),
    ...['curves', 'types', 'games'].map((part) => `/play-report/${part}`),
    ...['withdrawals', 'affiliates', 'battles'].map((code) => `/configuration/${code}`),
    `/bots/${bot.id}`,
    `/notes/${note.id}`,
  ];
}

async function createGameData(platform: Platform, staff: Call): Promise<string[]> {
  // The platform imports the sandbox's games soon after the start.
  const slots = async () => (await staff('GET', '/admin/casino/games/all?type=SLOTS&take=1')).data;
  await expect.poll(slots, { timeout: 60_000 }).not.toHaveLength(0);
  const [{ slug, providerId, provider }] = await slots();
  const rule = { providerId, category: null, gameId: null, payload: null, ggrPercent: '11.5' };
  const rules = await staff('GET', `/admin/casino/games/commission?providerId=${providerId}`);
  const { id } = rules.data[0] ?? (await createTogether(platform, staff, rule));
  await staff('POST', '/admin/casino/games/main', { category: 'SLOTS', slugs: [slug] });
  await staff('PUT', `/admin/casino/games/${slug}/tags`, { tags: ['new', 'fast'] });
  const games = [`/games/${slug}`, '/games/dice', '/house-games/speed-roulette'];
  return [...games, `/providers/${provider.slug}`, `/commissions/${id}`];
}

/** Creates a commission rule, which two people must request. */
async function createTogether(platform: Platform, staff: Call, rule: object) {
  const path = '/admin/casino/games/commission';
  expect(await rejection(staff('PUT', path, rule))).toContain('APPROVAL_NEEDED');
  const second = await callAs(platform, await newStaff(platform, 'SUPERADMIN'));
  return second('PUT', path, rule);
}

async function writeInTheChat(platform: Platform): Promise<void> {
  const { socketToken } = await newPlayer(platform);
  const client = connect({ url: platform.realtime, token: () => socketToken, rooms: ['chat:general'] });
  try {
    await expect(() => client.send('chat:general', 'Good evening to everybody.')).toPass();
  } finally {
    client.close();
  }
}
