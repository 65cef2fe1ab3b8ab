import { applyForVip, picture } from '../files.ts';
import { expect, test } from '../fixtures.ts';
import { card, complaintsOf, dialog, expectLoaded, fact, notice, pressAndConfirm } from '../parts.ts';
import type { SignIn } from '../platform.ts';
import { checkEveryLook, DESKTOP } from '../screens/looks.ts';
import {
  betOnDice,
  callAs,
  importedSlot,
  newName,
  newPlayer,
  newStaff,
  rejection,
  signUpPlayer,
} from '../users.ts';
import { enterConsole, row, signOut, title } from './console.ts';

test('creates, starts and grants a promotion, then cancels the grant with a reason', async ({
  page,
  platform,
  superadmin,
}) => {
  const { call, username } = await signUpPlayer(platform, await callAs(platform, superadmin));
  const name = newName('Promotion');
  await enterConsole(page, superadmin);
  await page.goto('/console/promo/new');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Wagering multiplier').fill('20');
  await page.getByRole('button', { name: 'Create promotion' }).click();
  await expect(page.locator('.problem').filter({ hasText: 'Amount' })).toBeVisible();
  await page.getByLabel('Amount', { exact: true }).fill('7.5');
  await page.getByRole('button', { name: 'Create promotion' }).click();
  await dialog(page).getByLabel('Reason').fill('It begins.');
  await dialog(page).getByRole('button', { name: 'Start promotion' }).click();
  await expect(title(page, name)).toBeVisible();
  await expect(page.locator('.badge').filter({ hasText: 'Active' })).toBeVisible();
  const grant = card(page, 'Grant to players');
  await grant.getByLabel('Players', { exact: true }).fill(username);
  await page.getByRole('option', { name: username }).click();
  await grant.getByText('Add many by ID').click();
  await grant.getByLabel('User IDs').fill('999999999');
  await grant.getByLabel('Reason').fill('A guest.');
  const found: string[] = [];
  page.on('request', (request) =>
    found.push(...(/\/admin\/user\/(\d+)$/.exec(request.url())?.slice(1) ?? [])),
  );
  await grant.getByRole('button', { name: 'Grant promotion' }).click();
  await expect(fact(dialog(page), 'Players')).toHaveText(`${username}, #999999999`);
  await expect(fact(dialog(page), 'Each gets')).toHaveText('7.50 USDT bonus');
  await expect(fact(dialog(page), 'All together, at most')).toHaveText('15.00 USDT');
  await expect(fact(dialog(page), 'Wagering')).toHaveText('20 × the bonus');
  await dialog(page).getByRole('button', { name: 'Grant promotion' }).click();
  await expect(notice(page, 'Granted to 1 player, refused for 1')).toBeVisible();
  // The name of the player who was chosen by name is not read again.
  expect(new Set(found)).toEqual(new Set(['999999999']));
  await expect(grant).toContainText(`${username} got 7.50 USDT bonus.`);
  await expect(grant).toContainText('#999999999: does not exist');
  await grant.getByLabel('Players', { exact: true }).fill(username);
  await page.getByRole('option', { name: username }).click();
  await grant.getByLabel('Reason').fill('A larger gift.');
  await grant.getByLabel('Amount, if different from the promotion').fill('9');
  await grant.getByRole('button', { name: 'Grant promotion' }).click();
  await expect(fact(dialog(page), 'Each gets')).toHaveText('9.00 USDT bonus');
  await expect(fact(dialog(page), 'All together, at most')).toHaveText('9.00 USDT');
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await card(page, 'Status').getByRole('button', { name: 'Pause' }).click();
  await dialog(page).getByLabel('Reason').fill('Enough.');
  await dialog(page).getByRole('button', { name: 'Pause promotion' }).click();
  await expect(page.locator('.badge').filter({ hasText: 'Paused' })).toBeVisible();
  await expect(grant).toContainText(`${username} got 7.50 USDT bonus.`);
  await expect(fact(card(page, 'Results'), 'Granted')).toHaveText('7.50 USDT');
  await page.getByRole('link', { name: 'Grants', exact: true }).click();
  const granted = row(page, username);
  await granted.locator('summary').click();
  await granted.getByLabel('Reason (shown to player)').fill('By mistake.');
  await pressAndConfirm(granted, 'Cancel grant');
  await expect(notice(page, 'Grant cancelled')).toBeVisible();
  expect((await call('GET', '/promo/my')).data).toMatchObject([
    { status: 'CANCELLED', closeReason: expect.stringContaining('By mistake.') },
  ]);
});

