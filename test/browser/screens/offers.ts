import { applyForVip } from '../files.ts';
import { expect } from '../fixtures.ts';
import type { Platform } from '../platform.ts';
import { betOnDice, type Call, newName, signUpPlayer } from '../users.ts';

/** Creates data for the console's pages about offers. Returns the paths of pages that are not in the menu. */
export async function createOffers(platform: Platform, staff: Call): Promise<string[]> {
  const { call, id } = await signUpPlayer(platform, staff);
  const challenge = await createChallenge(staff, call);
  const board = await createLeaderboard(staff, call, id);
  // The grant is created after the challenge, because bets with bonus money cannot win a challenge.
  const promo = await createPromotion(staff, id);
  const [schedule] = await staff('GET', '/admin/leaderboards/schedule');
  const application = await applyForVip(call);
  await createStreamer(platform, staff, id);
  await staff('POST', '/admin/admin-tips/deduct-balance', {
    recipientUserId: id,
    currencyId: 'USDT',
    amount: '1',
    notes: 'Given twice.',
  });
  const boards = ['new', 'schedules', `schedules/${schedule.id}`, board, `${board}/users/${id}`];
  return [
    '/promo/new',
    ...['', '/terms', '/games', '/codes', '/grants'].map((part) => `/promo/${promo}${part}`),
    ...['new', challenge].map((part) => `/challenges/${part}`),
    ...boards.map((part) => `/leaderboards/${part}`),
    ...['?status=', `/${application}`].map((part) => `/vip${part}`),
    ...['referrals', 'levels', id].map((part) => `/affiliates/${part}`),
    ...['referrals', id].map((part) => `/streamers/${part}`),
    ...[`/rakeback?userId=${id}`, `/users/${id}/growth`],
  ];
}

/** Creates a challenge that one of the player's bets wins. */
async function createChallenge(staff: Call, player: Call): Promise<string> {
  const { id } = await staff('PUT', '/admin/challenge', {
    gameSlug: 'dice',
    minBetAmountUsd: '0.5',
    minBetMultiplier: 1,
    rewardCurrency: 'USDT',
    rewardAmount: '10',
    isHidden: false,
  });
  for (let n = 0; n < 3; n++) await betOnDice(player, { threshold: 2 });
  const winningBets = async () => (await staff('GET', `/admin/challenge/${id}/bets`)).total;
  await expect.poll(winningBets, { timeout: 60_000 }).toBeGreaterThan(0);
  return id;
}

/** Creates a leaderboard in which the player participates. */
async function createLeaderboard(staff: Call, player: Call, userId: number): Promise<string> {
  const { id } = await staff('POST', '/admin/leaderboards', {
    name: 'Race of the week-end',
    description: 'Whoever wagers most.',
    endDate: new Date(Date.now() + 86_400_000).toISOString(),
    currencyId: 'USDT',
    prizes: [
      { place: 1, usdAmount: '50' },
      { place: 2, usdAmount: '25' },
    ],
  });
  await betOnDice(player, { betAmount: '2' });
  await expect(() => staff('GET', `/admin/leaderboards/${id}/users/${userId}`)).toPass();
  return id;
}

async function createPromotion(staff: Call, userId: number): Promise<string> {
  const { id } = await staff('POST', '/admin/promo', {
    name: 'Welcome back',
    description: 'For players who come back.',
    type: 'CODE',
    reward: { kind: 'BONUS', currencyId: 'USDT', amount: '5' },
    wagerMultiplier: 20,
    validityHours: 72,
  });
  await staff('POST', `/admin/promo/${id}/status`, { status: 'ACTIVE', reason: 'It begins.' });
  await staff('POST', `/admin/promo/${id}/codes`, { kind: 'ONE_TIME', count: 3 });
  const grant = await staff('POST', `/admin/promo/${id}/grant`, { userIds: [userId], reason: 'A guest.' });
  expect(grant).toMatchObject({ granted: 1 });
  return id;
}

/** Creates a streamer with a code, and a player who was referred with this code. */
async function createStreamer(platform: Platform, staff: Call, userId: number): Promise<void> {
  await staff('PATCH', `/admin/user/${userId}`, { isStreamer: true });
  const affiliateCode = newName('c');
  await staff('POST', '/admin/affiliate/code', { id: affiliateCode, userId });
  await signUpPlayer(platform, staff, { affiliateCode });
}