test('tells marketing that a start waits for a second person, who then approves it', async ({
  page,
  platform,
  superadmin,
}) => {
  const name = newName('Promotion');
  await enterConsole(page, await newStaff(platform, 'MARKETING'));
  const complaints = complaintsOf(page, (_, url) => url.endsWith('/status'));
  await page.goto('/console/promo/new?type=CODE');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Amount', { exact: true }).fill('7.5');
  await page.getByLabel('Grant limit').fill('10');
  await page.getByLabel('VIP level from').fill('2');
  await page.getByLabel('Total deposits (USD)').fill('100');
  await page.getByLabel('Deposits within days').fill('7');
  await expect(card(page, 'What it can cost')).toContainText('A second person has to approve the start');
  await page.getByRole('button', { name: 'Create promotion' }).click();
  const start = page.getByRole('dialog', { name: `Start “${name}” now?` });
  await expect(start).toContainText('A second person has to approve the start within 24 hours.');
  await expect(start).toContainText('Roles that can approve by default: Superadmin, Admin and Marketing.');
  await expect(fact(start, 'Who gets it')).toHaveText('Players with a code who meet the conditions');
  await expect(fact(start, 'VIP level from')).toHaveText('2');
  await expect(fact(start, 'Total deposits')).toHaveText('100.00 USD or more in the last 7 days');
  await expect(fact(start, 'Wagering')).toHaveText('30 × the bonus');
  await expect(fact(start, 'Games that count')).toHaveText('All games');
  await expect(fact(start, 'All grants, at most')).toHaveText(/^7\d\.\d+\sUSD$/);
  expect(await checkEveryLook(page)).toEqual([]);
  await page.setViewportSize(DESKTOP);
  await start.getByLabel('Reason').fill('For regulars.');
  await start.getByRole('button', { name: 'Request start' }).click();
  const asked = page.getByRole('dialog', { name: 'Start requested' });
  await expect(asked).toContainText('starts when a second person starts it, too');
  await asked.getByRole('button', { name: 'Close' }).last().click();
  const waiting = card(page, 'Waiting for a second approver');
  await expect(fact(waiting, 'Reason')).toHaveText('For regulars.');
  await expect(card(page, 'Status')).toContainText('Requested by you at');
  await expect(card(page, 'Status').getByRole('button', { name: 'Start' })).toHaveCount(0);
  await expect(fact(card(page, 'Who can get it'), 'VIP level from')).toHaveText('2');
  expect(await checkEveryLook(page)).toEqual([]);
  await page.setViewportSize(DESKTOP);
  const { pathname } = new URL(page.url());
  await page.goto(`/console/promo?search=${name}`);
  await expect(row(page, name)).toContainText('Start requested');
  expect(complaints).toEqual([]);
  await signOut(page);
  await enterConsole(page, superadmin);
  await page.goto(pathname);
  await card(page, 'Status').getByRole('button', { name: 'Start' }).click();
  await expect(start).toContainText('has asked for this start. You approve it by starting it.');
  await start.getByLabel('Reason').fill('Agreed.');
  await start.getByRole('button', { name: 'Start promotion' }).click();
  await expect(notice(page, 'Promotion started')).toBeVisible();
  await page.getByRole('link', { name: 'Codes', exact: true }).click();
  await page.getByLabel('Number of codes').fill('3');
  await page.getByRole('button', { name: 'Create codes' }).click();
  await expect(fact(dialog(page), 'These codes, at most')).toHaveText('22.50 USDT');
  await dialog(page).getByRole('button', { name: 'Create codes' }).click();
  await expect(notice(page, 'Codes created: 3')).toBeVisible();
});

test('leads marketing to the terms of a promotion that nothing limits', async ({ page, platform }) => {
  const marketing = await newStaff(platform, 'MARKETING');
  const call = await callAs(platform, marketing);
  const { id } = await call('POST', '/admin/promo', {
    name: newName('Unlimited'),
    type: 'DEPOSIT',
    reward: { kind: 'CASH', currencyId: 'USDT', amount: '5' },
    wagerMultiplier: 1,
    conditions: { minVipLevel: 0 },
  });
  await enterConsole(page, marketing);
  await page.goto(`/console/promo/${id}?ask=start`);
  await expect(dialog(page)).toContainText('Nothing limits the number of grants.');
  await expect(dialog(page)).toContainText('Anyone can claim it without a deposit.');
  // Level 0 is that of all players.
  await expect(fact(dialog(page), 'Who gets it')).toHaveText('All players, who see it in the lobby');
  await expect(fact(dialog(page), 'Conditions')).toHaveText('None');
  await dialog(page).getByRole('link', { name: 'Set a limit' }).click();
  await expect(page.getByLabel('Grant limit')).toBeVisible();
  await expect(page).toHaveURL(/\/terms$/);
});

test('approves the cost of a promotion that another person has started', async ({
  page,
  platform,
  superadmin,
}) => {
  const call = await callAs(platform, await newStaff(platform, 'MARKETING'));
  const name = newName('Unlimited');
  const { id } = await call('POST', '/admin/promo', {
    name,
    type: 'MANUAL',
    reward: { kind: 'CASH', currencyId: 'USDT', amount: '5' },
    wagerMultiplier: 1,
  });
  await call('POST', `/admin/promo/${id}/status`, { status: 'ACTIVE', reason: 'For regulars.' });
  await enterConsole(page, superadmin);
  await page.goto(`/console/promo/${id}`);
  await card(page, 'Status').getByRole('button', { name: 'Approve start' }).click();
  const approval = page.getByRole('dialog', { name: `Approve the start of “${name}”?` });
  await expect(approval).toContainText('has asked for approval of its cost.');
  await expect(fact(approval, 'Starts')).toHaveText('Already started');
  await approval.getByLabel('Reason').fill('Agreed.');
  await approval.getByRole('button', { name: 'Approve start' }).click();
  await expect(notice(page, 'Start approved')).toBeVisible();
  await expect(card(page, 'Status').getByRole('button', { name: 'Approve start' })).toHaveCount(0);
});

test('offers only games with free spins, and names the spins in the preview and the facts', async ({
  page,
  platform,
  superadmin,
}) => {
  const { name: game } = await importedSlot(await callAs(platform, superadmin));
  await enterConsole(page, superadmin);
  await page.goto('/console/promo/new?type=DEPOSIT');
  await page.getByLabel('Name', { exact: true }).fill(newName('Spins'));
  await page.getByLabel('Reward type').click();
  await page.getByRole('option', { name: 'Free spins' }).click();
  await page.getByLabel('Number of spins').fill('10');
  await page.getByLabel('Value per spin (USD)').fill('0.205');
  const games = page.getByRole('combobox', { name: 'Game', exact: true });
  const answer = page.waitForResponse(/games\/all\?.*name=Dice/);
  await page.getByLabel('Game', { exact: true }).fill('Dice');
  expect((await (await answer).json()).data).toEqual([]);
  await games.fill(game.split(' ')[1]!.toLowerCase());
  await page.getByRole('option', { name: game }).first().click();
  const chosen = await games.inputValue();
  const text = `10 free spins on ${chosen} at $0.20 each, in USDT`;
  await expect(fact(card(page, 'What it can cost'), 'Reward')).toHaveText(text);
  await expect(card(page, 'What players see').getByRole('article')).toContainText('10 free spins');
  // The field names the provider only where several games have the same name.
  expect(chosen.startsWith(game)).toBe(true);
  const warning = page.getByText('Anyone can claim it without a deposit.');
  await expect(warning).toBeVisible();
  await page.getByLabel('Min deposit (USD)').fill('20');
  await expect(warning).toHaveCount(0);
  await page.getByLabel('Grant limit').fill('5');
  await page.getByRole('button', { name: 'Create promotion' }).click();
  await expect(fact(dialog(page), 'Reward')).toHaveText(
    `10 free spins on ${game} at 0.205 USD each, in USDT`,
  );
  await expect(fact(dialog(page), 'Games that count')).toHaveText(game);
  await expect(fact(dialog(page), 'Min deposit')).toHaveText(
    '20.00 USD, counting the largest deposit so far',
  );
  await expect(fact(dialog(page), 'Who gets it')).toHaveText('Players who meet the conditions');
  await expect(warning).toHaveCount(0);
});

test('shows the exact prizes of a leaderboard before it is created', async ({ page, superadmin }) => {
  await enterConsole(page, superadmin);
  await page.goto('/console/leaderboards/new');
  await page.getByLabel('Name', { exact: true }).fill(newName('Race'));
  await page.getByLabel('Ends', { exact: true }).fill('2099-01-01T00:00');
  await page.getByLabel('Prizes (USD)').fill('1 10.5\n2 4.25');
  await page.getByRole('button', { name: 'Create leaderboard' }).click();
  await expect(fact(dialog(page), 'Prize pool')).toHaveText('14.75 USD');
  await expect(fact(dialog(page), 'Paid in')).toHaveText('USDT');
  await expect(dialog(page).getByRole('row').filter({ hasText: '10.50 USD' })).toBeVisible();
});

test('mutes a player who was found by name', async ({ page, platform, superadmin }) => {
  const { username, id } = await newPlayer(platform);
  await enterConsole(page, superadmin);
  await page.goto('/console/chat');
  await page.getByLabel('Player to mute').fill(username);
  await page.getByRole('option', { name: username }).click();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
  await page.getByLabel('Until', { exact: true }).fill(tomorrow);
  await page.getByRole('button', { name: 'Mute player' }).click();
  await expect(fact(dialog(page), 'Player')).toHaveText(username);
  const sent = page.waitForRequest(/admin-action$/);
  await dialog(page).getByRole('button', { name: 'Mute player' }).click();
  expect((await sent).postDataJSON()).toMatchObject({ action: 'MUTE_USER', args: { userId: id } });
  await expect(notice(page, 'Player muted')).toBeVisible();
  await page.getByLabel('Muted player').fill(username);
  await page.getByRole('option', { name: username }).click();
  await page.getByRole('button', { name: 'End mute' }).click();
  await expect(notice(page, 'Mute ended')).toBeVisible();
});

test('lists the pending start of a promotion only for staff who can approve it', async ({
  page,
  platform,
}) => {
  const [asking, other] = [await newStaff(platform, 'ADMIN'), await newStaff(platform, 'ADMIN')];
  const call = await callAs(platform, asking);
  const { id } = await call('POST', '/admin/promo', {
    name: newName('Promotion'),
    type: 'CODE',
    reward: { kind: 'BONUS', currencyId: 'USDT', amount: '5' },
    wagerMultiplier: 30,
    budget: { maxGrants: 10 },
  });
  const started = call('POST', `/admin/promo/${id}/status`, { status: 'ACTIVE', reason: 'For regulars.' });
  expect(await rejection(started)).toContain('APPROVAL_NEEDED');
  const waiting = page.getByRole('main').locator(`a[href="/console/promo/${id}"]`);
  const openOverview = async (staff: SignIn) => {
    await enterConsole(page, staff);
    const answered = page.waitForResponse('**/admin/approvals');
    await page.goto('/console/overview');
    expect(await (await answered).json()).toContainEqual(
      expect.objectContaining({ input: expect.objectContaining({ promoId: id }) }),
    );
    await expect(page.getByRole('heading', { name: 'Needs attention' })).toBeVisible();
  };
  await openOverview(other);
  await expect(waiting).toContainText('Second approval: Start the promotion');
  await expect(waiting).toContainText(`Requested by ${asking.username}`);
  // Finance may list waiting actions and view promotions, but not start them.
  for (const staff of [asking, await newStaff(platform, 'FINANCE')]) {
    await signOut(page);
    await openOverview(staff);
    await expect(waiting).toHaveCount(0);
  }
});

test('approves a VIP application that has an image, and the player gets the level', async ({
  page,
  platform,
  superadmin,
}) => {
  const { call, username } = await signUpPlayer(platform, await callAs(platform, superadmin));
  await applyForVip(call);
  await enterConsole(page, superadmin);
  await page.goto(`/console/vip?search=${username}`);
  await row(page, username).getByRole('link').first().click();
  const proof = page.getByRole('main').locator('img');
  await expect(proof).toBeVisible();
  await expectLoaded(proof);
  await page.getByRole('button', { name: 'Start review' }).click();
  await expect(notice(page, 'In review')).toBeVisible();
  await page.getByRole('button', { name: 'Approve…' }).click();
  const form = page.getByRole('dialog', { name: 'Approve this application?' });
  await form.getByLabel('VIP level').fill('3');
  await form.getByLabel('Reason (for staff)').fill('Known elsewhere.');
  await form.getByRole('button', { name: 'Approve', exact: true }).click();
  const confirmation = page.getByRole('dialog', { name: `Approve ${username}?` });
  await expect(fact(confirmation, 'VIP level')).toHaveText('3');
  await confirmation.getByRole('button', { name: 'Approve', exact: true }).click();
  await expect(notice(page, 'Approved')).toBeVisible();
  expect(await call('GET', '/user/me')).toMatchObject({ vipLevel: 3 });
});

test('creates a challenge with an image, and pays the reward to its winner', async ({
  page,
  platform,
  superadmin,
}) => {
  const { call, username } = await signUpPlayer(platform, await callAs(platform, superadmin));
  await enterConsole(page, superadmin);
  await page.goto('/console/challenges/new');
  await page.getByLabel('Game', { exact: true }).fill('dic');
  await page.getByRole('option', { name: /^Dice/ }).click();
  await page.getByLabel('Min bet (USD)').fill('0.1');
  await page.getByLabel('Min multiplier').fill('1.01');
  await page.getByLabel('Reward', { exact: true }).fill('11');
  await page.getByRole('button', { name: 'Create challenge' }).click();
  await expect(fact(dialog(page), 'Reward')).toHaveText('11.00 USDT');
  await dialog(page).getByRole('button', { name: 'Create challenge' }).click();
  await expect(card(page, 'Bets that can win')).toBeVisible();
  await page.getByLabel('Image', { exact: true }).setInputFiles(await picture());
  await page.getByRole('button', { name: 'Save image' }).click();
  await expect(notice(page, 'Image saved')).toBeVisible();
  const betThatWins = async () => (await betOnDice(call, { threshold: 2 })).payout;
  await expect.poll(betThatWins).not.toBe('0');
  const winner = row(page, username).first();
  await expect(async () => {
    await page.reload();
    await expect(winner).toBeVisible({ timeout: 1000 });
  }).toPass();
  await pressAndConfirm(winner, 'Pay reward');
  await expect(card(page, 'Reverse reward')).toBeVisible();
  expect((await call('GET', '/challenge/my')).data).toMatchObject([{ isWon: true }]);
});
